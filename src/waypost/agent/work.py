"""A task as its handler sees it."""

from collections.abc import Awaitable, Callable
from typing import Any

from waypost.agent.desk import Offered
from waypost.dialects.acp.tasks import Taken

Fields = dict[str, Any]
Tell = Callable[[Taken, Fields], Awaitable[None]]


class Task:
    """A task that a peer gave us. Return its outcome, or raise Refused.

    The peer learns that it was taken when `accept` or `progress` is called, or after half a
    second of work; refusing later makes it a failed task.
    """

    def __init__(self, offered: Offered, peer: str, tell: Tell) -> None:
        payload = offered.task.message["payload"]
        self.payload: Fields = payload
        self.task: str = payload["task"]
        self.context: Fields = payload.get("context") or {}
        self.is_urgent: bool = payload.get("priority") == "urgent"
        self.report_back: bool = payload.get("report_back", True)
        self.deadline: float | None = (payload.get("deadline_ms") or 0) / 1000 or None
        self.id: str = offered.task.id
        self.peer, self.peer_id = peer, offered.task.peer
        self._offered, self._tell = offered, tell

    async def accept(self, estimated_ms: int | None = None) -> None:
        """Tell the peer that the task is taken, and how long it may last."""
        self._offered.accept(estimated_ms)

    async def progress(self, text: str, **data: Any) -> None:
        """Tell the peer how far the task is; it counts as taken then. Lost when nobody listens."""
        self._offered.accept()
        told = {**data, "delegation": self.id, "text": text}
        await self._tell(self._offered.task, {"topic": "progress", "data": told})
