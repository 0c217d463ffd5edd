"""Tells open pages that something happened: server-sent events that resume where one stopped.

An event is only the journal's position; the page then fetches itself anew. So a page that was away
misses nothing, and for one that reads slowly nothing waits but the newest position. However much
happens, a page hears of it a few times a second at most, and the more seldom the more pages there
are, because each then asks for itself.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext, suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from waypost.errors import OfficeBusyError
from waypost.faces.audience import Audience
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import refusal
from waypost.faces.web.sessions import Visitor

_STILL_THERE_SECONDS = 15
_AT_MOST_EVERY = 0.25
_TOLD_A_SECOND = 40  # all pages together
_MOST_PAGES = 500
_LONGEST_POSITION = 18


class Live:
    """The open pages of one event loop."""

    def __init__(self, desk: Desk, audience: Audience, most_pages: int = _MOST_PAGES) -> None:
        self._desk = desk
        self._audience = audience
        self._most_pages = most_pages
        self._pages: set[asyncio.Event] = set()
        self._newest = 0
        self._stop_listening: Callable[[], None] | None = None
        desk.at_the_end.append(self._ring)

    def answer(self, request: Request, who: Callable[[], Visitor | None]) -> Response:
        """Follow the journal from where the page stands, for as long as its session is good.

        A page that nobody looks at says `away`; it still hears of everything.
        """
        if len(self._pages) >= self._most_pages:
            error = OfficeBusyError("too many pages are open", hint="close some", retryable=True)
            return refusal(error)
        begin = request.headers.get("last-event-id") or request.query_params.get("after") or ""
        after = int(begin[:_LONGEST_POSITION]) if begin.isascii() and begin.isdigit() else 0
        is_away = bool(request.query_params.get("away"))
        rung = asyncio.Event()
        self._join(rung)
        return _Stream(self._events(rung, who, after, is_away), lambda: self._leave(rung))

    async def _events(
        self, rung: asyncio.Event, who: Callable[[], Visitor | None], after: int, is_away: bool
    ) -> AsyncIterator[str]:
        if (visitor := who()) is None:
            return
        person = (visitor.caller.project, visitor.caller.agent)
        with nullcontext() if is_away else self._audience.looking(person):
            yield "retry: 1000\n\n"
            self._newest = max(self._newest, await self._desk.do(self._desk.office.last))
            while not self._desk.is_closing:
                rung.clear()
                if who() is None:
                    yield "event: over\ndata: over\n\n"
                    return
                if self._newest != after:
                    after = self._newest
                    yield f"id: {after}\nevent: news\ndata: {after}\n\n"
                    await asyncio.sleep(max(_AT_MOST_EVERY, len(self._pages) / _TOLD_A_SECOND))
                with suppress(TimeoutError):
                    async with asyncio.timeout(_STILL_THERE_SECONDS):
                        await rung.wait()
                if not rung.is_set():
                    yield "event: still\ndata: there\n\n"

    def _join(self, rung: asyncio.Event) -> None:
        if self._stop_listening is None:
            loop = asyncio.get_running_loop()

            def happened(position: int) -> None:
                with suppress(RuntimeError):  # the loop is closed; nobody looks any more
                    loop.call_soon_threadsafe(self._hear, position)

            self._stop_listening = self._desk.office.add_listener(happened)
        self._pages.add(rung)

    def _leave(self, rung: asyncio.Event) -> None:
        self._pages.discard(rung)
        if not self._pages and self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None

    def _hear(self, position: int) -> None:
        self._newest = max(self._newest, position)
        self._ring()

    def _ring(self) -> None:
        for rung in self._pages:
            rung.set()


class _Stream(StreamingResponse):
    """Events until somebody leaves, which is told in every case."""

    def __init__(self, events: AsyncIterator[str], leave: Callable[[], None]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._leave = leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()
