"""What carriers did: how far they brought a letter, as events.

A carrier brings letters to agents that don't fetch them: into a folder, or to a key. After a crash
it goes on where its last event was.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from waypost.office.callers import Caller
from waypost.office.consigning import Consignment, Pending, Rendering
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event, Json, digest
from waypost.office.members import FOLDER, KEY, POSTMASTER
from waypost.office.states import State, follows
from waypost.office.tables import Tables

_STATE = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"
_STATES = "SELECT agent, state FROM deliveries WHERE letter = ?"
_PLACED = "SELECT letter FROM placed WHERE agent = ? AND name = ?"


def translated(
    desk: Desk, letter: Consignment, dialect: str, recipient: str, made: Rendering
) -> None:
    """Note what goes to a recipient in place of a letter's message, and what it doesn't say."""
    message_id, kind, message, losses = made
    data: Json = {"letter": letter.position, "dialect": dialect, "recipient": recipient}
    data |= {"id": message_id, "type": kind, "original": digest(letter.message or b"")}
    _note(desk, letter.project, "letter.translated", data, {"losses": list(losses)}, message)


class Handover(NamedTuple):
    """A letter where its recipients look; in a folder, `file` is its name there, and its hash."""

    letter: int
    boxes: Sequence[int]
    file: tuple[str, str] | None = None


def handed_over(desk: Desk, project: str, handovers: Sequence[Handover]) -> None:
    """Note that letters of a project were handed over, those that came together in one event."""
    now, caller = desk.world.now(), Caller(POSTMASTER, project)

    def decision(tables: Tables) -> Event | None:
        deliveries: list[list[int]] = []
        files: list[list[int | str]] = []
        for letter, boxes, file in handovers:
            for box in boxes:
                if file is None:
                    deliveries.append([letter, box])
                elif tables.value(_PLACED, box, file[0]) != letter:
                    deliveries.append([letter, box])
                    files.append([box, file[0], letter, file[1]])
        if not deliveries:
            return None
        data: Json = {"deliveries": deliveries, "state": State.HANDED_OVER}
        data |= {"files": files, "node": desk.journal.company.me} if files else {}
        return event_of(caller, "letters.moved", now, data)

    scopes = sorted({f"handover:{box}" for handover in handovers for box in handover.boxes})
    desk.decide(scopes, decision, lambda _: None)


def waits(
    desk: Desk, delivery: Pending, note: str, next_at: int | None = None, guard: str = ""
) -> None:
    """Note that a delivery was tried in vain, and when it is tried again; never: a person says."""
    tries = delivery.tries + (guard == "")
    data: Json = {"delivery": [delivery.letter, delivery.box], "tries": tries, "next_at": next_at}
    _note(desk, delivery.project, "delivery.waits", data | {"guard": guard}, {"note": note})


def let_on(desk: Desk, delivery: Pending, note: str, guard: str) -> None:
    """Note that a held letter goes on: a carrier takes it, or it is shown to who fetches it."""
    data: Json = {"delivery": [delivery.letter, delivery.box], "tries": delivery.tries}
    data |= {"next_at": desk.world.now(), "guard": guard}
    if delivery.carrier not in (FOLDER, KEY):
        data["shown_to"] = delivery.name
    _note(desk, delivery.project, "delivery.waits", data, {"note": note})


def vanished(desk: Desk, caller: Caller, box: int, files: Mapping[str, int]) -> None:
    """Note that files left an agent's folder: it has dealt with those letters."""
    now = desk.world.now()

    def decision(tables: Tables) -> Event:
        rows = [(letter, tables.value(_STATE, letter, box)) for letter in files.values()]
        moved = [[letter, box] for letter, at in rows if at is not None and follows(at, State.DONE)]
        data: Json = {"deliveries": moved, "state": State.DONE}
        data["gone"] = [[box, name] for name in files]
        return event_of(caller, "letters.moved", now, data)

    desk.decide([], decision, lambda _: None)


def withdraw(desk: Desk, project: str, letter: int) -> bool:
    """Take a letter back whose asker waits no more, unless it was read; tells whether it was."""
    now, caller = desk.world.now(), Caller(POSTMASTER, project)

    def decision(tables: Tables) -> Event | bool:
        rows = tables.all(_STATES, letter)
        if not rows or not all(follows(row[1], State.WITHDRAWN) for row in rows):
            return False
        data: Json = {"deliveries": [[letter, row[0]] for row in rows], "state": State.WITHDRAWN}
        return event_of(caller, "letters.moved", now, data)

    return desk.decide([], decision, lambda _: True)


def exchange_ended(desk: Desk, project: str, letter: int) -> None:
    """Note that nobody waits on the line for the answer to a letter any more."""
    _note(desk, project, "exchange.ended", {"letters": [letter]})


def _note(
    desk: Desk,
    project: str,
    kind: str,
    data: Json,
    texts: Json | None = None,
    message: bytes | None = None,
) -> None:
    """Bring what a carrier did into the journal."""
    caller = Caller(POSTMASTER, project)
    event = event_of(caller, kind, desk.world.now(), data, texts)._replace(message=message)
    desk.decide([], lambda _: event, lambda _: None)
