"""Reserving files: leases on patterns, granted, renewed, released; who holds what.

Two reservations of different agents conflict when their modes do and some path matches both. All
decisions about one project's files share a scope, so that of many who ask at once one is first.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from waypost.dialects.agentmail.modes import MODES, conflict, mode_meant
from waypost.dialects.agentmail.overlap import beginning, matches, overlap
from waypost.errors import FilesHeldError, NotAllowedError, NotFoundError, UsageError, quoted
from waypost.letters.names import did_you_mean
from waypost.office import members
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import free_text, one_line, required_text, within
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Entry, Event, Json
from waypost.office.tables import Tables
from waypost.office.views import filled, when

TYPE = "file_reservation"
LONGEST_LEASE = 7 * 24 * 60
MOST_PATTERNS = 100
_DEFAULT_MINUTES = 60
_COLUMNS = "id, agent, mode, patterns, task_id, reason, begins_at, ends_at FROM reservations"
_HELD = f"SELECT {_COLUMNS} WHERE project = ? AND ends_at > ? ORDER BY id LIMIT ?"
_MOST_HELD = 10_000


class Reservation(NamedTuple):
    """Files that an agent holds until a time."""

    id: int
    holder: str
    mode: str
    patterns: tuple[str, ...]
    task_id: str | None
    reason: str
    begins_at: int
    ends_at: int

    def to_json(self) -> Json:
        head = {"id": self.id, "holder": self.holder, "mode": self.mode}
        rest = {"patterns": list(self.patterns), "until": when(self.ends_at)}
        return filled({**head, **rest, "reason": self.reason, "task_id": self.task_id})


class Released(NamedTuple):
    """What is free now."""

    released: tuple[Reservation, ...]

    def to_json(self) -> Json:
        return {"released": [held.to_json() for held in self.released]}


def scope_of(project: str) -> str:
    """The scope of everything that is held in a project."""
    return f"reservations:{project}"


def reserve(
    desk: Desk,
    caller: Caller,
    patterns: Sequence[str],
    mode: str = "exclusive",
    minutes: int = _DEFAULT_MINUTES,
    reason: str | None = None,
    task_id: str | None = None,
) -> Reservation:
    """Hold files for a while; asking again for the same renews. Raises FilesHeldError."""
    checked_caller(caller)
    request = {"mode": mode, "file_patterns": list(patterns), "duration_minutes": minutes}
    fields = {"reservation_request": request, "task_id": one_line(task_id, "the task's id")}
    request["reason"] = free_text(reason, "the reason", 1000)
    now = desk.world.now()

    def decision(tables: Tables) -> Event | Reservation:
        members.of_caller(tables, caller)
        data, why = asked(tables, caller, fields, now)
        return event_of(caller, "files.reserved", now, data, {"reason": why} if why else None)

    def shown(entry: Entry) -> Reservation:
        return _of_entry(entry, entry.event.data)

    return desk.decide([scope_of(caller.project)], decision, shown)


def asked(tables: Tables, caller: Caller, fields: Mapping[str, Any], now: int) -> tuple[Json, str]:
    """What is granted to whoever asks so, and the reason given. Raises FilesHeldError."""
    request = fields["reservation_request"]
    patterns = _checked_patterns(request["file_patterns"])
    mode = _checked_mode(request["mode"])
    length = within(int(request.get("duration_minutes", _DEFAULT_MINUTES)), "minutes", 1,
                    LONGEST_LEASE)  # fmt: skip
    held = held_in(tables, caller.project, now)
    if len(held) >= _MOST_HELD:
        raise UsageError(f"{caller.project} holds {_MOST_HELD:,} reservations already")
    found = list(_conflicts(held, caller.agent, mode, patterns))
    if found:
        offered = [*_wishes(fields.get("alternatives")), *({"pattern": p, "mode": mode} for p in
                   patterns if len(patterns) > 1)]  # fmt: skip
        raise _refusal(found, _still_free(held, caller.agent, offered), now)
    renewed = [one for one in held if one.holder == caller.agent and one.mode == mode
               and set(one.patterns) <= set(patterns)]  # fmt: skip
    task_id = fields.get("task_id") or next((one.task_id for one in renewed if one.task_id), None)
    why = request.get("reason") or next((one.reason for one in renewed if one.reason), "")
    data = {"mode": mode, "patterns": patterns, "ends_at": now + length * 60_000}
    data |= {"renews": [one.id for one in renewed], "task_id": task_id}
    return filled(data), str(why)


def granted(entry: Entry, data: Mapping[str, Any]) -> Json:
    """What was granted by an entry, for the one who asked."""
    return _of_entry(entry, data).to_json()


def release(
    desk: Desk,
    caller: Caller,
    patterns: Sequence[str] | None = None,
    reservation: int | None = None,
    force: bool = False,
    reason: str | None = None,
) -> Released:
    """Let go of what is named, or of all of the caller's own; `force` with a reason takes others'.

    Raises NotFoundError, NotAllowedError.
    """
    checked_caller(caller)
    now = desk.world.now()
    wanted = None if patterns is None else set(patterns)
    is_named = wanted is not None or reservation is not None
    if force and not is_named:
        raise UsageError("say which reservation to force", hint="waypost reservations")
    why = (required_text if force else free_text)(reason, "the reason", 1000)
    chosen: list[Reservation] = []

    def decision(tables: Tables) -> Event | Released:
        members.of_caller(tables, caller)
        meant = [
            one for one in held_in(tables, caller.project, now)
            if (reservation is None or one.id == reservation)
            and (wanted is None or wanted & set(one.patterns))
        ]  # fmt: skip
        own = [one for one in meant if one.holder == caller.agent]
        chosen[:] = meant if force or (is_named and not own) else own
        if not chosen and not is_named:
            return Released(())
        is_forced = _check_release(chosen, caller.agent, force)
        data = {"reservations": [one.id for one in chosen], "forced": is_forced or None}
        return event_of(caller, "files.released", now, data, {"reason": why} if why else None)

    return desk.decide([scope_of(caller.project)], decision, lambda _: Released(tuple(chosen)))


def _check_release(chosen: Sequence[Reservation], agent: str, force: bool) -> bool:
    """Whether somebody else's is among them. Raises NotFoundError, NotAllowedError."""
    if not chosen:
        raise NotFoundError("no such reservation is held", hint="it may have ended by itself")
    holder = next((one.holder for one in chosen if one.holder != agent), None)
    if holder is not None and not force:
        hint = "ask for it, or force it with a reason"
        raise NotAllowedError(f"{holder} holds that", hint=hint)
    return holder is not None


