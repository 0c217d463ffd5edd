"""What an examination asks: is the file sound, does the clock fit, which letters don't get on.

Nothing here changes anything, and no answer is longer than a person reads.
"""

from typing import NamedTuple

from waypost.office.deciding import Desk
from waypost.office.members import FOLDER, KEY
from waypost.office.states import State

_MOST = 100
_PATIENCE = 10 * 60_000  # how long a letter may wait for its carrier before it counts as stuck
_SOUND = f"PRAGMA quick_check({_MOST})"
_SIZE = ("PRAGMA page_count", "PRAGMA page_size")
_NEWEST = (
    "SELECT max(json_extract(head, '$.at')) FROM"
    " (SELECT head FROM events ORDER BY position DESC LIMIT 1000)"
)
_STUCK = (
    "SELECT letters.id, agents.project, agents.name, deliveries.sent_at, coalesce(tries, 0),"
    " next_at, coalesce(guard, ''), waiting.letter IS NOT NULL FROM agents"
    " JOIN deliveries ON deliveries.agent = agents.id"
    " JOIN letters ON letters.position = deliveries.letter"
    " LEFT JOIN waiting ON waiting.letter = deliveries.letter AND waiting.agent = agents.id"
    f" WHERE state = {State.STORED:d} AND state < 2 AND carrier IN ('{FOLDER}', '{KEY}')"
    " AND (waiting.letter IS NOT NULL OR deliveries.sent_at < ?1)"
    " AND (?2 IS NULL OR agents.project = ?2)"
    f" ORDER BY deliveries.letter LIMIT {_MOST}"
)
_LAPSED = (
    "SELECT id, project, agent, patterns, ends_at FROM reservations"
    " WHERE ends_at <= ?1 AND ends_at > ?2 AND released_by IS NULL"
    f" AND (?3 IS NULL OR project = ?3) ORDER BY id LIMIT {_MOST}"
)


class Stuck(NamedTuple):
    """A letter that its carrier hasn't brought to somebody; `guard` holds it, or it was tried."""

    letter: str
    project: str
    recipient: str
    since: int
    tries: int
    next_at: int | None
    guard: str
    was_tried: bool


class Lapsed(NamedTuple):
    """A lease on files that ended by itself: nobody let go of it."""

    id: int
    project: str
    holder: str
    patterns: str
    ended_at: int


def size(desk: Desk) -> int:
    """How large the database is, in bytes."""
    with desk.database.reading() as tables:
        pages, each = (tables.value(question) for question in _SIZE)
    return int(pages * each)


def flaws(desk: Desk) -> list[str]:
    """What is wrong with the database as a file; reads all of it. Raises UnreadableError."""
    with desk.database.reading() as tables:
        return [row[0] for row in tables.all(_SOUND) if row[0] != "ok"]


def newest(desk: Desk) -> int:
    """When the latest of the newest events happened, as the clock said then; 0 without events."""
    with desk.database.reading() as tables:
        return int(tables.value(_NEWEST) or 0)


def stuck(desk: Desk, now: int, project: str | None = None) -> list[Stuck]:
    """The letters that wait for a carrier or a person, the oldest first."""
    with desk.database.reading() as tables:
        rows = tables.all(_STUCK, now - _PATIENCE, project)
    return [Stuck._make(row) for row in rows]


def lapsed(desk: Desk, now: int, since: int, project: str | None = None) -> list[Lapsed]:
    """The leases that ended by themselves after a time."""
    with desk.database.reading() as tables:
        return [Lapsed._make(row) for row in tables.all(_LAPSED, now, since, project)]
