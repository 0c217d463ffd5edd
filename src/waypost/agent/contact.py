"""Everything that one local agent holds for one peer: its lines, and reports not yet delivered."""

import asyncio
from collections import deque

from waypost.agent.line import Line
from waypost.dialects.acp.events import Seen
from waypost.dialects.acp.wire import Ends

LISTENING = "listening"  # the feature that a listener names in its hello
TOGETHER = 10.0  # seconds within which two dials count as one meeting
MOST_UNSENT = 1024


class Contact:
    """A peer as one local agent knows it while it is online."""

    def __init__(self, me: str, peer: str) -> None:
        self.me, self.peer = me, peer
        self.ends = Ends(me, peer)
        self.seen = Seen()
        self.lines: list[Line] = []
        self.dialling: asyncio.Task[Line] | None = None
        self.unsent: deque[bytes] = deque(maxlen=MOST_UNSENT)
        self.delivering: asyncio.Task[None] | None = None
        self.redialling: asyncio.Task[None] | None = None

    def best_line(self) -> Line | None:
        """The line to use: the newest that is ready, and never one that is to go."""
        ready = [line for line in self.lines if line.is_ready]
        return next((line for line in reversed(ready) if not line.is_retired), None) or next(
            reversed(ready), None
        )

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
    hello = line.channel.peer_hello or {}
    return listens and LISTENING in hello.get("features", ())
