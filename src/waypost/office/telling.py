"""Telling people who look away that something needs them: once for each need and person.

Who is to be told of what is *claimed* first, by an event, and told by whoever has the claim. So two
pages, two processes or a restart never tell twice; and a claim whose bearer dies before it could
tell is lost: at most once. What isn't told still stands on the list. The claim is a scope of its
own, so the tables that know where scopes stand know who was told, too.
"""

from typing import NamedTuple

from waypost.office import finding
from waypost.office.callers import Caller
from waypost.office.checks import within
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event, Json
from waypost.office.finding import COLUMNS
from waypost.office.looking import NEEDS, boxes_of, person_of
from waypost.office.members import PERSON
from waypost.office.tables import Row, Tables
from waypost.office.views import Header

MOST_AT_ONCE = 50
_LOOKED_AT = 200  # of what is open, the newest: the older were told of, or nobody could
_NEWEST = (
    f"SELECT {COLUMNS} FROM (SELECT letter {NEEDS} ORDER BY letter DESC LIMIT {_LOOKED_AT})"
    " JOIN letters ON letters.position = letter ORDER BY letter DESC"
)
_PEOPLE = "SELECT project, name FROM agents WHERE kind = ? ORDER BY id"


class Claim(NamedTuple):
    """What one person is to be told of now, by whoever holds this; the oldest first."""

    letters: tuple[Header, ...]

    def to_json(self) -> Json:
        return {"letters": [one.to_json() for one in self.letters]}


def people(desk: Desk) -> tuple[tuple[str, str], ...]:
    """Everybody who can be told, in every project: project and name."""
    with desk.database.reading() as tables:
        return tuple((row[0], row[1]) for row in tables.all(_PEOPLE, PERSON))


def claim(desk: Desk, caller: Caller, limit: int = 10) -> Claim:
    """Take what the caller needs to know and was never told; nobody else gets it again."""
    within(limit, "limit", 1, MOST_AT_ONCE)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        rows = _untold(tables, caller, me.id)[:limit]
    if not rows:
        return Claim(())
    found: list[Row] = []

    def decision(tables: Tables) -> Event | None:
        still = {row[0] for row in _untold(tables, caller, me.id)}
        found[:] = [row for row in rows if row[0] in still]
        told = [[row[0], me.id] for row in found]
        return event_of(caller, "people.told", now, {"told": told}) if told else None

    desk.decide([_scope(row[0], me.id) for row in rows], decision, lambda _: None)
    return Claim(tuple(finding.header_of(row, None, now) for row in found))


def _untold(tables: Tables, caller: Caller, me: int) -> list[Row]:
    """What the caller was never told of, the oldest first."""
    rows = tables.all(_NEWEST, *boxes_of(tables, caller, me))
    return [row for row in reversed(rows) if not tables.position_of(_scope(row[0], me))]


def _scope(letter: int, person: int) -> str:
    return f"told:{letter}/{person}"
