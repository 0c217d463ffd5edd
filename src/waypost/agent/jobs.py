"""Tasks that we gave to peers, as their giver holds them."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from waypost.agent import payloads
from waypost.agent.values import Progress, Result
from waypost.dialects.acp.tasks import Sent, State
from waypost.errors import TimedOutError, UsageError, WaypostError

if TYPE_CHECKING:
    from waypost.agent.online import Online

Fields = dict[str, Any]
OnProgress = Callable[[Progress], object]


class Job:
    """A task that a peer has taken."""

    def __init__(self, me: "Online", peer: str, sent: Sent, deadline: float | None) -> None:
        self.peer, self.peer_id, self.id = peer, sent.peer, sent.id
        self.estimated_ms: int | None = None
        self._me, self.sent, self._deadline = me, sent, deadline
        self._loop = asyncio.get_running_loop()
        self._end: asyncio.Future[Result] = self._loop.create_future()
        self.on_progress: OnProgress | None = None
        self.report_back = True

    @property
    def is_open(self) -> bool:
        """Whether the task may still end."""
        return self.sent.state is not State.ENDED

    async def result(self, timeout: float | None = None) -> Result:
        """Wait for the task to end; a failed task is a Result with the status failed.

        Without a timeout it waits until the task's deadline, and without one as long as the peer
        can be reached. Raises TimedOutError, LostError, TaskCancelledError, PeerError; and
        UsageError for a task that reports nothing back.
        """
        if not self.report_back:
            raise UsageError(
                "this task was given with report_back=False, so there is no result",
                hint="leave report_back out to get one",
            )
        when = self._loop.time() + timeout if timeout is not None else self._deadline
        try:
            async with asyncio.timeout_at(when):
                return await asyncio.shield(self._end)
        except TimeoutError:
            raise TimedOutError(
                f"{self.peer} did not report the end of the task in time",
                hint="the task may go on: wait again, or cancel it",
                retryable=True,
            ) from None

    def result_so_far(self) -> Result | None:
        """The result, if the task has ended by now. Raises what `result` raises for an error."""
        return None if self.is_open or not self._end.done() else self._end.result()

    async def cancel(self, reason: str = "", *, timeout: float = 10.0) -> bool:
        """Call the task off; tells whether the peer stopped it. False: it had ended before."""
        return await self._me.cancel(self.peer, self.id, reason, timeout=timeout)

    def ended(self) -> None:
        """The task has ended, as its `Sent` tells."""
        if self._end.done() or self.sent.end is None:
            return
        kind, payload = self.sent.end
        if kind == "result":
            self._end.set_result(payloads.result_of(payload))
        elif kind == "ack":
            self.fail(payloads.refusal_of(payload, self.peer))
        else:
            self.fail(payloads.error_of(payload, self.peer))

    def fail(self, error: WaypostError) -> None:
        """End the waiting with an error."""
        if not self._end.done():
            self._end.set_exception(error)
            self._end.exception()  # so that nobody complains if it is never looked at
