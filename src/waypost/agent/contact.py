"""Everything that one local agent holds for one peer: its lines, and reports not yet delivered."""

import asyncio
from collections import deque
from typing import NamedTuple

from waypost.agent.line import Line
from waypost.dialects.acp.events import Seen
from waypost.dialects.acp.wire import Ends

LISTENING = "listening"  # the feature that a listener names in its hello
VISITING = "visiting"  # the feature of a process that comes to ask and is soon gone
TOGETHER = 10.0  # seconds within which two dials count as one meeting
MOST_UNSENT = 1024


class Unsent(NamedTuple):
    """A report that waits for a line, best for the one that brought its task."""

    came: Line
    data: bytes


class Contact:
    """A peer as one local agent knows it while it is online."""

    def __init__(self, me: str, peer: str) -> None:
        self.me, self.peer = me, peer
        self.ends = Ends(me, peer)
        self.seen = Seen()
        self.lines: list[Line] = []
        self.dialling: asyncio.Task[Line] | None = None
        self.unsent: deque[Unsent] = deque(maxlen=MOST_UNSENT)
        self.delivering: asyncio.Task[None] | None = None
        self.redialling: asyncio.Task[None] | None = None

    def best_line(self) -> Line | None:
        """The line to use: the newest that is ready, rather none that is to go, and no visitor's.

        A visitor takes answers and the ends of its own tasks; it has no handlers for more.
        """
        ready = [line for line in self.lines if line.is_ready and not _says(line, VISITING)]
        return next((line for line in reversed(ready) if not line.is_retired), None) or next(
            reversed(ready), None
        )

    def next_unsent(self) -> tuple[Line, Unsent] | None:
        """The first report that a line is there for."""
        best = self.best_line()
        for unsent in self.unsent:
            if (line := unsent.came if unsent.came.is_ready else best) is not None:
                return line, unsent
        return None

    def retire_double(self, listens: bool) -> Line | None:
        """When two listeners have dialled each other at once, give the line that shall go.

        Both ends judge alike: the dial of the agent with the smaller id stays.
        """
        ready = [line for line in self.lines if line.is_ready and _both_listen(line, listens)]
        stays_ours = self.me < self.peer
        kept = [line for line in ready if line.link.is_dialled is stays_ours]
        for line in ready:
            meets = any(abs(line.opened_at - other.opened_at) < TOGETHER for other in kept)
            if meets and line not in kept and not line.is_retired:
                line.is_retired = True
                return line
        return None


def _both_listen(line: Line, listens: bool) -> bool:
    return listens and _says(line, LISTENING)


def _says(line: Line, feature: str) -> bool:
    return feature in (line.channel.peer_hello or {}).get("features", ())
