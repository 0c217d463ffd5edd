"""The situation of a project: who has how much to read, who waits for whom, who holds what.

Everybody sees how much others have to read, but letters only where they wrote or got them.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from waypost.letters.priority import Priority
from waypost.office import members
from waypost.office.asking import ASKING
from waypost.office.callers import Caller, checked_caller
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.finding import COLUMNS, WIDTH, header_of
from waypost.office.members import Member
from waypost.office.reserving import Reservation, held_in
from waypost.office.tables import Row, Tables
from waypost.office.views import Header, filled

_MOST_WAITING = 50
_RECENT = 2000  # how many of the newest letters are looked at for open questions
_UNREAD = (
    "SELECT agents.name, kind, rank / 2, count(*) FROM agents LEFT JOIN deliveries"
    " ON deliveries.agent = agents.id AND state < 2"
    " WHERE agents.project = ? GROUP BY agents.id, rank / 2 ORDER BY agents.id, rank / 2"
)
_OPEN = (
    f"SELECT {COLUMNS}, agents.name, agents.id FROM letters"
    " JOIN deliveries ON deliveries.letter = letters.position"
    " JOIN agents ON agents.id = deliveries.agent"
    " WHERE letters.project = ?1 AND deliveries.state < 3"
    " AND (letters.wants_ack OR letters.type IN (SELECT value FROM json_each(?2)))"
    " AND {} ORDER BY letters.position"
)
_OPEN_RECENT = _OPEN.format(
    "letters.position >= (SELECT min(position) FROM"
    " (SELECT position FROM letters ORDER BY position DESC LIMIT ?3))"
)
_OPEN_OVERDUE = _OPEN.format(
    "letters.position IN (SELECT letter FROM deliveries WHERE ack_by IS NOT NULL"
    " AND ack_by <= ?3 AND state < 3 ORDER BY ack_by LIMIT 200)"
)


class Waiting(NamedTuple):
    """A letter that waits for an answer or an acknowledgement, and from whom."""

    header: Header
    owing: tuple[str, ...]

    def to_json(self) -> Json:
        shown = {**self.header.to_json(), "to": list(self.header.to), "owing": list(self.owing)}
        return {key: value for key, value in shown.items() if key != "state"}


class Unread(NamedTuple):
    """How much somebody has to read, by the word of each priority."""

    name: str
    kind: str
    unread: Mapping[str, int]

    def to_json(self) -> Json:
        return filled({**self._asdict(), "unread": dict(self.unread)})


class Overview(NamedTuple):
    """A project at a glance."""

    project: str
    agents: tuple[Unread, ...]
    waiting: tuple[Waiting, ...]
    reservations: tuple[Reservation, ...]

    def to_json(self) -> Json:
        return {
            "project": self.project,
            "agents": [one.to_json() for one in self.agents],
            "waiting": [one.to_json() for one in self.waiting],
            "reservations": [one.to_json() for one in self.reservations],
        }


def overview(desk: Desk, caller: Caller) -> Overview:
    """How the caller's project stands, overdue letters first."""
    checked_caller(caller)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        agents = _agents(tables, caller.project)
        waiting = list(_waiting(tables, caller.project, me, now))
        held = tuple(held_in(tables, caller.project, now))
    waiting.sort(key=lambda one: (not one.header.is_overdue, one.header.sent_at))
    return Overview(caller.project, agents, tuple(waiting[:_MOST_WAITING]), held)


def _agents(tables: Tables, project: str) -> tuple[Unread, ...]:
    found: dict[str, Unread] = {}
    counts: dict[str, dict[str, int]] = {}
    for name, kind, priority, count in tables.all(_UNREAD, project):
        found.setdefault(name, Unread(name, kind, counts.setdefault(name, {})))
        if priority is not None:
            counts[name][Priority(priority).word] = count
    return tuple(found.values())


def _waiting(tables: Tables, project: str, me: Member, now: int) -> Iterator[Waiting]:
    kinds = _json_list(ASKING)
    found: dict[int, list[Row]] = {}
    for query, bound in ((_OPEN_RECENT, _RECENT), (_OPEN_OVERDUE, now)):
        rows = tables.all(query, project, kinds, bound)
        fresh = [row for row in rows if row[0] not in found]
        for row in fresh:
            found.setdefault(row[0], []).append(row)
    for rows in found.values():
        if me.sees_all or rows[0][2] == me.name or me.id in [row[WIDTH + 1] for row in rows]:
            header = header_of(rows[0], None, now)
            is_overdue = header.ack_by is not None and header.ack_by <= now
            header = header._replace(is_overdue=is_overdue)
            yield Waiting(header, tuple(row[WIDTH] for row in rows))


def _json_list(words: tuple[str, ...]) -> str:
    return '["' + '","'.join(words) + '"]'
