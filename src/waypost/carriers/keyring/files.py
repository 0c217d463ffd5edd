"""Files for the owner's eyes only: made once, replaced whole, locked while they change."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER_MODE, FILE_MODE = 0o700, 0o600


def folder_of(home: Path) -> Path:
    """Give the folder of keys, made when it isn't there."""
    folder = home / "keys"
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    return folder


def make(path: Path, data: bytes) -> bool:
    """Let a file appear whole, to the disk; False when somebody else was faster."""
    staged = _staged(path, data)
    try:
        os.link(staged, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(staged)
    _sync(path.parent)
    return True


def replace(path: Path, data: bytes) -> None:
    """Put new content in the place of the old, to the disk; a reader sees the one or the other."""
    staged = _staged(path, data)
    try:
        os.replace(staged, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(staged)
        raise
    _sync(path.parent)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other processes out while a file is read, changed and written."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path.with_name(path.name + ".lock"), flags, FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _staged(path: Path, data: bytes) -> Path:
    staged = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(6).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(staged, flags, FILE_MODE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return staged


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
