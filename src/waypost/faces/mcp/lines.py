"""A program's standard streams as MCP has them: one message a line, and nothing else on stdout.

Reading and writing take no threads. What can't be a message is answered here, so that nobody waits
for an answer that never comes. A line that is too long is never held: as much of both its ends is
kept as tells who asked.
"""

import asyncio
import json
import os
import re
import select
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio

from waypost.errors import InvalidMessageError, TooLargeError, UsageError, WaypostError

Json = dict[str, Any]
_CHUNK = 1 << 16
_LONGEST_LINE = 12 << 20  # bytes; an attachment of 8 MiB as base64, and some room
_KEPT = 1000  # bytes of each end of a line that is too long
_ID = rb'"id"\s*:\s*("[ !#-\[\]-~]{0,200}"|-?\d{1,18})\s*'
_NAMED = (  # where the SDKs write the id: before what is long, or after it
    re.compile(rb'^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb"[,}]"),
    re.compile(rb",\s*" + _ID + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$'),
)
_TOOL_CALL = "tools/call"
_IS_TOOL_CALL = re.compile(rb'"method"\s*:\s*"tools/call"')
_PARSE_ERROR, _INVALID_REQUEST, _INTERNAL_ERROR = -32700, -32600, -32603


@contextmanager
def for_the_protocol_alone(output: int) -> Iterator[int]:
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


class Answers:
    """Where answers are written, as the SDK wants a file; each is whole before the next begins."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._writing = asyncio.Lock()

    async def write(self, text: str) -> None:
        """Write all of it, in pieces that a pipe takes at once when it takes anything."""
        left = memoryview(text.encode())
        async with self._writing:
            while left:
                await _until(anyio.wait_writable, self._descriptor)
                try:
                    left = left[os.write(self._descriptor, left[: select.PIPE_BUF]) :]
                except BrokenPipeError:
                    raise anyio.ClosedResourceError from None

    async def tell(self, message: Mapping[str, Any]) -> None:
        """Write one message."""
        await self.write(json.dumps(message, separators=(",", ":")) + "\n")

    async def flush(self) -> None:
        """Nothing is held back."""


async def lines(descriptor: int, answers: Answers) -> AsyncIterator[str]:
    """The lines that come in; one that is too long is refused here."""
    async for line, is_whole in _read(descriptor):
        if not is_whole:
            error = TooLargeError(f"a request has at most {_LONGEST_LINE >> 20} MiB")
            await answers.tell(refusal(_asked(line), error.to_json(), _INVALID_REQUEST))
        elif line and not line.isspace():
            yield line.decode("utf-8", "replace")


def message_of(line: str) -> Json | None:
    """The message of JSON-RPC that a line holds, if it does."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _is_sound(found) else None


def misread(line: str) -> Json:
    """The answer to a line that is no message."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return refusal({}, UsageError("this line is no JSON").to_json(), _PARSE_ERROR)
    asked = found if isinstance(found, dict) and _is_id(found.get("id")) else {}
    if message_of(line) is None:
        error: WaypostError = UsageError("this is no message of JSON-RPC 2.0")
    else:
        hint = "a text that was cut between two surrogates does that"
        error = InvalidMessageError("it is nested too deeply, or holds half a character", hint=hint)
    return refusal(asked, error.to_json(), _INVALID_REQUEST)


def refusal(asked: Json, form: Mapping[str, Any], code: int = _INTERNAL_ERROR) -> Json:
    """The answer to a request that nothing came of: a tool's refusal, or an error of MCP."""
    answer = {"jsonrpc": "2.0", "id": asked.get("id")}
    if asked.get("method") != _TOOL_CALL or answer["id"] is None:
        return answer | {"error": {"code": code, "message": form["details"], "data": form}}
    text = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
    result = {"content": [{"type": "text", "text": text}], "structuredContent": form}
    # The newest revision wants to be told that it is complete; the older ones don't look.
    return answer | {"result": {**result, "isError": True, "resultType": "complete"}}


async def _read(descriptor: int) -> AsyncIterator[tuple[bytes, bool]]:
    """Each line, and whether it is whole; of one that is too long there are only the ends."""
    begun: list[bytes] = []
    length = 0
    while chunk := await _chunk(descriptor):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join([*begun, end]), length + len(end) <= _LONGEST_LINE
            begun, length = [], 0
        begun.append(rest)
        length += len(rest)
        if length > _LONGEST_LINE:
            line = b"".join(begun)
            begun = [line[:_KEPT], line[-_KEPT:]]
    yield b"".join(begun), length <= _LONGEST_LINE


async def _chunk(descriptor: int) -> bytes:
    await _until(anyio.wait_readable, descriptor)
    return os.read(descriptor, _CHUNK)


async def _until(ready: Callable[[int], Awaitable[None]], descriptor: int) -> None:
    """Wait until a descriptor is ready; a file and the null device always are."""
    try:
        await ready(descriptor)
    except PermissionError:
        return


def _asked(ends: bytes) -> Json:
    """What both ends of a line that was too long tell of it."""
    first, last = ends[:_KEPT], ends[-_KEPT:]
    found = _NAMED[0].search(first) or _NAMED[1].search(last)
    asked: Json = {"id": json.loads(found[1])} if found else {}
    is_call = _IS_TOOL_CALL.search(first) or _IS_TOOL_CALL.search(last)
    return asked | ({"method": _TOOL_CALL} if is_call else {})


def _is_sound(message: Json) -> bool:
    if message.get("jsonrpc") != "2.0" or ("id" in message and not _is_id(message["id"])):
        return False
    if isinstance(message.get("method"), str):
        return isinstance(message.get("params", {}), dict)
    return "id" in message and ("result" in message or "error" in message)


def _is_id(value: object) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)
