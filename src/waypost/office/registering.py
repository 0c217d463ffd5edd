"""Who has a mailbox: registering under a name that stays, tokens, and whose letters one takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from waypost.bridge.routing import who_can
from waypost.errors import ConflictError, NotAllowedError, NotFoundError, UsageError, quoted
from waypost.letters.domains import is_domain
from waypost.letters.names import did_you_mean
from waypost.office import members
from waypost.office.callers import Caller, checked_caller, checked_name
from waypost.office.checks import free_text, one_line
from waypost.office.deciding import Desk, event_of
from waypost.office.events import PROVEN, Entry, Event, Json, digest
from waypost.office.members import AGENT, AS_WRITTEN, FOLDER, KEY, PERSON, RESERVED
from waypost.office.tables import Row, Tables
from waypost.office.views import Agent, Registered, filled

_ONE = (
    "SELECT name, kind, about, key_id, carrier, token, node FROM agents"
    " WHERE project = ? AND folded = ?"
)
_PROJECT = "SELECT name FROM projects WHERE folded = ?"
_ALL = (
    "SELECT name, kind, unread, registered_at, active_at, about, key_id, carrier,"
    " token IS NOT NULL, rules, node FROM agents WHERE project = ? ORDER BY id"
)
_BY_TOKEN = "SELECT name, project FROM agents WHERE token = ?"
READABLE = ("agentmail", "oacp", AS_WRITTEN)
_MOST_DOMAINS = 50
CARRIERS = ("pickup", FOLDER, KEY)


def register(
    desk: Desk,
    caller: Caller,
    kind: str = AGENT,
    description: str | None = None,
    program: str | None = None,
    model: str | None = None,
    key_id: str | None = None,
    carrier: str | None = None,
    with_token: bool = True,
    dialect: str | None = None,
    domains: Sequence[str] | None = None,
) -> Registered:
    """Give the caller a mailbox in its project, or update what is said of it; the name stays.

    It reads what it fetches in `dialect`, and can answer for `domains`. A new mailbox comes with
    a token, shown once. Raises ConflictError for a name that isn't free.
    """
    checked_caller(caller)
    _check_kind(caller, kind, carrier)
    about = _about(description, program, model) | _abilities(dialect, domains)
    token = desk.world.token() if with_token else None
    facts: Json = filled({"key_id": one_line(key_id, "the key's id"), "carrier": carrier})
    now, here = desk.world.now(), {"node": desk.journal.company.me if _is_bound(facts) else None}

    def decision(tables: Tables) -> Event | Registered:
        opens = _check_project(tables, caller.project)
        row = tables.one(_ONE, caller.project, caller.agent.casefold())
        if row is None:
            hidden = digest(token.encode()) if token else None
            data = {"name": caller.agent, "kind": kind, **facts, **here, "opens": opens or None}
            return event_of(caller, "agent.registered", now, data | {"token": hidden}, about)
        _check_same(row, caller)
        if _says_nothing_new(row, about, facts):
            return Registered(caller.agent, caller.project, is_new=False)
        data = {**facts, **(here if _is_bound_anew(row, facts) else {}), "name": caller.agent}
        return event_of(caller, "agent.changed", now, data, about)

    scopes = [_scope(caller), f"project:{caller.project.casefold()}"]
    return desk.decide(scopes, decision, lambda entry: _registered(entry, token))


def _registered(entry: Entry, token: str | None) -> Registered:
    is_new = entry.event.kind == "agent.registered"
    whom = entry.event.data["name"], entry.event.project
    return Registered(*whom, is_new, token if is_new else None)


def move(desk: Desk, caller: Caller, name: str, node: str) -> Registered:
    """Have an agent live at another node; its name, token and mail go with it.

    Raises NotFoundError for a node that was never there.
    """
    if not isinstance(name, str) or not isinstance(node, str):
        raise UsageError("a name and a node are text")
    standing = desk.journal.company.standing()
    known = [one.name for one in standing.nodes]
    if node not in known:
        hint = did_you_mean(node, known) or ", ".join(known) or "this office is on one machine"
        raise NotFoundError(f"there is no node {quoted(node)}", hint=hint)
    _change(desk, caller, name, {"node": node})
    return Registered(name, caller.project, is_new=False)


def rotate_token(desk: Desk, caller: Caller, name: str | None = None) -> Registered:
    """A new token for an agent; the old one is worth nothing any more."""
    token = desk.world.token()
    _change(desk, caller, name, {"token": digest(token.encode())})
    return Registered(name or caller.agent, caller.project, is_new=False, token=token)


def revoke_token(desk: Desk, caller: Caller, name: str | None = None) -> Registered:
    """Take an agent's token away; its mailbox and its name stay."""
    _change(desk, caller, name, {"token": ""})
    return Registered(name or caller.agent, caller.project, is_new=False)


def set_rules(
    desk: Desk,
    caller: Caller,
    allow: Sequence[str] | None = None,
    deny: Sequence[str] | None = None,
) -> Registered:
    """Say whose letters the caller takes: of the allowed, if any are named; none of the denied."""
    rules = {}
    for key, names in (("allow", allow), ("deny", deny)):
        if names is not None:
            rules[key] = [checked_name(name, "agent") for name in names]
    _change(desk, caller, None, {"rules": rules})
    return Registered(caller.agent, caller.project, is_new=False)


