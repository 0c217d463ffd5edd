"""What an agent's handlers are given, and what its calls give back: plain values."""

from typing import Any, NamedTuple

from waypost.errors import WaypostError


class Query(NamedTuple):
    """A question of a peer. `deadline` is in seconds from when it came."""

    question: str
    domain: str | None
    max_tokens: int
    deadline: float
    peer: str
    peer_id: str
    id: str
    payload: dict[str, Any]


class Note(NamedTuple):
    """What a peer notified us of."""

    topic: str
    data: Any
    importance: str
    peer: str
    peer_id: str
    id: str
    payload: dict[str, Any]


class Progress(NamedTuple):
    """How far a task of ours is, in its worker's words."""

    text: str
    data: dict[str, Any]


class Answer(NamedTuple):
    """What a peer answered to a question."""

    summary: str
    data: Any = None
    tokens_used: int | None = None
    truncated: bool = False


class Result(NamedTuple):
    """How a task ended: status is completed, failed or partial."""

    outcome: str
    data: Any = None
    status: str = "completed"
    error: str | None = None


class Ended(NamedTuple):
    """A result that no job here waits for: its job gave up, or another process sent the task.

    `error` is set in place of `result` when the task ended with an error of the protocol.
    """

    id: str
    peer: str
    peer_id: str
    result: Result | None
    error: WaypostError | None
    payload: dict[str, Any]


class Status(NamedTuple):
    """How a peer is: idle, busy or overloaded."""

    status: str
    uptime_secs: int | None
    active_tasks: int | None
    agent_name: str | None
    round_trip: float


class Capabilities(NamedTuple):
    """What a peer says it can do. `agent_name` is what it calls itself: for show only."""

    peer: str
    peer_id: str
    agent_name: str | None = None
    domains: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    max_concurrent_tasks: int | None = None
    model: str | None = None


class Delivery(NamedTuple):
    """Whom a notification was sent to, and whom it couldn't be sent to, by name."""

    sent: tuple[str, ...]
    failed: dict[str, WaypostError]
