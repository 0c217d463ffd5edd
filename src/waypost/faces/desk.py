"""How a door in an event loop works at the office, whose use-cases are plain and synchronous.

A call runs in a thread of a small pool; waiting takes none.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from waypost.errors import OfficeBusyError, UsageError
from waypost.faces.waiting import Bell
from waypost.faces.workers import Workers
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.calls import call
from waypost.office.events import Json

Result = TypeVar("Result")
LONGEST_WAIT = 600
_THREADS = 32
_MOST_WAITING = 2000


class Desk:
    """An office as the doors of one event loop see it."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.bell = Bell(office)
        self._workers = Workers(_THREADS, "waypost-door")
        self.is_closing = False
        self.at_the_end: list[Callable[[], None]] = []
        self.waiting = 0
        self._following: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Desk":
        self._following = asyncio.create_task(self.bell.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._following is not None:
            self._following.cancel()
            with suppress(asyncio.CancelledError):
                await self._following
        await asyncio.to_thread(self._workers.close)

    def stop_waiting(self) -> None:
        """Let everyone go who waits, as if the time were over; nobody waits from now on."""
        self.is_closing = True
        self.bell.ring_all()
        for ring in self.at_the_end:
            ring()

    async def do(self, function: Callable[..., Result], *given: Any) -> Result:
        """Run something at the office; it is finished even if nobody waits for it any more."""
        return await self._workers.do(function, *given)

    async def call(self, name: str, caller: Caller, arguments: Json) -> Json:
        """Do a use-case. Raises only kinds of WaypostError."""
        return await self.do(call, self.office, name, caller, arguments)

    async def wait(self, who: Callable[[], Caller], seconds: int, after: int = 0) -> Json:
        """Wait for unread mail of the caller that came after a position of the journal.

        `who` gives the caller, or raises as soon as it may be told nothing more. Gives the mail's
        headers, how much is unread, and the newest position: where to wait on from.
        """
        if not 1 <= seconds <= LONGEST_WAIT:
            raise UsageError(f"seconds must be 1 to {LONGEST_WAIT}, not {seconds}")
        if self.waiting >= _MOST_WAITING:
            hint = "look into the inbox instead"
            raise OfficeBusyError("too many wait for mail here", hint=hint, retryable=True)
        rung = asyncio.Event()
        self.waiting += 1
        try:
            with self.bell.joined(who(), rung.set):
                newest = await self._newest(who, rung, seconds, after)
        finally:
            self.waiting -= 1
        if newest <= after:
            return {"letters": [], "last": after}
        new = {"newer_than": after} if after else {}
        found = await self.call("inbox", who(), new)
        if new and not found["letters"]:  # what was held came late, and is older than it looks
            found = await self.call("inbox", who(), {})
        return {**found, "last": newest}

    async def _newest(
        self, who: Callable[[], Caller], rung: asyncio.Event, seconds: int, after: int
    ) -> int:
        newest = 0
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while (newest := await self.do(self.office.newest_unread, who())) <= after:
                    if self.is_closing:
                        break
                    await rung.wait()
                    rung.clear()
        return newest
