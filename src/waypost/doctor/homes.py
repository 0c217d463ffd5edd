"""Is the home there, ours, and closed to others: the office, the keys, the settings?"""

import os
import stat
from collections.abc import Callable, Iterator

from waypost.doctor.finding import Finding

_MOST = 10_000
_LEAK = "if others may have read it, delete it for a new one; --fix closes it to them"


def check(home: str) -> Iterator[Finding]:
    """Look at the owners and modes of all that must be private."""
    if not os.path.isdir(home):
        yield Finding("home", home, "there is no home here yet", "waypost init makes one")
        return
    yield from _private(home, 0o700, "--fix closes it to others")
    yield from _files(home)
    keys = os.path.join(home, "keys")
    if os.path.isdir(keys):
        yield from _private(keys, 0o700, "--fix closes it to others")
        yield from _files(keys)


def _files(folder: str) -> Iterator[Finding]:
    with os.scandir(folder) as entries:
        found = sorted(entry.path for entry, _ in zip(entries, range(_MOST), strict=False))
    for path in found:
        name = os.path.basename(path)
        if name.endswith(".key"):
            yield from _private(path, 0o600, _LEAK)
        elif not os.path.isdir(path):
            yield from _private(path, 0o600, "--fix closes it to others")


def _private(path: str, mode: int, hint: str) -> Iterator[Finding]:
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:  # gone since it was listed
        return
    if stat.S_ISLNK(status.st_mode):
        return
    if status.st_uid != os.geteuid():
        what = f"belongs to user {status.st_uid}, not to you"
        yield Finding("home", path, what, "let its owner run waypost, or chown it")
    elif (found := stat.S_IMODE(status.st_mode)) & 0o077:
        yield Finding("home", path, f"is open to others (mode {found:04o})", hint, _close(path))
    elif found & mode != mode:
        what = "you can't read and write it yourself"
        yield Finding("home", path, what, f"chmod {mode:o} {path}")


def _close(path: str) -> Callable[[], None]:
    """What takes the rights of others away, and nobody else's."""

    def repair() -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.fchmod(descriptor, stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o700)
        finally:
            os.close(descriptor)

    return repair
