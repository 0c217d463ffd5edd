"""The few operations on files that everything durable here is made of."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

from waypost.errors import ConflictError

FOLDER_MODE, FILE_MODE = 0o755, 0o644
_FEW = 8  # files that are synced one by one


def create(path: str, data: bytes, *, locked: bool = False, synced: bool = True) -> int:
    """Write a file that must not exist yet, to the disk; gives the open descriptor.

    What isn't synced at once is for `sync_all`.
    Raises BlockingIOError when it is to be locked and someone else was faster.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, FILE_MODE)
    try:
        if locked and not try_lock(descriptor):
            raise BlockingIOError(f"{path} is locked by another")
        _fill(descriptor, data)
        if synced:
            os.fsync(descriptor)
    except BaseException as error:
        about(path, error)
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(path)
        raise
    return descriptor


def _fill(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def about(path: str, error: BaseException) -> None:
    """Let an error of the system say which file it is about; a full disk doesn't by itself."""
    if isinstance(error, OSError) and error.filename is None:
        error.filename = path


def sync_folder(path: str) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_all(descriptors: Sequence[int], folders: Sequence[str]) -> None:
    """Make files durable that lie in these folders, and their names; many of them in one go."""
    sync_disk = _sync_disk() if len(descriptors) > _FEW else None
    if sync_disk is None:
        for descriptor in descriptors:
            os.fsync(descriptor)
        for folder in folders:
            sync_folder(folder)
        return
    for descriptor in {os.fstat(one).st_dev: one for one in descriptors}.values():
        sync_disk(descriptor)


@cache
def _sync_disk() -> Callable[[int], None] | None:
    """What brings all that was written to a file's disk, where the system can do that."""
    import ctypes

    try:
        call = ctypes.CDLL(None, use_errno=True).syncfs
    except (AttributeError, OSError):
        return None

    def sync_disk(descriptor: int) -> None:
        if call(descriptor) != 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))

    return sync_disk


def publish(staged: str, final: str) -> None:
    """Let a staged file appear under its name. Raises FileExistsError rather than overwrite."""
    os.link(staged, final)
    os.unlink(staged)


def move(path: str, folder: str, name: str) -> str | None:
    """Move a file into a folder, beside whatever has the name there; gives its new place.

    Gives None when it has been moved or removed already. Where two do this at once, or one died
    half-way, there is still one file in the end. Raises ConflictError after a thousand names.
    """
    stem, ending = os.path.splitext(name)
    for number in range(1000):
        final = f"{folder}/{name}" if number == 0 else f"{folder}/{stem}.{number}{ending}"
        try:
            publish(path, final)
            return final
        except FileNotFoundError:
            if os.path.lexists(path):  # so it is the folder that is gone
                raise
            return None
        except FileExistsError:
            if same_file(path, final):
                remove(path)
                return final
    raise ConflictError(f"{folder} has a thousand files called {name}")


def same_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except FileNotFoundError:
        return False


def remove(path: str) -> bool:
    """Remove a file if it is there; tells whether it was."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def try_lock(descriptor: int) -> bool:
    """Take a file's lock without waiting; it falls when the process ends, however it ends."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
