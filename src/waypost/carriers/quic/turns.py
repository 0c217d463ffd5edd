"""Waiting in line for a place that others free, first come, first served."""

import asyncio
from collections import deque
from collections.abc import Callable


class Turns:
    """A line in front of a number of places."""

    def __init__(self, free: Callable[[], int]) -> None:
        self._free = free
        self._line: deque[asyncio.Future[None]] = deque()

    async def take(self) -> None:
        """Return when there is a place; whoever called must use it before it awaits anything."""
        if not self._line and self._free() > 0:
            return
        while True:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._line.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self.admit()  # the place may be another's now
                raise
            if self._free() > 0:
                return

    def admit(self) -> None:
        """Let in as many as there are places."""
        places = self._free()
        while self._line and places > 0:
            places -= self._next()

    def dismiss(self) -> None:
        """Let everybody in: there is nothing to wait for any more."""
        self._free = _plenty
        while self._line:
            self._next()

    def __len__(self) -> int:
        return len(self._line)

    def _next(self) -> int:
        """Let the first in; gives the places it takes, none when it left the line."""
        turn = self._line.popleft()
        if turn.done():
            return 0
        turn.set_result(None)
        return 1


def _plenty() -> int:
    return 1
