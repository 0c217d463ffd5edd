"""Tells when something changes in a few folders: at once where the system can, and by a sweep.

The push comes from inotify. The sweep compares each folder's own stamp (which folder, changed when)
every two seconds, and finds what a push misses: changes made by another machine on a network file
system, a queue that ran over, a folder that was replaced. While nothing happens that is one `stat`
a folder. Where there is no inotify the sweep is all there is, and comes oftener.

Knows nothing of messages.
"""

import os
import select
import time
from typing import Any, NamedTuple

SWEEP_SECONDS, SWEEP_ALONE_SECONDS = 2.0, 0.25
_COARSE = 2_000_000_000  # ns; two changes closer than that may leave one and the same stamp

Names = set[str] | None  # the names that changed; None: look at everything
Changes = dict[str, Names]


class _Stamp(NamedTuple):
    """Which folder stands at a path, and when its entries last changed."""

    identity: tuple[int, int]
    changed: int
    is_sure: bool  # False while another change could still leave the same stamp


class Watcher:
    """Watches folders, which need not exist yet."""

    def __init__(self, *, push: bool = True) -> None:
        self._notify = _open_notify() if push else None
        self._poll = select.poll()
        if self._notify is not None:
            self._poll.register(self._notify.fileno(), select.POLLIN)
        self.has_push = self._notify is not None
        self._period = SWEEP_SECONDS if self.has_push else SWEEP_ALONE_SECONDS
        self._next_sweep = time.monotonic() + self._period
        self._stamps: dict[str, _Stamp | None] = {}
        self._pushed: dict[int, str] = {}
        self._quiet: set[str] = set()

    def add(self, folder: str, *, push: bool = True) -> None:
        """Watch a folder from now on; without push only the sweep looks at it."""
        if folder not in self._stamps:
            if not push:
                self._quiet.add(folder)
            self._ask_for_push(folder)
            self._stamps[folder] = _stamp(folder)

    def stop_without(self, descriptor: int) -> None:
        """Let `wait` raise BrokenPipeError once nobody reads what is written there."""
        self._poll.register(descriptor, 0)

    def wait(self, seconds: float | None = None) -> Changes:
        """Wait until something changes, at most so long; tells what changed in which folder."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            until = self._next_sweep if end is None else min(end, self._next_sweep)
            changes = self._read_pushed(max(0.0, until - time.monotonic()))
            now = time.monotonic()
            if now >= self._next_sweep:
                self._next_sweep = now + self._period
                changes |= self._sweep()
            if changes or (end is not None and now >= end):
                return changes

    def close(self) -> None:
        """Stop watching."""
        if self._notify is not None:
            self._notify.close()

    def _ask_for_push(self, folder: str) -> None:
        """Ask for events of a folder; where that is refused the sweep goes on alone."""
        if self._notify is None or folder in self._quiet:
            return
        try:
            self._pushed[self._notify.add_watch(folder, _wanted())] = folder
        except (FileNotFoundError, NotADirectoryError):
            return  # asked again when it appears
        except OSError:  # too many watches on this machine
            self.has_push = False
            self._period = SWEEP_ALONE_SECONDS

    def _read_pushed(self, seconds: float) -> Changes:
        changes: Changes = {}
        for descriptor, state in self._poll.poll(seconds * 1000 + 1 if seconds else 0):
            if self._notify is None or descriptor != self._notify.fileno():
                if state & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
                    raise BrokenPipeError("nobody reads any more")
                continue
            for event in self._notify.read(timeout=0):
                self._take(event, changes)
        return changes

    def _take(self, event: Any, changes: Changes) -> None:
        from inotify_simple import flags  # type: ignore[import-untyped]

        if event.mask & flags.Q_OVERFLOW:
            changes.update(dict.fromkeys(self._pushed.values()))
        folder = self._pushed.get(event.wd)
        if folder is None:
            return
        if event.mask & flags.IGNORED:
            del self._pushed[event.wd]
        elif event.mask & (flags.DELETE_SELF | flags.MOVE_SELF | flags.UNMOUNT):
            changes[folder] = None
            self._stamps[folder] = None  # so the sweep asks anew for what stands there then
        else:
            names = changes.setdefault(folder, set())
            if names is not None:
                names.add(event.name)

    def _sweep(self) -> Changes:
        changes: Changes = {}
        for folder, before in self._stamps.items():
            now = _stamp(folder)
            if now is not None and (before is None or now.identity != before.identity):
                self._ask_for_push(folder)
                now = _stamp(folder)
            if now != before or (now is not None and not now.is_sure):
                changes[folder] = None
            self._stamps[folder] = now
        return changes


def _stamp(folder: str) -> _Stamp | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    is_sure = abs(time.time_ns() - status.st_mtime_ns) > _COARSE
    return _Stamp((status.st_dev, status.st_ino), status.st_mtime_ns, is_sure)


def _open_notify() -> Any:
    """The system's push, or None where there is none or it is used up."""
    try:
        from inotify_simple import INotify

        return INotify()
    except (ImportError, OSError):
        return None


def _wanted() -> int:
    """All that can make a message appear, become readable, or go; not each write to a file."""
    from inotify_simple import flags

    return int(
        flags.CREATE | flags.MOVED_TO | flags.CLOSE_WRITE | flags.ATTRIB
        | flags.DELETE | flags.MOVED_FROM | flags.DELETE_SELF | flags.MOVE_SELF
    )  # fmt: skip
