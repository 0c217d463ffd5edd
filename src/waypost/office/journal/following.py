"""Brings what was read from the stream into the tables, and tells who waits for it."""

import heapq
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from waypost.errors import UnreadableError, WaypostError
from waypost.office.journal.cache import Cache, Message, Taken
from waypost.office.journal.reading import Reader

_MOST_AT_ONCE = 256
_PAUSE_SECONDS = 0.2


class Follower:
    """A thread that applies, and one that tells by `grown` how far the tables go.

    They are two because whoever is told may append, and then waits for the first.
    """

    def __init__(
        self, reader: Reader, cache: Cache, after: int, grown: Callable[[Taken], None]
    ) -> None:
        self.applied = after
        self._reader = reader
        self._cache = cache
        self._grown = grown
        self._trouble: WaypostError | None = None
        self._waiting: list[tuple[int, int, threading.Event]] = []
        self._lock = threading.Lock()
        self._is_closing = threading.Event()
        self._news: SimpleQueue[Taken | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="waypost-apply", daemon=True)
        self._thread.start()
        self._herald = threading.Thread(target=self._tell, name="waypost-herald", daemon=True)
        self._herald.start()

    @property
    def trouble(self) -> WaypostError | None:
        """What keeps the tables from following, if anything does."""
        return self._trouble or self._reader.fault

    def wait_for(self, sequence: int, deadline: float) -> bool:
        """Wait until a message is applied; tells whether it was, in time."""
        done = threading.Event()
        with self._lock:
            if sequence <= self.applied:
                return True
            heapq.heappush(self._waiting, (sequence, id(done), done))
        done.wait(max(0.0, deadline - time.monotonic()))
        return sequence <= self.applied

    def close(self) -> None:
        """Stop. What was read and not applied will be read again."""
        self._is_closing.set()
        self._reader.close()
        self._thread.join()
        self._news.put(None)
        if threading.current_thread() is not self._herald:
            self._herald.join()
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for _, _, done in waiting:
            done.set()

    def _run(self) -> None:
        while (batch := self._next_batch()) and not self._is_closing.is_set():
            while not self._take(batch) and not self._is_closing.wait(_PAUSE_SECONDS):
                pass

    def _next_batch(self) -> list[Message]:
        """What came; nothing at the end."""
        batch = []
        message = self._reader.arrived.get()
        while message is not None:
            batch.append(message)
            if len(batch) == _MOST_AT_ONCE:
                break
            try:
                message = self._reader.arrived.get_nowait()
            except Empty:
                break
        return batch

    def _take(self, batch: list[Message]) -> bool:
        """Apply a batch; if this machine can't at the moment, it is tried again."""
        try:
            taken = self._cache.take(batch)
        except WaypostError as error:
            self._trouble = error
            return False
        except Exception as error:  # whatever it is, waiters must hear of it and mail must not jump
            self._trouble = UnreadableError(f"the journal can't be applied: {error!r}")
            return False
        self._trouble = None
        with self._lock:
            self.applied = max(self.applied, taken.sequence)
            done = []
            while self._waiting and self._waiting[0][0] <= self.applied:
                done.append(heapq.heappop(self._waiting)[2])
        for one in done:
            one.set()
        self._reader.make_room()
        self._news.put(taken)
        return True

    def _tell(self) -> None:
        while (taken := self._news.get()) is not None:
            with suppress(WaypostError):
                self._grown(taken)
