"""Reading message files that anyone may have put there: bounded, and never waiting."""

import os
import stat

from waypost.dialects.text import MAX_BYTES, too_large
from waypost.errors import Problem, words_of

_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def read_file(path: str) -> bytes | Problem:
    """Read a regular file of bounded size, or say why not. Never waits for a pipe."""
    try:
        opened = open_file(path)
        if isinstance(opened, Problem):
            return opened
        try:
            return _read_all(*opened)
        finally:
            os.close(opened[0])
    except OSError as error:
        return unreadable(error)


def open_file(path: str) -> tuple[int, int] | Problem:
    """Open a file without waiting; gives the descriptor, which the caller closes, and the size."""
    waiting = 0 if path.startswith(_STREAMS) else os.O_NONBLOCK
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | waiting)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) or not waiting:
        return descriptor, status.st_size
    os.close(descriptor)
    kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe or device"
    return Problem((), "not_a_file", f"is {kind}, not a file", "only regular files are read here")


def _read_all(descriptor: int, size: int) -> bytes | Problem:
    """Read to the end, even of what is still growing, up to one byte more than allowed."""
    if size > MAX_BYTES:
        return too_large(size)
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    while len(data) <= MAX_BYTES and (more := os.read(descriptor, MAX_BYTES + 1 - len(data))):
        data += more
    return too_large(None) if len(data) > MAX_BYTES else data


def unreadable(error: OSError) -> Problem:
    """The problem of a file that the system does not let us read."""
    code = "not_found" if isinstance(error, FileNotFoundError) else "unreadable"
    return Problem((), code, f"cannot be read: {words_of(error)}")
