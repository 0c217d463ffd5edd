"""Who there is, for whoever holds the office's home or shows a token; nothing of any letter."""

from typing import NamedTuple

from waypost.office import members
from waypost.office.callers import Caller, checked_caller
from waypost.office.deciding import Desk
from waypost.office.delivering import PEOPLE
from waypost.office.events import Json

_PROJECTS = "SELECT name FROM projects ORDER BY name LIMIT ?"
_NAMES = f"SELECT name FROM agents WHERE project = ? AND kind != '{PEOPLE}' ORDER BY id LIMIT ?"
_RECENT = "SELECT id FROM letters WHERE project = ? ORDER BY position DESC LIMIT ?"
_MOST = 10_000


class Identity(NamedTuple):
    """Whom the office takes the caller for."""

    agent: str
    project: str
    kind: str
    proof: str

    def to_json(self) -> Json:
        return self._asdict()


def whoami(desk: Desk, caller: Caller) -> Identity:
    """Tell the caller who it is here. Raises NotFoundError when it has no mailbox."""
    checked_caller(caller)
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
    return Identity(me.name, caller.project, me.kind, caller.proof)


def projects(desk: Desk) -> tuple[str, ...]:
    """The names of all projects."""
    with desk.database.reading() as tables:
        return tuple(row[0] for row in tables.all(_PROJECTS, _MOST))


def names(desk: Desk, project: str) -> tuple[str, ...]:
    """The names of a project's agents and people."""
    with desk.database.reading() as tables:
        return tuple(row[0] for row in tables.all(_NAMES, project, _MOST))


def recent(desk: Desk, project: str, limit: int) -> tuple[str, ...]:
    """The ids of a project's newest letters."""
    with desk.database.reading() as tables:
        return tuple(row[0] for row in tables.all(_RECENT, project, limit))
