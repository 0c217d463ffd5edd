"""Tells whoever waits that the journal grew: in this process at once, in others by a touched file.

The file is watched only while somebody waits or listens, by one thread a process. A sweep finds
what the bell didn't tell, so that a lost ring costs moments and never a letter.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress

FILE = "office.bell"
_SWEEP_SECONDS = 1.0
_NAP_SECONDS = 0.005  # in which others may ring, when it was we who woke our own watch


class Bell:
    """Rung after each commit; gives the newest position to those who wait."""

    def __init__(self, home: str, newest: Callable[[], int]) -> None:
        self._newest = newest
        self._path = os.path.join(home, FILE)
        self._changed = threading.Condition()
        self._heard = 0
        self._waiting = 0
        self._listeners: dict[object, Callable[[int], None]] = {}
        self._has_rung = False
        self._watch: threading.Thread | None = None
        self._closed = threading.Event()
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        self._file: int | None = None
        with suppress(OSError):  # a home that may only be read has nobody to ring for
            self._file = os.open(self._path, flags, 0o600)

    def ring(self, position: int) -> None:
        """Tell everyone on this machine that the journal grew to a position."""
        self._hear(position)
        self._has_rung = True
        if self._file is not None:
            with suppress(OSError):
                os.utime(self._file)

    def wait(self, after: int, timeout: float) -> int:
        """Wait until the journal is longer than `after`; gives its length as far as known."""
        self._start_watch()
        self._hear(self._newest())
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._heard > after or self._closed.is_set(), timeout)
            self._waiting -= 1
            return self._heard

    def add_listener(self, listener: Callable[[int], None]) -> Callable[[], None]:
        """Call with every new length; gives what ends it."""
        key = object()
        with self._changed:
            self._listeners[key] = listener
            self._changed.notify_all()
        self._start_watch()

        def remove() -> None:
            with self._changed:
                self._listeners.pop(key, None)

        return remove

    def close(self) -> None:
        """Let everyone go who waits."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
            file, self._file = self._file, None
        if self._watch is not None:
            with suppress(OSError):
                os.utime(self._path)  # the watching thread looks up
            self._watch.join(timeout=2 * _SWEEP_SECONDS)
        if file is not None:
            os.close(file)

    def _hear(self, position: int) -> None:
        with self._changed:
            if position <= self._heard:
                return
            self._heard = position
            self._changed.notify_all()
            listeners = list(self._listeners.values())
        for listener in listeners:
            with suppress(Exception):  # one that fails mustn't keep the others from hearing
                listener(position)

    def _is_wanted(self) -> bool:
        return bool(self._listeners or self._waiting) or self._closed.is_set()

    def _start_watch(self) -> None:
        with self._changed:
            if self._watch is not None or self._closed.is_set():
                return
            self._watch = threading.Thread(target=self._look, name="waypost-bell", daemon=True)
        self._watch.start()

    def _look(self) -> None:
        pause = _pause_until_touched(self._path) or self._closed.wait
        while not self._closed.is_set():
            with self._changed:  # while nobody wants to know, other processes don't wake this one
                self._changed.wait_for(self._is_wanted)
            pause(_SWEEP_SECONDS)
            if self._has_rung:
                self._has_rung = False
                self._closed.wait(_NAP_SECONDS)
            with suppress(Exception):  # a database in trouble: the next look may succeed
                self._hear(self._newest())


def _pause_until_touched(path: str) -> Callable[[float], object] | None:
    """What waits until a file is touched, or for so many seconds; None where that can't be told."""
    try:
        from inotify_simple import INotify, flags  # type: ignore[import-untyped]

        watcher = INotify()
        watcher.add_watch(path, flags.ATTRIB)
    except (ImportError, OSError):
        return None
    return lambda seconds: watcher.read(timeout=int(seconds * 1000))
