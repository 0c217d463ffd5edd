"""A large office for benches: a million letters among a thousand agents, written in big batches.

The letters go the way of all events (sealed, chained, applied), only without waiting for the disk.
They are of ten days, and uneven, as mail is: half of them lie unread with one agent, one
conversation has every hundredth, one person gets every fiftieth, some were read, some came back.
"""

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from office import PLACE, PROJECT, TEXT, Notebook, varied
from waypost.office import Office, open_office, sending
from waypost.office.callers import Caller
from waypost.office.events import Event, seal
from waypost.office.journal.sqlite import write
from waypost.office.rounds import Rounds
from waypost.office.statements import MOVE_TIP, TIP
from waypost.office.states import State

AGENTS = 1_000
BUSIEST, DANA, QUIET = "agent7", Caller("dana", PROJECT), Caller("dana", "quiet")
CLAUDE, CODEX = Caller("claude", PROJECT), Caller("codex", PROJECT)
LONG_THREAD, RARE_ACTOR = "thread-long", "agent500"
_NUMBERED = AGENTS - 3
_FIRST_BOX = 5  # behind the people's list, claude, codex and dana
_BATCH = 20_000
_SPAN_MS = 10 * 24 * 60 * 60 * 1000
_IN_A_HURRY = ("synchronous = OFF", "cache_size = -400000", "wal_autocheckpoint = 100000")


class Kinds(NamedTuple):
    """Letters drawn up once, of which the others differ in who, whom and when."""

    told: Event
    asked: Event


def filled(home: Path, letters: int) -> Path:
    """An office with so many letters in a home; what was filled before is used again."""
    mark = home / f"filled-{letters}"
    if not mark.exists():
        shutil.rmtree(home, ignore_errors=True)
        with open_office(home) as office:
            _populate(office)
            _write(office, letters)
        mark.touch()
    return home


def _populate(office: Office) -> None:
    """The agents, and what each of the views shows beside letters."""
    for caller in (CLAUDE, CODEX):
        office.register(caller, with_token=False)
    office.register(DANA, kind="person", with_token=False)
    for number in range(_NUMBERED):
        office.register(Caller(f"agent{number}", PROJECT), with_token=False)
    for number in range(20):
        office.ask_human(Caller(f"agent{number}", PROJECT), f"May I do {number}?", ["yes", "no"])
        office.reserve(Caller(f"agent{number}", PROJECT), [f"src/{number}/**"], minutes=600)
    office.register(QUIET, kind="person", with_token=False)
    office.send(QUIET, "dana", text="Nobody else is here")


def _write(office: Office, letters: int) -> None:
    kinds = Kinds(_drawn_up(office), _drawn_up(office, type="question", acknowledge=True))
    events = _events(kinds, letters, office.last() + 1)
    for setting in _IN_A_HURRY:
        office.desk.database.writer.execute(f"PRAGMA {setting}")
    is_done = False
    while not is_done:
        with office.desk.database.writing() as db:
            position, chain = db.execute(TIP).fetchone()
            is_done = True
            for event in islice(events, _BATCH):
                is_done = False
                position += 1
                scopes = (f"letter:{event.actor}/{position}",)
                chain = write(db, seal(event, scopes, position), chain)
            db.execute(MOVE_TIP, (position, chain))


def _drawn_up(office: Office, **asked: object) -> Event:
    notebook = Notebook()
    rounds = Rounds(notebook, office.desk.database)  # type: ignore[arg-type]
    desk = office.desk._replace(rounds=rounds)
    sending.send(desk, CLAUDE, "codex", text=TEXT.format(PLACE), **asked)  # type: ignore[arg-type]
    return notebook.events[0][0]


def _events(kinds: Kinds, letters: int, position: int) -> Iterator[Event]:
    """So many letters, and what became of some of them."""
    for number in range(letters):
        letter = _letter(kinds, number, letters)
        yield letter
        if (moved := _moved(letter, number, position)) is not None:
            yield moved
            position += 1
        position += 1


def _letter(kinds: Kinds, number: int, letters: int) -> Event:
    number_of_sender, (to, box) = number % _NUMBERED, _recipient(number)
    sender = f"agent{number_of_sender}"
    thread = LONG_THREAD if number % 100 == 3 else f"thread-{number // 5}"
    who = {"sender": sender, "from_box": number_of_sender + _FIRST_BOX}
    whom = {"to": [to], "boxes": [box], "thread": thread}
    event = varied(kinds.asked if number % 200 == 9 else kinds.told, number)
    at = event.at - _SPAN_MS + _SPAN_MS * number // letters
    return event._replace(actor=sender, at=at, data={**event.data, **who, **whom})


def _recipient(number: int) -> tuple[str, int]:
    """Who gets a letter, and in which box."""
    if number % 2:
        return BUSIEST, int(BUSIEST.removeprefix("agent")) + _FIRST_BOX
    if number % 50 == 0:
        return DANA.agent, _FIRST_BOX - 1
    to = number * 7 % _NUMBERED
    return f"agent{to}", to + _FIRST_BOX


def _moved(letter: Event, number: int, position: int) -> Event | None:
    """Every tenth letter was read by now, and every five-hundredth came back."""
    if number % 500 != 4 and number % 10 != 2:
        return None
    state = State.BOUNCED if number % 500 == 4 else State.READ
    data = {"deliveries": [[position, letter.data["boxes"][0]]], "state": state}
    reader = letter.data["to"][0]
    return letter._replace(kind="letters.moved", actor=reader, data=data, texts=None, message=None)
