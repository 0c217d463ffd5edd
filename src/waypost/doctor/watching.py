"""Can folders be watched, or are the system's limits used up?"""

import os
import sys
from collections.abc import Iterator

from waypost.carriers.folders.watch import Watcher
from waypost.doctor.finding import Finding

_LIMITS = "/proc/sys/fs/inotify"


def check(folders: int, limits: str = _LIMITS) -> Iterator[Finding]:
    """Try to watch as the server does; `folders` is how many it has to."""
    if not sys.platform.startswith("linux"):
        return
    watcher = Watcher()
    has_push = watcher.has_push
    watcher.close()
    if not has_push:
        instances = _number(f"{limits}/max_user_instances")
        what = f"no more programs may watch folders (the limit is {instances or 'unknown'})"
        hint = "sudo sysctl fs.inotify.max_user_instances=1024; until then mail is found by looking"
        yield Finding("watching", limits, what, hint)
    watches = _number(f"{limits}/max_user_watches")
    if watches is not None and watches < folders:
        what = f"at most {watches:,} folders may be watched, and there are {folders:,}"
        hint = f"sudo sysctl fs.inotify.max_user_watches={max(65_536, 4 * folders)}"
        yield Finding("watching", limits, what, hint)


def _number(path: str) -> int | None:
    try:
        with open(os.fspath(path), encoding="ascii") as file:
            return int(file.read(32))
    except (OSError, ValueError):
        return None
