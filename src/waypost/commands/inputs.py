"""Where messages to check come from: files, folders, lists of JSON lines, standard input.

Nothing that lies in a folder may stop, block or outgrow a run: what can't be read becomes a
problem of that one input.
"""

import os
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from waypost.dialects.text import MAX_BYTES, too_large
from waypost.errors import Problem

ENDINGS = (".yaml", ".yml", ".json", ".jsonl")
_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


class Input(NamedTuple):
    """One message to check, or the reason why it can't be read."""

    source: str
    data: bytes | Problem
    first_line: int = 1
    named: bool = True  # asked for by name, not met in a folder

    @property
    def file_name(self) -> str | None:
        return os.path.basename(self.source) if self.source.endswith((".yaml", ".yml")) else None


def read_inputs(paths: list[str]) -> Iterator[Input]:
    """Yield every message that the paths name, in a stable order."""
    for path in paths:
        if path == "-":
            yield _whole("-", sys.stdin.buffer.read(MAX_BYTES + 1))
        elif os.path.isdir(path):
            for found in _walk(path):
                yield from _read(found, named=False)
        else:
            yield from _read(path, named=True)


def _walk(folder: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        yield folder  # reading it as a file tells what is wrong
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path)
        elif entry.name.endswith(ENDINGS) and not entry.is_dir():
            yield entry.path


def _read(path: str, named: bool) -> Iterator[Input]:
    if path.endswith(".jsonl"):
        yield from _read_lines(path, named)
        return
    yield Input(path, read_file(path), named=named)


def read_file(path: str) -> bytes | Problem:
    """Read a regular file of bounded size, or say why not. Never waits for a pipe."""
    try:
        descriptor = _open(path)
    except OSError as error:
        return _unreadable(error)
    if isinstance(descriptor, Problem):
        return descriptor
    try:
        size = os.fstat(descriptor).st_size
        if size > MAX_BYTES:
            return too_large(size)
        data = os.read(descriptor, MAX_BYTES + 1)
        while len(data) <= MAX_BYTES and (more := os.read(descriptor, MAX_BYTES + 1 - len(data))):
            data += more
    except OSError as error:
        return _unreadable(error)
    finally:
        os.close(descriptor)
    return data


def _open(path: str) -> int | Problem:
    """Open a file without waiting; the caller closes it."""
    if path.startswith(_STREAMS):
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or device"
    return Problem((), "not_a_file", f"is {kind}, not a file", "only regular files are read here")


def _unreadable(error: OSError) -> Problem:
    code = "not_found" if isinstance(error, FileNotFoundError) else "unreadable"
    return Problem((), code, f"cannot be read: {(error.strerror or str(error)).lower()}")


def _whole(source: str, data: bytes) -> Input:
    return Input(source, too_large(len(data)) if len(data) > MAX_BYTES else data)


def _read_lines(path: str, named: bool) -> Iterator[Input]:
    try:
        descriptor = _open(path)
    except OSError as error:
        yield Input(path, _unreadable(error), named=named)
        return
    if isinstance(descriptor, Problem):
        yield Input(path, descriptor, named=named)
        return
    with os.fdopen(descriptor, "rb") as lines:
        yield from _lines(path, lines, named)


def _lines(path: str, lines: BinaryIO, named: bool) -> Iterator[Input]:
    number = 0
    while line := lines.readline(MAX_BYTES + 2):
        number += 1
        source = f"{path}:{number}"
        size = len(line.rstrip(b"\r\n"))
        rest = line
        while not rest.endswith(b"\n") and (rest := lines.readline(MAX_BYTES)):
            size += len(rest)
        if size > MAX_BYTES:
            yield Input(source, too_large(size), number, named)
        elif line.strip():
            yield Input(source, line.rstrip(b"\r\n"), number, named)
