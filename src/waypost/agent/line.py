"""One live connection: a link, and the channel that knows the rules of what it carries.

A line keeps the handles of the streams that wait, and one timer for all their deadlines.
"""

import asyncio
import time
from collections.abc import Callable
from os import urandom
from typing import Any

from waypost.carriers.links import Link, Waiting
from waypost.dialects.acp.channel import Channel
from waypost.dialects.acp.events import Answer, Dropped
from waypost.dialects.acp.wire import Stamp
from waypost.errors import PeerError, TimedOutError

Fields = dict[str, Any]
_TICK = 0.002  # a timer may ring a little early


def new_stamp() -> Stamp:
    """Ask the world for a fresh id, a UUID of version 4, and the time."""
    digits = urandom(16).hex()  # the standard library's class takes thrice as long
    variant = "89ab"[int(digits[16], 16) & 3]
    fresh = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
    return Stamp(fresh, time.time_ns() // 1_000_000)


class Line:
    """A link with its channel, and what waits on either side of it."""

    def __init__(
        self, link: Link, channel: Channel, overdue: Callable[["Line", int, str], None]
    ) -> None:
        self.link, self.channel = link, channel
        self.waiting: dict[int, Waiting] = {}
        self.held: list[tuple[Waiting | None, bytes]] = []
        self.opened_at = asyncio.get_running_loop().time()
        self.is_retired = False
        self._loop = asyncio.get_running_loop()
        self._windows: dict[str, asyncio.Timeout] = {}
        self._early: dict[str, Answer] = {}
        self._overdue = overdue
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0  # uvloop's handles don't know, when their time has come already
        self.arm(channel.hello_by)

    @property
    def is_ready(self) -> bool:
        """Whether it can be used: the hello is done, and the link stands."""
        return self.channel.is_ready and self.link.is_open

    @property
    def is_busy(self) -> bool:
        return bool(self._windows or self.waiting)

    # -- our exchanges ---------------------------------------------------------------------

    async def exchange(self, data: bytes, exchange: str, deadline: float) -> Answer:
        """Send a request that the channel wrote, and wait for what answers it.

        Raises LinkError, TimedOutError, or PeerError when the answer isn't one.
        """
        self.arm(deadline)
        try:
            async with asyncio.timeout(None) as window:
                self._windows[exchange] = window
                answer = await self.link.request(data)
        except TimeoutError:
            self.channel.give_up(exchange)
            if (early := self._early.pop(exchange, None)) is not None:
                return early
            raise _timed_out() from None
        except BaseException:
            self.channel.give_up(exchange)
            raise
        finally:
            self._windows.pop(exchange, None)
        event = self.channel.answered(exchange, answer, self._loop.time())
        if isinstance(event, Dropped):
            raise PeerError(f"the peer's answer is no answer: {event.why.message}")
        if event.late:
            raise _timed_out()
        return event._replace(raw=answer)

    def settle(self, answer: Answer) -> None:
        """End one of our exchanges with an answer that came another way."""
        if (window := self._windows.get(answer.id)) is not None:
            self._early[answer.id] = answer
            window.reschedule(self._loop.time())

    # -- the peer's requests ---------------------------------------------------------------

    def answer(self, number: int, kind: str, payload: Fields, *, allow_secrets: bool) -> None:
        """Answer a request, unless it has its answer. Raises InvalidMessageError."""
        data = self.channel.answer(number, kind, payload, new_stamp(), allow_secrets=allow_secrets)
        waiting = self.waiting.pop(number, None)
        if waiting is not None and data is not None:
            waiting.answer(data)

    # -- time ------------------------------------------------------------------------------

    def arm(self, deadline: float) -> None:
        """See to it that the channel is asked for what is overdue not later than this."""
        at = deadline + _TICK
        if self._timer is not None:
            if self._rings_at <= at:
                return
            self._timer.cancel()
        self._timer, self._rings_at = self._loop.call_at(at, self._ring), at

    def _ring(self) -> None:
        self._timer = None
        now = self._loop.time()
        if self.channel.is_over(now):
            self.link.close("no hello came")
            return
        for late in self.channel.overdue(now):
            if late.id is not None and late.id in self._windows:
                self._windows[late.id].reschedule(now)
            elif late.number is not None:
                self._overdue(self, late.number, late.kind)
        due = self.channel.due()
        if due is not None and due != float("inf"):
            self.arm(due)

    def end(self) -> None:
        """The link is no more."""
        if self._timer is not None:
            self._timer.cancel()
        self.waiting.clear()
        self.held.clear()


def _timed_out() -> TimedOutError:
    return TimedOutError(
        "the peer did not answer in time", hint="allow more time, or try later", retryable=True
    )
