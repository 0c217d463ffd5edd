"""What carriers need of the office: which letters wait for them, and how far they brought each.

A carrier brings letters to agents that don't fetch them: into a folder, or to a key. What it did is
an event, so that after a crash it goes on where it stopped.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from waypost.office import finding
from waypost.office.callers import Caller
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event, Json, digest
from waypost.office.members import FOLDER, KEY
from waypost.office.states import State, follows
from waypost.office.tables import Tables

_PENDING = (
    "SELECT deliveries.letter, agents.id, agents.name, agents.project, carrier, agents.key_id,"
    " coalesce(tries, 0), next_at, guard, since FROM agents"
    " JOIN deliveries ON deliveries.agent = agents.id"
    " LEFT JOIN waiting ON waiting.letter = deliveries.letter AND waiting.agent = agents.id"
    f" WHERE state = {State.STORED:d} AND carrier IN ('{FOLDER}', '{KEY}')"
    " AND (waiting.letter IS NULL OR next_at IS NOT NULL)"
)
_IN_PROJECT = _PENDING + " AND agents.project = ? ORDER BY deliveries.letter LIMIT 5000"
_OF_LETTERS = (
    _PENDING + " AND deliveries.letter IN (SELECT value FROM json_each(?))"
    " ORDER BY deliveries.letter"
)
_EVERYWHERE = _PENDING + " ORDER BY deliveries.letter LIMIT 5000"
_LETTER = (
    "SELECT letters.position, project, id, sender, recipients, thread, dialect, type, reply_to,"
    " subject, sent_at, expires_at, door, message FROM letters"
    " LEFT JOIN contents USING (position) WHERE letters.position = ?"
)
_STATE = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"
_TRANSLATION = (
    "SELECT id, translations.type, message FROM translations"
    " JOIN contents USING (position) WHERE letter = ? AND dialect = ? AND recipient = ?"
)
_TRANSLATED = "SELECT id, type FROM translations WHERE letter = ? AND dialect = ?"
_BY_ID = "SELECT letter, dialect, recipient FROM translations WHERE id = ? AND project = ?"
_PLACED = "SELECT name, letter, digest FROM placed WHERE agent = ?"
_ASKED = (
    "SELECT letter, agents.name, agents.project, letters.id, letters.type, until FROM asked"
    " JOIN agents ON agents.id = agent JOIN letters ON letters.position = letter"
)

_BOXES = "SELECT id, name, project, kind, carrier, key_id FROM agents WHERE ? IS NULL OR project = ?"
_PROJECTS = "SELECT name FROM projects ORDER BY name"

_LINK = (
    "SELECT position, sender, recipients, reply_to FROM letters WHERE id = ? AND project = ?"
    " ORDER BY position LIMIT 1"
)
_RECENT = (
    "SELECT count(*) FROM deliveries JOIN letters ON letters.position = letter"
    " WHERE agent = ? AND rank IN (0, 1, 2, 3, 4, 5, 6, 7) AND deliveries.sent_at > ? AND sender = ?"
)


class Pending(NamedTuple):
    """A delivery that a carrier has to make, and how often it was tried."""

    letter: int
    box: int
    name: str
    project: str
    carrier: str
    key_id: str | None
    tries: int
    next_at: int | None
    guard: str | None
    since: int | None


class Consignment(NamedTuple):
    """A letter as a carrier takes it."""

    position: int
    project: str
    id: str
    sender: str
    to: tuple[str, ...]
    thread: str
    dialect: str
    type: str
    reply_to: str | None
    subject: str
    sent_at: int
    expires_at: int | None
    door: str
    message: bytes | None


class Rendering(NamedTuple):
    """A translation that was made of a letter."""

    id: str
    type: str
    message: bytes


class Asked(NamedTuple):
    """A letter whose answer a live peer waited for."""

    letter: int
    name: str
    project: str
    id: str
    type: str
    until: int


def pending(
    desk: Desk, project: str | None = None, letters: Iterable[int] | None = None
) -> list[Pending]:
    """The deliveries that wait for a carrier, the oldest first; not those that a person holds."""
    with desk.database.reading() as tables:
        if letters is not None:
            rows = tables.all(_OF_LETTERS, json.dumps(list(letters)))
        else:
            rows = tables.all(_IN_PROJECT, project) if project else tables.all(_EVERYWHERE)
    return [Pending(*row) for row in rows]


def consignment(desk: Desk, letter: int) -> Consignment:
    """A letter with its message, which is None when it was removed."""
    with desk.database.reading() as tables:
        row = tables.one(_LETTER, letter)
    assert row is not None
    return Consignment(*row[:4], finding.listed(row[4]), *row[5:])


def letter_meant(desk: Desk, project: str, message_id: str) -> Consignment | None:
    """The letter with an id, or whose translation has it."""
    with desk.database.reading() as tables:
        found = finding.meant(tables, project, message_id)
    return consignment(desk, found.position) if found else None


def is_open(desk: Desk, delivery: Pending) -> bool:
    """Whether a delivery still has to be made."""
    with desk.database.reading() as tables:
        return bool(tables.value(_STATE, delivery.letter, delivery.box) == State.STORED)


def rendering(desk: Desk, letter: int, dialect: str, recipient: str) -> Rendering | None:
    """The translation of a letter that was made before."""
    with desk.database.reading() as tables:
        row = tables.one(_TRANSLATION, letter, dialect, recipient)
    return Rendering(*row) if row else None


def known_as(desk: Desk, letter: Consignment, dialect: str) -> tuple[str, str] | None:
    """Id and type by which those who speak a dialect know a letter."""
    if letter.dialect == dialect:
        return letter.id, letter.type
    with desk.database.reading() as tables:
        row = tables.one(_TRANSLATED, letter.position, dialect)
    return (row[0], row[1]) if row else None


def translated(
    desk: Desk,
    letter: Consignment,
    dialect: str,
    recipient: str,
    made: tuple[str, str, bytes],
    losses: Sequence[Mapping[str, Any]],
) -> None:
    """Note what goes to a recipient in place of a letter's message, and what it doesn't say."""
    message_id, kind, message = made
    data: Json = {"letter": letter.position, "dialect": dialect, "recipient": recipient}
    data |= {"id": message_id, "type": kind, "original": digest(letter.message or b"")}
    _note(desk, letter.project, "letter.translated", data, {"losses": list(losses)}, message)


def translation_of(desk: Desk, project: str, message_id: str) -> int | None:
    """The letter of which a message with this id is a translation."""
    with desk.database.reading() as tables:
        row = tables.one(_BY_ID, message_id, project)
    return row[0] if row else None


def handed_over(
    desk: Desk, project: str, letter: int, boxes: Sequence[int], file: tuple[str, str] | None = None
) -> None:
    """Note that a letter is where its recipients look; `file` is its name there, and its hash."""
    data: Json = {"deliveries": [[letter, box] for box in boxes], "state": State.HANDED_OVER}
    if file is not None:
        data["files"] = [[box, file[0], letter, file[1]] for box in boxes]
    _note(desk, project, "letters.moved", data)


def refused(desk: Desk, delivery: Pending, note: str) -> None:
    """Note that a peer said no to a letter, and why."""
    data: Json = {"deliveries": [[delivery.letter, delivery.box]], "state": State.ACKNOWLEDGED}
    data |= {"accepted": False, "noted": True}
    _note(desk, delivery.project, "letters.moved", data, {"note": note})


def waits(
    desk: Desk, delivery: Pending, note: str, next_at: int | None = None, guard: str = ""
) -> None:
    """Note that a delivery was tried in vain, and when it is tried again; never: a person says."""
    tries = delivery.tries + (guard == "")
    data: Json = {"delivery": [delivery.letter, delivery.box], "tries": tries, "next_at": next_at}
    _note(desk, delivery.project, "delivery.waits", data | {"guard": guard}, {"note": note})


def placed(desk: Desk, box: int) -> dict[str, tuple[int, str]]:
    """The files of an agent's folder that are letters: by name, the letter and the hash."""
    with desk.database.reading() as tables:
        return {row[0]: (row[1], row[2]) for row in tables.all(_PLACED, box)}


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


