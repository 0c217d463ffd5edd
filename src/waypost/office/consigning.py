"""What carriers need to know: which letters wait for them, and all about a letter on its way."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from waypost.office import finding
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.members import FOLDER, KEY, POSTMASTER
from waypost.office.states import State
from waypost.office.tables import Row

_PENDING = (
    "SELECT deliveries.letter, agents.id, agents.name, agents.project, carrier, agents.key_id,"
    " coalesce(tries, 0), next_at, guard, since,"
    f" CASE carrier WHEN '{KEY}' THEN (SELECT writer.node FROM letters JOIN agents AS writer"
    "  ON writer.project = letters.project AND writer.name = letters.sender"
    "  WHERE letters.position = deliveries.letter) ELSE agents.node END FROM agents"
    " JOIN deliveries ON deliveries.agent = agents.id"
    " LEFT JOIN waiting ON waiting.letter = deliveries.letter AND waiting.agent = agents.id"
    f" WHERE state = {State.STORED:d} AND state < 2 AND carrier IN ('{FOLDER}', '{KEY}')"
    " AND (waiting.letter IS NULL OR next_at IS NOT NULL)"
)
_IN_PROJECT = _PENDING + " AND agents.project = ? ORDER BY deliveries.letter"
_OF_LETTERS = (
    _PENDING + " AND deliveries.letter IN (SELECT value FROM json_each(?))"
    " ORDER BY deliveries.letter"
)
_EVERYWHERE = _PENDING + " ORDER BY deliveries.letter"
_A_LETTER = (
    "SELECT letters.position, project, id, sender, recipients, thread, dialect, type, reply_to,"
    " subject, sent_at, expires_at, door, message FROM letters"
    " LEFT JOIN contents USING (position) WHERE letters.position"
)
_LETTER = _A_LETTER + " = ?"
_LETTERS = _A_LETTER + " IN (SELECT value FROM json_each(?))"
_COUNTS = (
    "SELECT (SELECT count(*) FROM letters), (SELECT count(*) FROM agents WHERE kind != 'people'),"
    " (SELECT count(*) FROM projects), (SELECT coalesce(sum(unread), 0) FROM agents),"
    f" (SELECT count(*) FROM agents JOIN deliveries ON agent = id AND state < 2"
    f"  AND state = {State.STORED:d}"
    f"  WHERE carrier IN ('{FOLDER}', '{KEY}')),"
    " (SELECT count(*) FROM waiting WHERE next_at IS NOT NULL),"
    " (SELECT count(*) FROM waiting WHERE next_at IS NULL), (SELECT count(*) FROM asked)"
)
_TRANSLATION = (
    "SELECT id, translations.type, message, texts FROM translations"
    " JOIN contents USING (position) WHERE letter = ? AND dialect = ? AND recipient = ?"
)
_TRANSLATED = "SELECT id, type FROM translations WHERE letter = ? AND dialect = ?"
_BY_ID = "SELECT letter, dialect, recipient FROM translations WHERE id = ? AND project = ?"
_PLACED = "SELECT name, letter, digest, node FROM placed WHERE agent = ?"
_NAMED = " AND name IN (SELECT value FROM json_each(?))"
_ASKED = (
    "SELECT letter, agents.name, agents.project, letters.id, letters.type, until,"
    " agents.key_id FROM asked"
    " JOIN agents ON agents.id = agent JOIN letters ON letters.position = letter"
)

_BOXES = (
    "SELECT id, name, project, kind, carrier, key_id, node FROM agents"
    " WHERE ? IS NULL OR project = ?"
)
_UNREAD = (
    "SELECT letter, priority FROM deliveries JOIN letters ON position = letter"
    " WHERE agent = ? AND state < 2 AND deliveries.sent_at > ?"
    f" AND sender != '{POSTMASTER}' AND NOT EXISTS (SELECT 1 FROM waiting"
    " WHERE waiting.letter = deliveries.letter AND waiting.agent = deliveries.agent"
    " AND next_at IS NULL) ORDER BY deliveries.letter"
)
_HAS_FOLDERS = f"SELECT 1 FROM agents WHERE project = ? AND carrier = '{FOLDER}'"
_DOMAINS = "SELECT json_extract(about, '$.domains') FROM agents WHERE id = ?"
_PROJECTS = "SELECT name FROM projects ORDER BY name"


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
    node: str | None = None  # where its carrier is; to a peer, that of the sender's key


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
    """A translation that was made of a letter, and what it doesn't say."""

    id: str
    type: str
    message: bytes
    losses: tuple[Json, ...] = ()


