"""The server over streamable HTTP: one request after the other, each with its own token.

No request leaves a session behind, so a restart is noticed by nobody, and no connection is worth
stealing. Clients of older revisions that keep a stream open are told of new mail there.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from waypost.errors import WaypostError
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import LARGEST_BODY
from waypost.faces.mcp import INBOX
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office.callers import Caller

_STILL_THERE_SECONDS = 15
_CHANGED = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": INBOX}}
_NEWS = f"event: message\ndata: {json.dumps(_CHANGED)}\n\n"


class Door:
    """The application behind /mcp."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._pusher = Pusher(desk.bell, caller_of, keeps_connections=False)
        server = build(desk, caller_of, self._pusher)
        self._manager = StreamableHTTPSessionManager(
            server, stateless=True, max_request_body_size=LARGEST_BODY
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """Serve for as long as this is entered."""
        return self._manager.run()

    def close(self) -> None:
        """End every open stream in good order."""
        self._pusher.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]
        if method == "POST":
            await self._manager.handle_request(scope, receive, send)
        elif method == "GET":
            await self._news(Request(scope))(scope, receive, send)
        else:  # there is no session that could be ended
            await Response(status_code=405, headers={"allow": "GET, POST"})(scope, receive, send)

    def _news(self, request: Request) -> Response:
        if "text/event-stream" not in request.headers.get("accept", ""):
            return Response(status_code=406)
        return StreamingResponse(
            self._events(request.state.identify), media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )  # fmt: skip

    async def _events(self, identify: Callable[[], Caller]) -> AsyncIterator[str]:
        yield ": here is told when the inbox changes\n\n"
        rung = asyncio.Event()
        with suppress(WaypostError), self._desk.bell.joined(identify(), rung.set):
            while not self._desk.is_closing:
                try:
                    async with asyncio.timeout(_STILL_THERE_SECONDS):
                        await rung.wait()
                except TimeoutError:
                    yield ": still there\n\n"
                    continue
                rung.clear()
                identify()
                yield _NEWS


def caller_of(context: Any) -> Caller:
    """Whose the request's token is now. Raises NotAllowedError when it is nobody's any more."""
    caller: Caller = context.request.state.identify()
    return caller
