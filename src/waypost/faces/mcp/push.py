"""New mail is pushed: whoever subscribed to the inbox hears at once that it changed.

Clients of the newest revision open a stream for it; older ones subscribe on a connection that
stays. Either is a nudge without content, and none is replayed: after a new connection the client
looks into its inbox.
"""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any

import anyio
import mcp_types as types
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from waypost.errors import WaypostError
from waypost.faces.mcp import INBOX
from waypost.faces.waiting import Bell
from waypost.office.callers import Caller

_MOST_STREAMS = 1024


class _Bus:
    """The bell as the SDK's streams of notifications want it: each hears of its caller's mail."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell
        self.caller: ContextVar[Caller] = ContextVar("caller")

    async def publish(self, event: ServerEvent) -> None:
        """Nothing is published here; the journal does that."""

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Have a listener called whenever mail came for the one who opens the stream."""
        stack = ExitStack()
        event = ResourceUpdated(uri=INBOX)
        stack.enter_context(self._bell.joined(self.caller.get(), lambda: listener(event)))
        return stack.close


class Pusher:
    """Serves subscriptions to the inbox.

    `keeps_connections` says whether what asks is on a connection that stays, and can be told there.
    """

    def __init__(
        self, bell: Bell, who: Callable[[Any], Caller], *, keeps_connections: bool = True
    ) -> None:
        self._bell = bell
        self._who = who
        self._keeps_connections = keeps_connections
        self._bus = _Bus(bell)
        self._streams = ListenHandler(self._bus, max_subscriptions=_MOST_STREAMS)
        self._nudging: asyncio.Task[None] | None = None

    async def listen(
        self, context: Any, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Push along a stream that the client opened, until it closes it or is known no more."""
        caller = self._who(context)
        self._bus.caller.set(caller)
        scope = anyio.CancelScope()

        def look() -> None:
            try:
                self._who(context)
            except WaypostError:
                scope.cancel()

        with scope, self._bell.joined(caller, look):
            return await self._streams(context, params)
        raise MCPError(types.INVALID_REQUEST, "whoever listened here isn't known any more")

    def close(self) -> None:
        """End every stream in good order."""
        self._streams.close()

    async def subscribe(
        self, context: Any, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Push along the connection that asked, until it unsubscribes or ends."""
        if str(params.uri) != INBOX:
            raise MCPError(types.INVALID_PARAMS, "no such resource", {"uri": str(params.uri)})
        if self._keeps_connections and self._nudging is None:
            nudges = self._nudge(context.session, self._who(context))
            self._nudging = asyncio.create_task(nudges)
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Any, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Push no more."""
        if self._nudging is not None:
            self._nudging.cancel()
            self._nudging = None
        return types.EmptyResult()

    async def _nudge(self, session: Any, caller: Caller) -> None:
        rung = asyncio.Event()
        with self._bell.joined(caller, rung.set):
            while True:
                await rung.wait()
                rung.clear()
                await session.send_resource_updated(INBOX)
