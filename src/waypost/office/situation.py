"""How things stand: what happened since, and what is due, stuck or large."""

import os
from typing import NamedTuple

from waypost.office import checkup, members
from waypost.office.auditing import Deed, deed_of
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import within
from waypost.office.checkup import Stuck
from waypost.office.deciding import Desk
from waypost.office.events import PROVEN, Entry, Json
from waypost.office.members import Member
from waypost.office.reserving import held_in
from waypost.office.tables import Tables
from waypost.office.views import filled, when

_MOST_EVENTS = 1000
_COUNTS = (
    "SELECT (SELECT count(*) FROM agents WHERE project = ?1 AND kind != 'people'),"
    " (SELECT coalesce(sum(unread), 0) FROM agents WHERE project = ?1),"
    " (SELECT count(*) FROM deliveries JOIN letters ON letters.position = letter"
    "  WHERE deliveries.ack_by <= ?2 AND deliveries.ack_by IS NOT NULL AND state < 3"
    "  AND letters.project = ?1)"
)
_PEOPLES = "SELECT unread FROM agents WHERE project = ? AND kind = 'people'"
_LAST_AT = "SELECT max(active_at) FROM agents WHERE project = ?"


class Status(NamedTuple):
    """A project at a glance; `stuck` is what its carriers or people keep. Sizes are in bytes."""

    project: str
    agents: int
    unread: int
    for_people: int
    overdue: int
    reservations: int
    last_position: int
    active_at: int | None
    sizes: dict[str, int]
    stuck: tuple[Stuck, ...]

    def to_json(self) -> Json:
        stuck = [
            filled({
                "id": one.letter, "to": one.recipient, "since": when(one.since), "tries": one.tries,
                "next_at": when(one.next_at), "guard": one.guard or None,
            })
            for one in self.stuck
        ]  # fmt: skip
        return {**filled(self._asdict()), "active_at": when(self.active_at), "stuck": stuck}


def events(desk: Desk, caller: Caller, after: int = 0, limit: int = 100) -> tuple[Deed, ...]:
    """What happened after a position in the caller's project, as far as the caller may know."""
    checked_caller(caller)
    within(limit, "limit", 1, _MOST_EVENTS)
    within(after, "after", 0, 1 << 62)
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
    seen: list[Deed] = []
    while len(seen) < limit and (entries := desk.journal.read(after, _MOST_EVENTS)):
        seen += [_deed(entry) for entry in entries if _may_know(caller, me, entry)]
        after = entries[-1].position
    return tuple(seen[:limit])


def status(desk: Desk, caller: Caller) -> Status:
    """How the caller's project stands."""
    checked_caller(caller)
    now = desk.world.now()
    with desk.database.reading() as tables:
        members.of_caller(tables, caller)
        agents, unread, overdue = tables.all(_COUNTS, caller.project, now)[0]
        for_people = tables.value(_PEOPLES, caller.project) or 0
        held = len(held_in(tables, caller.project, now))
        active_at = tables.value(_LAST_AT, caller.project)
        sizes = _sizes(tables, desk.database.path)
    return Status(
        caller.project, agents, unread, for_people, overdue, held, desk.journal.last(),
        active_at, sizes, tuple(checkup.stuck(desk, now, caller.project)),
    )  # fmt: skip


def _deed(entry: Entry) -> Deed:
    event = entry.event
    return deed_of(entry.position, {**event._asdict(), "data": dict(event.data)})


def _may_know(caller: Caller, me: Member, entry: Entry) -> bool:
    event = entry.event
    if event.project != caller.project:
        return False
    if caller.proof != PROVEN or me.sees_all or not event.kind.startswith("letter"):
        return True
    boxes = [box for _, box in event.data.get("deliveries", ())]
    return event.actor == me.name or me.id in (*event.data.get("boxes", ()), *boxes)


def _sizes(tables: Tables, path: str) -> dict[str, int]:
    pages, free, size = (tables.value(f"PRAGMA {name}") for name in
                         ("page_count", "freelist_count", "page_size"))  # fmt: skip
    log = path + "-wal"
    return {
        "database": pages * size,
        "free": free * size,
        "log": os.path.getsize(log) if os.path.exists(log) else 0,
    }