def asked(desk: Desk) -> list[Asked]:
    """The letters whose answers live peers wait for, as far as is known."""
    with desk.database.reading() as tables:
        return [Asked(*row) for row in tables.all(_ASKED)]


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
    caller = Caller("postmaster", project)
    event = event_of(caller, kind, desk.world.now(), data, texts)._replace(message=message)
    desk.decide([], lambda _: event, lambda _: None)


class Box(NamedTuple):
    """A mailbox as carriers see it: where it is, and by which key it is known."""

    id: int
    name: str
    project: str
    kind: str
    carrier: str | None
    key_id: str | None


def boxes(desk: Desk, project: str | None = None) -> list[Box]:
    """All mailboxes, or those of one project."""
    with desk.database.reading() as tables:
        return [Box(*row) for row in tables.all(_BOXES, project, project)]


def projects(desk: Desk) -> list[str]:
    """The names of all projects."""
    with desk.database.reading() as tables:
        return [row[0] for row in tables.all(_PROJECTS)]


class Link(NamedTuple):
    """A letter as one step of a chain of letters that answer each other."""

    position: int
    sender: str
    to: tuple[str, ...]
    reply_to: str | None


def chain(desk: Desk, letter: Consignment, most: int) -> list[Link]:
    """The letters that led to this one, the oldest first, this one not among them."""
    links: list[Link] = []
    with desk.database.reading() as tables:
        parent = letter.reply_to
        while parent is not None and len(links) < most:
            row = tables.one(_LINK, parent, letter.project)
            if row is None:
                break
            links.append(Link(row[0], row[1], finding.listed(row[2]), row[3]))
            parent = row[3]
    return links[::-1]


def recent(desk: Desk, sender: str, box: int, since: int) -> int:
    """How many letters a mailbox got from a sender since a time."""
    with desk.database.reading() as tables:
        return int(tables.value(_RECENT, box, since, sender))
