"""The server over standard streams: one client, who is what the command line said.

Standard output carries the protocol and nothing else; whatever else would be written there goes
to standard error.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from io import TextIOWrapper
from typing import Any

from mcp.server.stdio import stdio_server

from waypost.faces.desk import Desk
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office import Office
from waypost.office.callers import Caller

_LONGEST_LINE = 12 << 20  # characters; an attachment of 8 MiB as base64, and some room
_TOO_LONG = "a line that was too long\n"


def serve(office: Office, caller: Caller) -> None:
    """Serve until the client closes its end."""
    asyncio.run(_serve(office, caller))


async def _serve(office: Office, caller: Caller) -> None:
    lines: Any = _Lines(TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace"))
    async with Desk(office) as desk, stdio_server(stdin=lines) as (incoming, outgoing):
        server = build(desk, lambda _: caller, Pusher(desk.bell, lambda _: caller))
        await server.run(incoming, outgoing, server.create_initialization_options())


class _Lines:
    """The lines of a stream. One that is too long is never held, and stands as what is no message."""

    def __init__(self, stream: TextIOWrapper) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await asyncio.to_thread(self._next):
            yield line

    def _next(self) -> str:
        line = self._stream.readline(_LONGEST_LINE)
        if len(line) < _LONGEST_LINE or line.endswith("\n"):
            return line
        while (rest := self._stream.readline(_LONGEST_LINE)) and not rest.endswith("\n"):
            pass
        return _TOO_LONG