def agents(desk: Desk, caller: Caller, domain: str | None = None) -> tuple[Agent, ...]:
    """Everybody in the project; or those who can answer for a domain, the closest first."""
    checked_caller(caller)
    with desk.database.reading() as tables:
        members.of_caller(tables, caller)
        rows = tables.all(_ALL, caller.project)
    everybody = {row[0]: _agent(row) for row in rows}
    if domain is None:
        return tuple(everybody.values())
    declared = {name: one.about.get("domains", ()) for name, one in everybody.items()}
    return tuple(everybody[name] for name in who_can(declared, domain))


def authenticate(desk: Desk, token: str, door: str) -> Caller:
    """Whose token this is, as a proven caller. Raises NotAllowedError."""
    with desk.database.reading() as tables:
        row = tables.one(_BY_TOKEN, digest(token.encode("utf-8", "surrogatepass")))
    if row is None:
        raise NotAllowedError(
            "this token isn't known", hint="it may have been rotated or revoked; ask for a new one"
        )
    return Caller(row[0], row[1], door, PROVEN)


def _change(desk: Desk, caller: Caller, name: str | None, data: Json) -> None:
    checked_caller(caller)
    now = desk.world.now()

    def decision(tables: Tables) -> Event | None:
        me = members.of_caller(tables, caller)
        whom = members.of_caller(tables, caller._replace(agent=name or caller.agent))
        if whom.id != me.id and caller.proof == PROVEN and me.kind != PERSON:
            raise NotAllowedError(f"{caller.agent} may change only its own mailbox")
        return event_of(caller, "agent.changed", now, {"name": whom.name, **data})

    scope = _scope(caller._replace(agent=name or caller.agent))
    desk.decide([scope], decision, lambda _: None)


def _is_bound(facts: Json) -> bool:
    """Whether an agent's mail comes through something of this node: a folder, or a key."""
    return facts.get("carrier") == FOLDER or "key_id" in facts


def _is_bound_anew(row: Row, facts: Json) -> bool:
    """Whether what binds an agent to a place is another than before."""
    return bool(row[3:5] != (facts.get("key_id", row[3]), facts.get("carrier", row[4])))


def _scope(caller: Caller) -> str:
    return f"name:{caller.project}/{caller.agent.casefold()}"


def _about(description: str | None, program: str | None, model: str | None) -> Json:
    """What is said of an agent, as far as anything is."""
    told = free_text(description, "the description", 2000).strip()
    kind = {"program": one_line(program, "the program"), "model": one_line(model, "the model")}
    return filled({"description": told, **kind})


def _abilities(dialect: str | None, domains: Sequence[str] | None) -> Json:
    """What an agent reads and knows, as far as it is said. Raises UsageError."""
    if dialect is not None and dialect not in READABLE:
        raise UsageError(
            f"no mailbox reads {quoted(dialect)}",
            hint=f"{', '.join(READABLE)}; ACP is spoken between keys, by agents that are live",
        )
    told: Json = {} if dialect is None else {"dialect": dialect}
    if domains is not None:
        wrong = [name for name in domains if not is_domain(name)]
        if wrong or len(domains) > _MOST_DOMAINS:
            raise UsageError(
                f"{quoted(wrong[0])} is no domain" if wrong else f"at most {_MOST_DOMAINS} domains",
                hint="a domain is words with dots between them, like family.calendar",
            )
        told["domains"] = list(domains)
    return told


def _check_kind(caller: Caller, kind: str, carrier: str | None) -> None:
    if kind not in (AGENT, PERSON):
        raise UsageError(f"a mailbox is for an {AGENT} or a {PERSON}, not for {quoted(kind)}")
    if carrier is not None and carrier not in CARRIERS:
        raise UsageError(f"no carrier is called {quoted(carrier)}", hint=", ".join(CARRIERS))
    if caller.agent.casefold() in RESERVED:
        raise ConflictError(
            f"the name {quoted(caller.agent)} is kept for the office", hint="choose another"
        )


def _check_project(tables: Tables, project: str) -> bool:
    """Whether the project is new. Raises ConflictError when only the case differs from one."""
    row = tables.one(_PROJECT, project.casefold())
    if row is not None and row[0] != project:
        raise ConflictError(
            f"there is a project {quoted(row[0])}, which differs only in case",
            hint=f"say {row[0]}, or choose a name that is different",
        )
    return row is None


def _check_same(row: Row, caller: Caller) -> None:
    if row[0] != caller.agent:
        raise ConflictError(
            f"{row[0]} has a mailbox in {caller.project}, and differs only in case",
            hint=f"say {row[0]}, or choose a name that is different",
        )


def _says_nothing_new(row: Row, about: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
    known = json.loads(row[2]) | {"key_id": row[3], "carrier": row[4]}
    return all(known.get(key) == value for key, value in {**about, **facts}.items())


def _agent(row: Row) -> Agent:
    about, rules = json.loads(row[5]), json.loads(row[9])
    where = row[6], row[7], bool(row[8])
    return Agent(row[0], row[1], row[2], row[3], row[4], about, *where, rules, row[10])
