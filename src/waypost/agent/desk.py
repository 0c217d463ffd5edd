"""What answers for a local agent, as the plumbing sees it: a desk.

A desk is handed a query or a task and answers whenever it can: at once, from a handler, or much
later, from a mailbox. It is called in the event loop and must not block.
"""

from collections.abc import Callable
from typing import Any, Protocol

from waypost.dialects.acp.tasks import Send, State, Taken, Tasks

Fields = dict[str, Any]


class Asked:
    """A query that waits for its answer: answer it once. Later answers do nothing."""

    __slots__ = ("_reply", "deadline", "is_open", "message", "peer")

    def __init__(
        self, peer: str, message: Fields, deadline: float, reply: Callable[[str, Fields], None]
    ) -> None:
        self.peer, self.message, self.deadline = peer, message, deadline
        self.is_open = True
        self._reply = reply

    def answer(self, payload: Fields) -> None:
        """Answer with a response. Raises InvalidMessageError, and then it is still open."""
        if self.is_open:
            self._reply("response", payload)
            self.is_open = False

    def fail(self, code: str, message: str, retryable: bool = False) -> None:
        """Answer with an error."""
        if self.is_open:
            self.is_open = False
            self._reply("error", {"code": code, "message": message, "retryable": retryable})


class Offered:
    """A task that a peer gave us, from its offer to its end."""

    __slots__ = ("_check", "_send", "_tasks", "deadline", "task")

    def __init__(
        self,
        task: Taken,
        deadline: float,
        tasks: Tasks,
        send: Callable[[list[Send]], None],
        check: Callable[[Taken, Fields], None],
    ) -> None:
        self.task, self.deadline = task, deadline
        self._tasks, self._send, self._check = tasks, send, check

    @property
    def is_waiting(self) -> bool:
        """Whether the peer waits for the ack."""
        return self.task.state is State.OFFERED

    @property
    def is_open(self) -> bool:
        return self.task.state is not State.ENDED

    def accept(self, estimated_ms: int | None = None) -> None:
        """Say that the task was taken."""
        self._send(self._tasks.accept(self.task, estimated_ms))

    def refuse(self, code: str, message: str, retryable: bool = False) -> None:
        """Say that the task isn't done; once it was taken, that is a failure."""
        self._send(self._tasks.refuse(self.task, code, message, retryable))

    def finish(self, result: Fields) -> None:
        """End the task with a result. Raises InvalidMessageError, and then it is still open."""
        self._check(self.task, result)
        self._send(self._tasks.finish(self.task, result))

    def ended_by_mail(self, result: Fields) -> None:
        """End the task; its result goes to the peer in another way."""
        self._send(self._tasks.ended_by_mail(self.task, result))

    def fail(self, code: str, message: str, retryable: bool = False) -> None:
        """End the task with an error."""
        self._send(self._tasks.fail(self.task, code, message, retryable))

    def leave_open(self, message: str) -> None:
        """Tell the peer to wait for the ack no more; a result may still come."""
        self._send(self._tasks.leave_open(self.task, message))

    def stopped(self, reason: str = "") -> None:
        """Say that the task was stopped because its sender cancelled it."""
        self._send(self._tasks.stopped(self.task, reason))


class Desk(Protocol):
    """Who answers for a local agent."""

    def hello(self) -> Fields:
        """What our hello says beside the version."""

    def pong(self) -> Fields:
        """The payload that answers a ping, at once."""

    def capabilities(self) -> Fields:
        """The payload that answers a discover, at once."""

    def query(self, asked: Asked) -> None:
        """A peer asks."""

    def given_up(self, asked: Asked) -> None:
        """Nobody waits for the answer any more; when its time is over, an error is sent for us."""

    def delegate(self, offered: Offered) -> None:
        """A peer offers a task."""

    def overdue(self, offered: Offered) -> None:
        """The time for the ack is over; if nothing is said now, `timeout` is."""

    def stop(self, offered: Offered, message: Fields) -> None:
        """The peer cancels its task: stop it, and call `stopped` when it is."""

    def notify(self, peer: str, message: Fields) -> None:
        """A peer tells something."""

    def result(self, peer: str, kind: str, message: Fields) -> None:
        """A result or error came that no job here waits for."""
