"""Every use-case by name, with JSON in and JSON out: what MCP, HTTP and the command line share.

The functions themselves say which arguments there are and of which type; all that is wrong with
the arguments is told at once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from waypost.errors import Problem, UsageError, quoted
from waypost.letters.names import did_you_mean
from waypost.office import (
    attachments,
    auditing,
    glancing,
    homes,
    inboxes,
    keeping,
    loads,
    looking,
    mending,
    overview,
    pairing,
    people,
    reading,
    registering,
    reopening,
    reserving,
    roster,
    searching,
    sending,
    situation,
    telling,
    threads,
    tracing,
)
from waypost.office.callers import Caller
from waypost.office.events import Json
from waypost.office.office import Office


class Call(NamedTuple):
    """A use-case, and under which name its JSON holds what it lists."""

    function: Callable[..., Any]
    lists: str | None = None


CALLS: Mapping[str, Call] = {
    "register": Call(registering.register),
    "rotate_token": Call(registering.rotate_token),
    "revoke_token": Call(registering.revoke_token),
    "set_rules": Call(registering.set_rules),
    "move": Call(registering.move),
    "whoami": Call(roster.whoami),
    "agents": Call(registering.agents, "agents"),
    "send": Call(sending.send),
    "reply": Call(sending.reply),
    "inbox": Call(inboxes.inbox),
    "newest_unread": Call(inboxes.newest_unread, "position"),
    "read": Call(reading.read),
    "acknowledge": Call(inboxes.acknowledge),
    "done": Call(inboxes.done),
    "thread": Call(threads.thread),
    "settle": Call(inboxes.settle),
    "withdraw": Call(inboxes.withdraw),
    "bring_back": Call(reopening.bring_back),
    "search": Call(searching.search),
    "ask_human": Call(people.ask_human),
    "answer": Call(people.answer),
    "attach": Call(attachments.attach),
    "attachment": Call(attachments.attachment),
    "events": Call(situation.events, "events"),
    "status": Call(situation.status),
    "overview": Call(overview.overview),
    "cluster": Call(homes.cluster),
    "mailbox": Call(looking.mailbox),
    "needs": Call(looking.needs),
    "undelivered": Call(looking.undelivered),
    "retry": Call(mending.retry),
    "redirect": Call(mending.redirect),
    "discard": Call(mending.discard),
    "held_pairs": Call(pairing.held_pairs, "pairs"),
    "hold_pair": Call(pairing.hold_pair),
    "release_pair": Call(pairing.release_pair),
    "deliveries": Call(looking.deliveries, "deliveries"),
    "history": Call(tracing.history, "events"),
    "translations": Call(tracing.translations, "translations"),
    "progress": Call(tracing.progress),
    "context": Call(tracing.context),
    "raw_event": Call(tracing.raw_event),
    "numbers": Call(glancing.numbers),
    "news": Call(glancing.news, "news"),
    "loads": Call(loads.loads, "loads"),
    "traffic": Call(glancing.traffic, "pairs"),
    "claim": Call(telling.claim),
    "log": Call(auditing.log, "events"),
    "redact": Call(auditing.redact),
    "prune": Call(keeping.prune),
    "reserve": Call(reserving.reserve),
    "release": Call(reserving.release),
    "reservations": Call(reserving.reservations, "reservations"),
}


def call(office: Office, name: str, caller: Caller, arguments: Mapping[str, Any]) -> Json:
    """Do what a door was asked to do. Raises only kinds of WaypostError.

    What this node may know too little for, since its journal is away, is marked: `stale`.
    """
    found = CALLS.get(name)
    if found is None:
        hint = did_you_mean(name, CALLS) or "there are " + ", ".join(CALLS)
        raise UsageError(f"nothing at the office is called {quoted(name)}", hint=hint)
    check_arguments(name, arguments)
    given = {key: value for key, value in arguments.items() if value is not None}
    result = found.function(office.desk, caller, **given)
    stale: Json = {"stale": True} if office.desk.journal.is_stale else {}
    if found.lists is None:
        return {**result.to_json(), **stale}
    if isinstance(result, tuple):
        return {found.lists: [one.to_json() for one in result], **stale}
    return {found.lists: result, **stale}


def check_arguments(name: str, arguments: Mapping[str, Any]) -> None:
    """Raises UsageError with every argument that is missing, unknown or of the wrong type."""
    problems = list(_problems(parameters(name), arguments))
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise UsageError(problems[0].message + more, hint=problems[0].hint, problems=problems)


class Parameter(NamedTuple):
    """An argument of a use-case: its type, and whether it can be left out."""

    type: Any
    is_required: bool


@cache
def parameters(name: str) -> Mapping[str, Parameter]:
    """The arguments of a use-case, by name."""
    function = CALLS[name].function
    names = function.__code__.co_varnames[2 : function.__code__.co_argcount]
    optional = len(function.__defaults__ or ())
    required = names[: len(names) - optional]
    return {one: Parameter(function.__annotations__[one], one in required) for one in names}


def _problems(known: Mapping[str, Parameter], given: Mapping[str, Any]) -> Iterator[Problem]:
    for key in given:
        if key not in known:
            hint = did_you_mean(key, known) or "there are " + ", ".join(known)
            yield Problem((key,), "unknown_argument", f"there is no argument {quoted(key)}", hint)
    for key, parameter in known.items():
        value = given.get(key)
        if value is None:
            if parameter.is_required:
                yield Problem((key,), "missing_field", f"{key} is missing")
        elif not fits(value, parameter.type):
            yield Problem((key,), "wrong_type", f"{key} must be {wording(parameter.type)}")


def fits(value: Any, kind: Any) -> bool:
    """Whether a JSON value is of the type that a parameter is annotated with."""
    origin = get_origin(kind)
    if origin in (UnionType, Union):
        return any(fits(value, one) for one in get_args(kind))
    if origin is Sequence:
        return isinstance(value, list) and all(fits(item, get_args(kind)[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, Mapping)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


_WORDS = {str: "text", int: "a whole number", bool: "true or false", Mapping: "an object"}


def wording(kind: Any) -> str:
    """A type in words."""
    origin = get_origin(kind)
    if origin in (UnionType, Union):
        return " or ".join(wording(one) for one in get_args(kind) if one not in (type(None), bytes))
    return "a list of text" if origin is Sequence else _WORDS.get(origin or kind, "a value")
