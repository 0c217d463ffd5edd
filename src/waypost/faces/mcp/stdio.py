"""The server over standard streams: one client, who is what the command line said.

Standard output carries the protocol and nothing else; whatever else would be written there goes
to standard error. Reading and writing take no threads: a call costs what it costs the SDK.
"""

import asyncio
import os
import select
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from waypost.faces.desk import Desk
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office import Office
from waypost.office.callers import Caller

_CHUNK = 1 << 16
_LONGEST_LINE = 12 << 20  # bytes; an attachment of 8 MiB as base64, and some room
_TOO_LONG = "a line that was too long"


def serve(office: Office, caller: Caller) -> None:
    """Serve until the client closes its end."""
    with _for_the_protocol_alone(sys.stdout.fileno()) as descriptor:
        asyncio.run(_serve(office, caller, descriptor))


async def _serve(office: Office, caller: Caller, descriptor: int) -> None:
    lines: Any = _lines(sys.stdin.fileno())
    answers: Any = _Answers(descriptor)
    async with Desk(office) as desk, stdio_server(lines, answers) as (incoming, outgoing):
        server = build(desk, lambda _: caller, Pusher(desk.bell, lambda _: caller))
        await server.run(incoming, outgoing, server.create_initialization_options())


@contextmanager
def _for_the_protocol_alone(output: int) -> Iterator[int]:
    """A descriptor of standard output that nobody else has; theirs leads to standard error."""
    sys.stdout.flush()
    own = os.dup(output)
    os.dup2(sys.stderr.fileno(), output)
    try:
        yield own
    finally:
        sys.stdout.flush()
        os.dup2(own, output)
        os.close(own)


async def _lines(descriptor: int) -> AsyncIterator[str]:
    """The lines that come in. One that is too long is never held; what stands for it is none."""
    begun: list[bytes] = []
    length = 0
    while chunk := await _chunk(descriptor):
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


async def _chunk(descriptor: int) -> bytes:
    await _until(anyio.wait_readable, descriptor)
    return os.read(descriptor, _CHUNK)


class _Answers:
    """Where answers are written, as the SDK wants a file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def write(self, text: str) -> None:
        """Write all of it, in pieces that a pipe takes at once when it takes anything."""
        left = memoryview(text.encode())
        while left:
            await _until(anyio.wait_writable, self._descriptor)
            try:
                left = left[os.write(self._descriptor, left[: select.PIPE_BUF]) :]
            except BrokenPipeError:
                raise anyio.ClosedResourceError from None

    async def flush(self) -> None:
        """Nothing is held back."""


async def _until(ready: Callable[[int], Awaitable[None]], descriptor: int) -> None:
    """Wait until a descriptor is ready; a file and the null device always are."""
    try:
        await ready(descriptor)
    except PermissionError:
        return
