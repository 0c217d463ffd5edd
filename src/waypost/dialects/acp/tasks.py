"""Delegations between one agent and all its peers: tasks that were sent, and tasks that came. Pure.

A task outlives the connection that brought it, so it is known by its peer and the delegation's id.

The rules
 1. A task that came gets one ack, or one error in its place, on the stream of its delegation. A
    delegation that comes again with the same content gets the same answer; with other content it
    is refused, and the task goes on.
 2. A task that was taken ends once: with one result, or one error that names the delegation; it
    goes over any connection to that peer, best the one that brought the task. Without
    `report_back` nothing is sent.
 3. Refused before the ack, a task ends with `ack{accepted: false}`. Refused later, it has failed.
 4. A cancel gets an ack either way, when the outcome is known: true when the task was stopped,
    which also ends it; false when it had ended, or was never here. A cancel that overtakes its
    delegation is remembered for it.
 5. Of a task that we sent, the first result or error ends it, whether or not the ack was seen, and
    also when the ack came late. What comes after is repeated; what names no task of ours, unasked.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Hashable
from enum import StrEnum
from typing import Any, NamedTuple

from waypost.dialects import json_text
from waypost.dialects.message import Fields

MOST_REMEMBERED = 512  # tasks that have ended, a peer
MOST_OPEN = 1024  # tasks that came and haven't ended, a peer

Way = Hashable  # where an answer goes: the caller's name for one waiting stream


class State(StrEnum):
    OFFERED = "offered"  # no ack yet
    TAKEN = "taken"  # acknowledged; its end is awaited
    ENDED = "ended"


class Reply(NamedTuple):
    """Answer a waiting stream."""

    way: Way
    kind: str
    payload: Fields


class Report(NamedTuple):
    """Tell the peer how the task with this id ended: the way it came if that lasts."""

    peer: str
    kind: str
    payload: Fields
    ref: str
    way: Way


Send = Reply | Report


class Taken:
    """A task that a peer gave us."""

    def __init__(self, peer: str, message: Fields, way: Way) -> None:
        payload = message["payload"]
        self.peer: str = peer
        self.id: str = message["id"]
        self.message = message
        self.report_back: bool = payload.get("report_back", True)
        self.content = _digest(payload)
        self.state = State.OFFERED
        self.answer: tuple[str, Fields] | None = None
        self.waiting: list[Way] = [way]
        self.came: Way = way
        self.cancels: list[Way] = []
        self.holder: Any = None  # the caller's own, while it works on the task


class Sent:
    """A task that we gave to a peer."""

    def __init__(self, peer: str, name: str) -> None:
        self.peer, self.id = peer, name
        self.state = State.OFFERED
        self.end: tuple[str, Fields] | None = None


class _Book:
    """All tasks with one peer."""

    def __init__(self) -> None:
        self.sent: dict[str, Sent] = {}
        self.taken: dict[str, Taken] = {}
        self.ended_sent: OrderedDict[str, None] = OrderedDict()
        self.ended_taken: OrderedDict[str, tuple[bytes, tuple[str, Fields]]] = OrderedDict()
        self.cancelled_ahead: OrderedDict[str, None] = OrderedDict()


class Tasks:
    """The tasks of one local agent."""

    def __init__(self) -> None:
        self._books: dict[str, _Book] = {}

    def _book(self, peer: str) -> _Book:
        return self._books.setdefault(peer, _Book())

    # -- tasks that came -------------------------------------------------------------------

    def offered(self, peer: str, message: Fields, way: Way) -> tuple[Taken | None, list[Send]]:
        """Take in a delegation. The task is given when it is new and somebody must look at it."""
        book, name = self._book(peer), message["id"].lower()
        content = _digest(message["payload"])
        known = book.taken.get(name)
        if (known.content if known else book.ended_taken.get(name, (content,))[0]) != content:
            said = "this id belongs to another task"
            return None, [Reply(way, "error", _error("invalid_envelope", said))]
        if name in book.ended_taken:
            return None, [Reply(way, *book.ended_taken[name][1])]
        if known is not None:
            known.came = way
            if known.answer is not None:
                return None, [Reply(way, *known.answer)]
            known.waiting.append(way)
            return None, []
        return self._new(book, name, Taken(peer, message, way))

    def _new(self, book: _Book, name: str, task: Taken) -> tuple[Taken | None, list[Send]]:
        if name in book.cancelled_ahead:
            del book.cancelled_ahead[name]
            return None, self._end(task, _error("cancelled", "it was cancelled before it came"))
        if len(book.taken) >= MOST_OPEN:
            refusal = _refusal("overloaded", "too many tasks of yours are open here", True)
            return None, [Reply(task.waiting[0], "ack", refusal)]
        book.taken[name] = task
        return task, []

    def accept(self, task: Taken, estimated_ms: int | None = None) -> list[Send]:
        """The task was taken: say so, once."""
        if task.state is not State.OFFERED:
            return []
        task.state = State.TAKEN
        more = {} if estimated_ms is None else {"estimated_ms": estimated_ms}
        return self._answer(task, "ack", {"accepted": True, **more})

    def refuse(self, task: Taken, code: str, message: str, retryable: bool) -> list[Send]:
        """The task isn't done: before the ack that is a refusal, later a failure."""
        if task.state is State.OFFERED:
            return self._end(task, _refusal(code, message, retryable), "ack")
        return self.finish(task, {"status": "failed", "outcome": message, "error": code})

    def finish(self, task: Taken, result: Fields) -> list[Send]:
        """The task has ended with a result."""
        if task.state is State.ENDED:
            return []
        return self.accept(task) + self._end(task, result, "result")

    def ended_by_mail(self, task: Taken, result: Fields) -> list[Send]:
        """The task has ended, and its result goes to the peer in another way."""
        sends = self.accept(task)
        task.report_back = False
        return sends + self.finish(task, result)

    def fail(self, task: Taken, code: str, message: str, retryable: bool = False) -> list[Send]:
        """The task has ended with an error."""
        if task.state is State.ENDED:
            return []
        return self._end(task, _error(code, message, retryable))

    def leave_open(self, task: Taken, message: str) -> list[Send]:
        """The ack doesn't come in time, but the task may be done: say both."""
        if task.state is not State.OFFERED:
            return []
        task.state = State.TAKEN
        return self._answer(task, "error", _error("timeout", message))

    def cancelled(self, peer: str, name: str, way: Way) -> tuple[Taken | None, list[Send]]:
        """Take in a cancel. The task is given when it must be stopped now."""
        book, name = self._book(peer), name.lower()
        task = book.taken.get(name)
        if task is not None:
            task.cancels.append(way)
            return (task if len(task.cancels) == 1 else None), []
        if name in book.ended_taken:
            return None, [_too_late(way, "the task has ended")]
        _remember(book.cancelled_ahead, name, None)
        return None, [_too_late(way, "no such task is here")]

    def stopped(self, task: Taken, reason: str = "") -> list[Send]:
        """The task was stopped because its sender called it off."""
        if task.state is State.ENDED:
            return []
        said = "cancelled" + (f": {reason}" if reason.strip() else "")
        yes: list[Send] = [Reply(way, "ack", {"accepted": True}) for way in task.cancels]
        task.cancels.clear()
        return yes + self._end(task, _error("cancelled", said))

    def _answer(self, task: Taken, kind: str, payload: Fields) -> list[Send]:
        task.answer = (kind, payload)
        ways, task.waiting = task.waiting, []
        return [Reply(way, kind, payload) for way in ways]

    def _end(self, task: Taken, payload: Fields, kind: str = "error") -> list[Send]:
        sends: list[Send] = []
        if task.state is State.OFFERED:
            sends = self._answer(task, kind, payload)
        elif task.report_back:
            sends = [Report(task.peer, kind, payload, task.id, task.came)]
        sends += [_too_late(way, "the task has ended") for way in task.cancels]
        task.state = State.ENDED
        task.cancels.clear()
        book, name = self._book(task.peer), task.id.lower()
        book.taken.pop(name, None)
        _remember(book.ended_taken, name, (task.content, task.answer or (kind, payload)))
        return sends

    # -- tasks that we sent ----------------------------------------------------------------

    def sent(self, peer: str, name: str) -> Sent:
        """Note that a delegation is on its way."""
        task = Sent(peer, name.lower())
        self._book(peer).sent[task.id] = task
        return task

    def acked(self, task: Sent, kind: str, payload: Fields) -> None:
        """The delegation was answered: with an ack, or an error in its place."""
        if task.state is State.OFFERED and kind == "ack" and payload["accepted"]:
            task.state = State.TAKEN
        elif task.state is State.OFFERED and not _may_go_on(kind, payload):
            self._closed(task, (kind, payload))

    def ended(self, peer: str, kind: str, message: Fields) -> Sent | bool:
        """Take in a result, or an error one way: the task that it ends.

        Without one, tells whether the task was ours: True for an end that is repeated, False for
        one that nobody asked for.
        """
        book, name = self._book(peer), message["ref"].lower()
        task = book.sent.get(name)
        if task is None:
            return name in book.ended_sent
        self._closed(task, (kind, message["payload"]))
        return task

    def called_off(self, task: Sent) -> None:
        """The peer has acknowledged our cancel: the task is over."""
        if task.state is not State.ENDED:
            self._closed(task, ("error", _error("cancelled", "cancelled, as asked")))

    def forget(self, task: Sent) -> None:
        """Nobody waits for this task any more; an end that still comes is unasked."""
        self._book(task.peer).sent.pop(task.id, None)

    def open_with(self, peer: str) -> bool:
        """Whether a task with this peer is open, either way."""
        book = self._books.get(peer)
        return book is not None and bool(book.sent or book.taken)

    def _closed(self, task: Sent, end: tuple[str, Fields]) -> None:
        task.state, task.end = State.ENDED, end
        book = self._book(task.peer)
        book.sent.pop(task.id, None)
        _remember(book.ended_sent, task.id, None)


def _may_go_on(kind: str, payload: Fields) -> bool:
    """Whether a delegation may still be done though its ack failed: read, but not answered yet."""
    return kind == "error" and payload["code"] == "timeout" and not payload.get("retryable", False)


def _digest(payload: Fields) -> bytes:
    return hashlib.blake2b(json_text.write(payload).encode(), digest_size=16).digest()


def _error(code: str, message: str, retryable: bool = False) -> Fields:
    return {"code": code, "message": message, "retryable": retryable}


def _refusal(code: str, message: str, retryable: bool) -> Fields:
    return {"accepted": False, **_error(code, message, retryable)}


def _too_late(way: Way, message: str) -> Reply:
    return Reply(way, "ack", _refusal("too_late", message, False))


def _remember(ended: OrderedDict[str, Any], name: str, value: Any) -> None:
    ended[name] = value
    while len(ended) > MOST_REMEMBERED:
        ended.popitem(last=False)
