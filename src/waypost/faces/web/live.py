"""Tells open pages that something happened: server-sent events that resume where one stopped.

An event is only the journal's position; the page then fetches itself anew. So a page that was away
misses nothing, and however much happens, a page hears of it a few times a second at most.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext, suppress

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from waypost.errors import OfficeBusyError
from waypost.faces.audience import Audience
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import refusal
from waypost.faces.web.sessions import Visitor

_STILL_THERE_SECONDS = 15
_AT_MOST_EVERY = 0.25
_MOST_PAGES = 500
_LONGEST_POSITION = 18


class Live:
    """The open pages of one event loop."""

    def __init__(self, desk: Desk, audience: Audience) -> None:
        self._desk = desk
        self._audience = audience
        self._pages: set[asyncio.Event] = set()
        self._remove: Callable[[], None] | None = None

    def answer(self, request: Request, who: Callable[[], Visitor | None]) -> Response:
        """Follow the journal from where the page stands, for as long as its session is good.

        A page that nobody looks at says `away`; it still hears of everything.
        """
        if len(self._pages) >= _MOST_PAGES:
            error = OfficeBusyError("too many pages are open", hint="close some", retryable=True)
            return refusal(error)
        begin = request.headers.get("last-event-id") or request.query_params.get("after") or ""
        after = int(begin[:_LONGEST_POSITION]) if begin.isascii() and begin.isdigit() else 0
        is_away = bool(request.query_params.get("away"))
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            self._events(who, after, is_away), media_type="text/event-stream", headers=headers
        )

    async def _events(
        self, who: Callable[[], Visitor | None], after: int, is_away: bool
    ) -> AsyncIterator[str]:
        rung = asyncio.Event()
        if (visitor := who()) is None:
            return
        person = (visitor.caller.project, visitor.caller.agent)
        looking = nullcontext() if is_away else self._audience.looking(person)
        self._join(rung)
        try:
            # The bell also tells that the end is near.
            with looking, self._desk.bell.joined(visitor.caller, rung.set):
                yield "retry: 1000\n\n"
                while not self._desk.is_closing:
                    rung.clear()
                    if who() is None:
                        yield "event: over\ndata: over\n\n"
                        return
                    if (last := await self._desk.do(self._desk.office.last)) != after:
                        after = last
                        yield f"id: {last}\nevent: news\ndata: {last}\n\n"
                        await asyncio.sleep(_AT_MOST_EVERY)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_STILL_THERE_SECONDS):
                            await rung.wait()
                    if not rung.is_set():
                        yield "event: still\ndata: there\n\n"
        finally:
            self._leave(rung)

    def _join(self, rung: asyncio.Event) -> None:
        if self._remove is None:
            loop = asyncio.get_running_loop()

            def happened(position: int) -> None:
                with suppress(RuntimeError):  # the loop is closed; nobody looks any more
                    loop.call_soon_threadsafe(self._ring)

            self._remove = self._desk.office.add_listener(happened)
        self._pages.add(rung)

    def _leave(self, rung: asyncio.Event) -> None:
        self._pages.discard(rung)
        if not self._pages and self._remove is not None:
            self._remove()
            self._remove = None

    def _ring(self) -> None:
        for rung in self._pages:
            rung.set()