class Asked(NamedTuple):
    """A letter whose answer a live peer waited for."""

    letter: int
    name: str
    project: str
    id: str
    type: str
    until: int
    key_id: str | None


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


def consignments(desk: Desk, letters: Iterable[int]) -> dict[int, Consignment]:
    """All about some letters, by their positions."""
    with desk.database.reading() as tables:
        rows = tables.all(_LETTERS, json.dumps(list(letters)))
    return {row[0]: _consignment(row) for row in rows}


def consignment(desk: Desk, letter: int) -> Consignment:
    """A letter with its message, which is None when it was removed."""
    with desk.database.reading() as tables:
        row = tables.one(_LETTER, letter)
    assert row is not None
    return _consignment(row)


def _consignment(row: Row) -> Consignment:
    return Consignment._make((*row[:4], finding.listed(row[4]), *row[5:]))


def letter_meant(desk: Desk, project: str, message_id: str) -> Consignment | None:
    """The letter with an id, or whose translation has it."""
    with desk.database.reading() as tables:
        found = finding.meant(tables, project, message_id)
    return consignment(desk, found.position) if found else None


def rendering(desk: Desk, letter: int, dialect: str, recipient: str) -> Rendering | None:
    """The translation of a letter that was made before."""
    with desk.database.reading() as tables:
        row = tables.one(_TRANSLATION, letter, dialect, recipient)
    if row is None:
        return None
    return Rendering(row[0], row[1], row[2], tuple(json.loads(row[3] or "{}").get("losses", ())))


def known_as(desk: Desk, letter: Consignment, dialect: str) -> tuple[str, str] | None:
    """Id and type by which those who speak a dialect know a letter."""
    if letter.dialect == dialect:
        return letter.id, letter.type
    with desk.database.reading() as tables:
        row = tables.one(_TRANSLATED, letter.position, dialect)
    return (row[0], row[1]) if row else None


def translation_of(desk: Desk, project: str, message_id: str) -> int | None:
    """The letter of which a message with this id is a translation."""
    with desk.database.reading() as tables:
        row = tables.one(_BY_ID, message_id, project)
    return row[0] if row else None


class Counts(NamedTuple):
    """How much of everything an office has."""

    letters: int
    agents: int
    projects: int
    unread: int
    pending: int
    retried: int
    held: int
    asked: int


def counts(desk: Desk) -> Counts:
    """How much of everything there is."""
    with desk.database.reading() as tables:
        rows = tables.one(_COUNTS)
    assert rows is not None
    return Counts(*rows)


def unread(desk: Desk, box: int, since: int) -> list[tuple[int, int]]:
    """The letters of agents and people that nobody read in a mailbox, with their priorities."""
    with desk.database.reading() as tables:
        return [(row[0], row[1]) for row in tables.all(_UNREAD, box, since)]


class Placed(NamedTuple):
    """A file that is a letter, its hash, and at which node's folders it is."""

    letter: int
    digest: str
    node: str | None


def placed(desk: Desk, box: int, names: Iterable[str] | None = None) -> dict[str, Placed]:
    """The files of an agent's folder that are letters, or those of these names, by name."""
    with desk.database.reading() as tables:
        if names is None:
            rows = tables.all(_PLACED, box)
        else:
            rows = tables.all(_PLACED + _NAMED, box, json.dumps(list(names)))
    return {row[0]: Placed(*row[1:]) for row in rows}


def asked(desk: Desk) -> list[Asked]:
    """The letters whose answers live peers wait for, as far as is known."""
    with desk.database.reading() as tables:
        return [Asked(*row) for row in tables.all(_ASKED)]


class Box(NamedTuple):
    """A mailbox as carriers see it: where it is, and by which key it is known."""

    id: int
    name: str
    project: str
    kind: str
    carrier: str | None
    key_id: str | None
    node: str | None


def boxes(desk: Desk, project: str | None = None) -> list[Box]:
    """All mailboxes, or those of one project."""
    with desk.database.reading() as tables:
        return [Box(*row) for row in tables.all(_BOXES, project, project)]


def projects(desk: Desk) -> list[str]:
    """The names of all projects."""
    with desk.database.reading() as tables:
        return [row[0] for row in tables.all(_PROJECTS)]


def domains_of(desk: Desk, box: int) -> tuple[str, ...]:
    """What an agent says that it can answer for."""
    with desk.database.reading() as tables:
        return tuple(json.loads(tables.value(_DOMAINS, box) or "[]"))


def has_folders(desk: Desk, project: str) -> bool:
    """Whether an agent of a project has its mail in a folder."""
    with desk.database.reading() as tables:
        return tables.one(_HAS_FOLDERS, project) is not None
