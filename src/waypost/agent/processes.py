"""Runs a command line in a process group of its own: bounded, and ended as a whole.

It knows nothing of messages: bytes go in, bytes and an exit code come out.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, closing, suppress
from tempfile import TemporaryFile
from typing import NamedTuple

from waypost.errors import WaypostError, words_of

MOST_OUTPUT = 64 * 1024
GRACE = 2.0  # seconds that a program has to end after it was asked to
_MOST_TAIL = 4096


class ProgramError(WaypostError):
    """A program could not be run, or did not end as it should."""

    code = "program_failed"


class Ran(NamedTuple):
    """What a program left behind: its exit code, its output, the end of its complaints."""

    code: int
    out: bytes
    complaints: str


async def run(
    command: str,
    given: bytes,
    environment: Mapping[str, str],
    begun: Callable[[], Awaitable[None]] | None = None,
) -> Ran:
    """Run a command in the shell; `begun` is called at its first output.

    Without `begun` its output isn't caught but goes where ours goes. When the caller is cancelled,
    the program and all it started are ended first. Raises ProgramError.
    """
    with ExitStack() as stack:
        try:
            tail = stack.enter_context(closing(_Tail()))
            source = stack.enter_context(TemporaryFile())  # read or not, it blocks nobody
            source.write(given)
            source.seek(0)
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", command),
                stdin=source,
                stdout=asyncio.subprocess.PIPE if begun is not None else None,
                stderr=tail.for_program,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise _not_started(error) from error
        tail.handed_over()
        try:
            out = await _output(process, begun)
            code = await process.wait()
        except BaseException:
            await _end(process)
            raise
    return Ran(code, out, tail.text)


def _not_started(error: OSError) -> ProgramError:
    return ProgramError(f"the program can't be started: {words_of(error)}")


async def _output(
    process: asyncio.subprocess.Process, begun: Callable[[], Awaitable[None]] | None
) -> bytes:
    """Take the whole output, as far as it is caught."""
    out = b""
    while process.stdout is not None and (data := await process.stdout.read(MOST_OUTPUT)):
        if not out and begun is not None:
            await begun()
        out += data
        if len(out) > MOST_OUTPUT:
            raise ProgramError(f"the program prints more than {MOST_OUTPUT >> 10} KiB")
    return out


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask the whole group to end, and a little later don't ask."""
    try:
        _signal(process, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
    finally:
        _signal(process, signal.SIGKILL)
    with suppress(TimeoutError):  # one that left the group may hold its pipes open
        await asyncio.wait_for(process.wait(), GRACE)


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class _Tail:
    """The end of what a program writes to its standard error."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ours, self.for_program = os.pipe()
        os.set_blocking(self._ours, False)
        self._loop.add_reader(self._ours, self._read)
        self._kept = b""

    def handed_over(self) -> None:
        """The program has its end of the pipe; let ours go."""
        if self.for_program >= 0:
            os.close(self.for_program)
            self.for_program = -1

    def _read(self) -> bool:
        try:
            data = os.read(self._ours, 64 * 1024)
        except BlockingIOError:
            return False
        if not data:
            self._loop.remove_reader(self._ours)
        self._kept = (self._kept + data)[-_MOST_TAIL:]
        return bool(data)

    def close(self) -> None:
        """Take what is there, and no more."""
        self.handed_over()
        for _ in range(16):
            if not self._read():
                break
        self._loop.remove_reader(self._ours)
        os.close(self._ours)

    @property
    def text(self) -> str:
        return self._kept.decode(errors="replace").strip()
