"""Who has a mailbox: finding one, refusing who isn't there, and who may write to whom."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from waypost.bridge import routing
from waypost.bridge.routing import Book
from waypost.errors import NotAllowedError, NotFoundError, UnknownRecipientError, quoted
from waypost.letters.names import did_you_mean
from waypost.office.callers import Caller
from waypost.office.delivering import PEOPLE
from waypost.office.tables import Row, Tables

AGENT, PERSON = "agent", "person"
EVERYONE = "everyone"  # how a message names all members; "*" as an argument
POSTMASTER = "postmaster"  # who writes to a sender that a letter can't be delivered
AS_WRITTEN = "as-written"  # the choice of a mailbox that reads every dialect
RESERVED = (PEOPLE, EVERYONE, POSTMASTER)
FOLDER, KEY = "folder", "key"  # the carriers that bring letters; to all others they are kept
_COLUMNS = "id, name, kind, rules, key_id, carrier FROM agents"
_ONE = f"SELECT {_COLUMNS} WHERE project = ? AND folded = ?"
_ALL = f"SELECT {_COLUMNS} WHERE project = ? AND kind != '{PEOPLE}' ORDER BY id"
_KNOWN = (
    "SELECT project, name, key_id FROM agents WHERE project IN"
    f" (SELECT project FROM agents WHERE name = ?1 AND kind != '{PEOPLE}' UNION SELECT ?2)"
    " ORDER BY project = ?2 DESC, id LIMIT 10000"
)
_DIALECT = "SELECT json_extract(about, '$.dialect') FROM agents WHERE id = ?"
_NAMES = "SELECT name FROM agents WHERE project = ?"
_HAS_PROJECT = "SELECT name FROM projects WHERE folded = ?"
_PROJECTS = "SELECT name FROM projects"


class Member(NamedTuple):
    """A mailbox, as decisions need it."""

    id: int
    name: str
    kind: str
    rules: Mapping[str, Any]
    key_id: str | None
    carrier: str | None = None

    @property
    def sees_all(self) -> bool:
        """People see every letter of their project, agents those that they wrote or got."""
        return self.kind == PERSON


def find(tables: Tables, project: str, name: str) -> Member | None:
    """The mailbox of this very name, or None."""
    row = tables.one(_ONE, project, name.casefold())
    return _member(row) if row and row[1] == name else None


def of_caller(tables: Tables, caller: Caller) -> Member:
    """The caller's own mailbox. Raises NotFoundError when it has none."""
    member = find(tables, caller.project, caller.agent)
    if member is not None and member.kind != PEOPLE:
        return member
    project_of(tables, caller)
    raise NotFoundError(
        f"{quoted(caller.agent)} has no mailbox in {caller.project}",
        hint=did_you_mean(caller.agent, _names(tables, caller.project)) or "register first",
    )


def dialect_of(tables: Tables, member: Member) -> str | None:
    """The dialect in which a member reads what it fetches; None: each letter as it was written."""
    found = tables.value(_DIALECT, member.id)
    return found if found != AS_WRITTEN else None


def project_of(tables: Tables, caller: Caller) -> str:
    """The caller's project. Raises NotFoundError when nobody has a mailbox in it."""
    if not tables.one(_HAS_PROJECT, caller.project.casefold()):
        projects = [row[0] for row in tables.all(_PROJECTS)]
        raise NotFoundError(
            f"there is no project {quoted(caller.project)}",
            hint=did_you_mean(caller.project, projects)
            or "it is made when its first agent registers",
        )
    return caller.project


def recipients(tables: Tables, sender: Member, project: str, names: Iterable[str]) -> list[Member]:
    """The mailboxes of these names; "*" is everyone but the sender.

    Raises UnknownRecipientError or NotAllowedError for any one of them: nobody gets it then.
    """
    wanted = list(dict.fromkeys(names))
    members: dict[int, Member] = {}
    for name in wanted:
        if name in ("*", EVERYONE):
            found = [_member(row) for row in tables.all(_ALL, project) if row[0] != sender.id]
            if not found:
                raise UnknownRecipientError(f"{sender.name} is alone in {project}")
        else:
            found = [_recipient(tables, sender, project, name)]
        members |= {member.id: member for member in found}
    closed = [member.name for member in members.values() if not _may_write(sender, member)]
    if closed:
        raise NotAllowedError(
            f"{', '.join(closed)} takes no letters from {sender.name}",
            hint="its rules say so; write to somebody else, or ask a person",
        )
    return list(members.values())


def book(tables: Tables, name: str, project: str) -> Book:
    """Whom a member knows: all in its own project, by name or key, and in others where it is."""
    agents: dict[str, list[str]] = {}
    keys = {}
    for at, agent, key_id in tables.all(_KNOWN, name, project):
        agents.setdefault(at, []).append(agent)
        if key_id is not None and at == project:
            keys[agent] = key_id
    return Book(agents, keys)


def _recipient(tables: Tables, sender: Member, project: str, name: str) -> Member:
    member = find(tables, project, name)
    if member is None:
        route = routing.find(book(tables, sender.name, project), name, project)
        member = find(tables, project, route.name)
    assert member is not None
    return member


def _may_write(sender: Member, to: Member) -> bool:
    allowed, denied = to.rules.get("allow"), to.rules.get("deny", ())
    return sender.name not in denied and (allowed is None or sender.name in allowed)


def _names(tables: Tables, project: str) -> list[str]:
    return [row[0] for row in tables.all(_NAMES, project)]


def _member(row: Row) -> Member:
    return Member(row[0], row[1], row[2], json.loads(row[3]) if row[3] != "{}" else {}, *row[4:])