def reservations(desk: Desk, caller: Caller, path: str | None = None) -> tuple[Reservation, ...]:
    """What is held in the caller's project now: all, or what touches a path or pattern."""
    checked_caller(caller)
    with desk.database.reading() as tables:
        project = members.project_of(tables, caller)  # also people may ask, who have no mailbox
        held = held_in(tables, project, desk.world.now())
    if path is None:
        return tuple(held)
    return tuple(one for one in held if any(touches(pattern, path) for pattern in one.patterns))


def touches(pattern: str, path: str) -> bool:
    """Whether a held pattern has to do with a path, which may be a pattern itself."""
    return matches(pattern, path) or overlap(pattern, path) is not None


def held_in(tables: Tables, project: str, now: int) -> list[Reservation]:
    """Every lease of a project that hasn't ended."""
    rows = tables.all(_HELD, project, now, _MOST_HELD)
    return [Reservation._make([*row[:3], tuple(json.loads(row[3])), *row[4:]]) for row in rows]


def _conflicts(
    held: Sequence[Reservation], agent: str, mode: str, patterns: Sequence[str]
) -> Iterator[tuple[Reservation, str, str]]:
    """Every lease in the way, with the pattern that is, and a path that both want."""
    starts = [(pattern, beginning(pattern)) for pattern in patterns]
    for one in held:
        if one.holder == agent or not conflict(one.mode, mode):
            continue
        for theirs in one.patterns:
            start = beginning(theirs)
            for ours, own in starts:
                may_meet = own.startswith(start) or start.startswith(own)
                if may_meet and (path := overlap(ours, theirs)) is not None:
                    yield one, theirs, path
                    break


def _refusal(
    found: Sequence[tuple[Reservation, str, str]], free: list[Json], now: int
) -> FilesHeldError:
    first, pattern, _ = found[0]
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    instead = ", take one of the alternatives," if free else ""
    hint = f"ask {first.holder}{instead} or wait until {when(first.ends_at)}"
    if first.begins_at > now + 300_000:
        hint = "that lease begins in the future: a clock was changed; force its release"
    return FilesHeldError(
        f"{first.holder} holds {quoted(pattern)} ({first.mode}) until {when(first.ends_at)}{more}",
        hint=hint,
        retryable=True,
        conflicts=[
            filled({"holder": one.holder, "pattern": theirs, "mode": one.mode, "path": at,
                    "until": when(one.ends_at), "reason": one.reason, "id": one.id})
            for one, theirs, at in found[:100]
        ],
        alternatives=free,
    )  # fmt: skip


def _wishes(alternatives: object) -> Iterator[Json]:
    listed = alternatives if isinstance(alternatives, list) else []
    for other in listed[:MOST_PATTERNS]:
        if isinstance(other, Mapping) and isinstance(other.get("pattern"), str):
            yield {"mode": "shared_read", **other}


def _still_free(held: Sequence[Reservation], agent: str, offered: Sequence[Json]) -> list[Json]:
    """Those of the alternatives that could be had now."""
    free = []
    for other in offered:
        mode = mode_meant(str(other["mode"]))
        if mode in MODES and not any(_conflicts(held, agent, mode, [other["pattern"]])):
            free.append({"note": "free now", **other, "mode": mode})
    return free


def _of_entry(entry: Entry, data: Mapping[str, Any]) -> Reservation:
    texts = entry.event.texts or {}
    return Reservation(
        entry.position, entry.event.actor, data["mode"], tuple(data["patterns"]),
        data.get("task_id"), texts.get("reason", ""), entry.event.at, data["ends_at"],
    )  # fmt: skip


def _checked_mode(word: str) -> str:
    mode = mode_meant(word)
    if mode not in MODES:
        near = did_you_mean(str(word), MODES)
        raise UsageError(f"no mode is called {quoted(word)}", hint=near or ", ".join(MODES))
    return mode


def _checked_patterns(patterns: Sequence[str]) -> list[str]:
    listed = list(dict.fromkeys(patterns))
    if not 1 <= len(listed) <= MOST_PATTERNS:
        raise UsageError(f"name 1 to {MOST_PATTERNS} patterns of files")
    for pattern in listed:
        beginning(pattern)  # which refuses what is no sound pattern
    return listed
