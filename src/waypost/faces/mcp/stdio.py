"""The server over standard streams: one client, who is what the command line said.

Standard output carries the protocol and nothing else; whatever else would be written there goes
to standard error.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from threading import Thread
from typing import Any

from mcp.server.stdio import stdio_server

from waypost.faces.desk import Desk
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office import Office
from waypost.office.callers import Caller

_CHUNK = 1 << 16
_MOST_CHUNKS = 16
_LONGEST_LINE = 12 << 20  # bytes; an attachment of 8 MiB as base64, and some room
_TOO_LONG = "a line that was too long"


def serve(office: Office, caller: Caller) -> None:
    """Serve until the client closes its end."""
    asyncio.run(_serve(office, caller))


async def _serve(office: Office, caller: Caller) -> None:
    lines: Any = _lines(sys.stdin.fileno())
    async with Desk(office) as desk, stdio_server(stdin=lines) as (incoming, outgoing):
        server = build(desk, lambda _: caller, Pusher(desk.bell, lambda _: caller))
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _lines(descriptor: int) -> AsyncIterator[str]:
    """The lines that come in. One that is too long is never held; what stands for it is none."""
    loop = asyncio.get_running_loop()
    chunks: asyncio.Queue[bytes] = asyncio.Queue(_MOST_CHUNKS)
    # A thread that nobody waits for: an interrupt ends the program though the client is silent.
    Thread(target=_read, args=(descriptor, loop, chunks), daemon=True).start()
    begun: list[bytes] = []
    length = 0
    while chunk := await chunks.get():
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield _text([*begun, end], length + len(end))
            begun, length = [], 0
        length += len(rest)
        if length <= _LONGEST_LINE:
            begun.append(rest)
        else:
            begun.clear()
    if length:
        yield _text(begun, length)


def _text(parts: list[bytes], length: int) -> str:
    return b"".join(parts).decode("utf-8", "replace") if length <= _LONGEST_LINE else _TOO_LONG


def _read(descriptor: int, loop: asyncio.AbstractEventLoop, chunks: "asyncio.Queue[bytes]") -> None:
    chunk = b"begin"
    while chunk:
        chunk = os.read(descriptor, _CHUNK)
        try:
            asyncio.run_coroutine_threadsafe(chunks.put(chunk), loop).result()
        except (RuntimeError, CancelledError):
            return  # the loop has ended
