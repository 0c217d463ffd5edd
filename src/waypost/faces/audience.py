"""Who looks at a page now, and since when somebody doesn't."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

QUIET_SECONDS = 60.0  # unless the settings say otherwise
Person = tuple[str, str]  # project and name


class Audience:
    """The people before the open pages of one process. Safe to use from any thread.

    Somebody is away who has looked at no page for the quiet time. Nobody is right after the start:
    pages that were open before come back in a moment.
    """

    def __init__(self, quiet_seconds: float) -> None:
        self.quiet_seconds = quiet_seconds
        self._lock = threading.Lock()
        self._looking: Counter[Person] = Counter()
        self._began = time.monotonic()
        self._looked: dict[Person, float] = {}

    @contextmanager
    def looking(self, person: Person) -> Iterator[None]:
        """Count somebody as looking for as long as this lasts."""
        with self._lock:
            self._looking[person] += 1
        try:
            yield
        finally:
            with self._lock:
                self._looking[person] -= 1
                self._looked[person] = time.monotonic()

    def is_away(self, person: Person) -> bool:
        """Whether somebody has looked at no page for the quiet time."""
        with self._lock:
            is_looking = self._looking[person] > 0
            since = self._looked.get(person, self._began)
        return is_away(is_looking, since, time.monotonic(), self.quiet_seconds)


def is_away(is_looking: bool, looked_at: float, now: float, quiet_seconds: float) -> bool:
    """Whether somebody is told elsewhere: nobody looks, and nobody has for the quiet time."""
    return not is_looking and now - looked_at >= quiet_seconds
