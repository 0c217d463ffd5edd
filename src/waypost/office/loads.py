"""How much lies on agents: since when they have mail unread, and what waits for their yes or no."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from waypost.errors import UsageError
from waypost.office.callers import Caller
from waypost.office.checks import names_of
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.looking import person_of
from waypost.office.views import filled, when

MOST_AT_ONCE = 200
_RECENT = 2000
# One look into the index for each mailbox and each of its eight ranks.
_OLDEST = (
    "SELECT name, unread, (SELECT min((SELECT sent_at FROM deliveries INDEXED BY unread"
    "  WHERE agent = agents.id AND rank = ranks.value AND state < 2 ORDER BY sent_at LIMIT 1))"
    "  FROM json_each('[0,1,2,3,4,5,6,7]') AS ranks), agents.id"
    " FROM agents WHERE project = ?1 AND name IN (SELECT value FROM json_each(?2))"
)
_AWAITED = (
    "SELECT agent, count(*) FROM (SELECT letter, agent FROM deliveries"
    " JOIN letters ON letters.position = letter WHERE deliveries.ack_by IS NOT NULL AND state < 3"
    " AND project = ?1 UNION SELECT letter, agent FROM letters"
    " JOIN deliveries ON letter = letters.position WHERE wants_ack AND state < 3 AND project = ?1"
    " AND letters.position > (SELECT max(position) FROM letters) - ?2) GROUP BY agent"
)


class Load(NamedTuple):
    """What lies on one agent: unread letters, since when the oldest, and what it owes a word on."""

    name: str
    unread: int
    oldest_at: int | None
    awaited: int

    def to_json(self) -> Json:
        shown = {"name": self.name, "unread": self.unread, "awaited": self.awaited}
        return {**shown, **filled({"oldest_at": when(self.oldest_at)})}


def loads(desk: Desk, caller: Caller, names: str | Sequence[str]) -> tuple[Load, ...]:
    """The load of each agent named. Of letters that want a yes or no, the newest 2,000 count."""
    wanted = names_of(names)
    if len(wanted) > MOST_AT_ONCE:
        raise UsageError(f"name at most {MOST_AT_ONCE} agents")
    with desk.database.reading() as tables:
        person_of(tables, caller)
        rows = tables.all(_OLDEST, caller.project, json.dumps(wanted))
        owed = dict(map(tuple, tables.all(_AWAITED, caller.project, _RECENT)))
    return tuple(Load(name, unread, at, owed.get(box, 0)) for name, unread, at, box in rows)
