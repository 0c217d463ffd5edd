"""Waiting for mail without holding a thread: the office's journal wakes whoever waits in a loop.

One reader a process follows the events and rings only for those whom a letter went to, or whose
token changed. Who waits joins the bell first and looks at the inbox then, so nothing that comes in
between is missed.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from waypost.errors import WaypostError
from waypost.office import Office
from waypost.office.callers import Caller

Ring = Callable[[], None]
Box = tuple[str, str]  # project and agent
_MOST_AT_ONCE = 500


class Bell:
    """Rings for those in this event loop who wait for mail at one office.

    While nobody waits, nothing is followed, and what other processes do wakes nobody here.
    """

    def __init__(self, office: Office) -> None:
        self._office = office
        self._rings: dict[Box, set[Ring]] = {}
        self._stop_listening: Callable[[], None] | None = None
        self._grown = asyncio.Event()
        self._seen = 0
        self._heard = 0

    async def run(self) -> None:
        """Follow the journal until cancelled."""
        try:
            while True:
                await self._grown.wait()
                self._grown.clear()
                while self._seen < self._heard:
                    try:
                        boxes = await self._news()
                    except WaypostError:  # whoever is rung looks for itself, and tells of it
                        self._seen, boxes = self._heard, set(self._rings)
                    self._ring(boxes)
        finally:
            self._leave()

    @contextmanager
    def joined(self, caller: Caller, ring: Ring) -> Iterator[None]:
        """Have `ring` called, in the loop, whenever a letter to the caller may have come."""
        box = (caller.project, caller.agent)
        self._listen()
        rings = self._rings.setdefault(box, set())
        rings.add(ring)
        try:
            yield
        finally:
            rings.discard(ring)
            if not rings:
                self._rings.pop(box, None)
            if not self._rings:
                self._leave()

    def _listen(self) -> None:
        if self._stop_listening is None:
            loop = asyncio.get_running_loop()
            self._stop_listening = self._office.add_listener(partial(_tell, loop, self._hear))
            self._seen = max(self._seen, self._office.last())

    def _leave(self) -> None:
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None

    def ring_all(self) -> None:
        """Ring for everyone, as when all is about to end."""
        self._ring(list(self._rings))

    def _hear(self, position: int) -> None:
        self._heard = max(self._heard, position)
        self._grown.set()

    async def _news(self) -> set[Box]:
        """Whom the events that weren't looked at yet brought a letter."""
        if not self._rings:
            self._seen = self._heard
            return set()
        entries = await asyncio.to_thread(self._office.desk.journal.read, self._seen, _MOST_AT_ONCE)
        self._seen = entries[-1].position if entries else self._heard
        return {box for entry in entries for box in _boxes(entry.event.project, entry.event.data)}

    def _ring(self, boxes: Iterable[Box]) -> None:
        for box in boxes:
            for ring in list(self._rings.get(box, ())):
                ring()


def _boxes(project: str, data: Any) -> Iterator[Box]:
    if "boxes" in data:  # which every letter has, however it came
        yield from ((project, name) for name in data["to"])
    elif "token" in data:  # a new one or none: who waits with the old one is to leave
        yield (project, data["name"])
    elif "shown_to" in data:  # it was held until now
        yield (project, data["shown_to"])


def _tell(loop: asyncio.AbstractEventLoop, hear: Callable[[int], None], position: int) -> None:
    try:
        loop.call_soon_threadsafe(hear, position)
    except RuntimeError:  # the loop is closed; nobody waits there any more
        return
