"""Two ends of ACP back to back: channels and tasks joined by hand, with bytes between them."""

from itertools import count
from typing import Any

from waypost.dialects.acp.channel import Channel
from waypost.dialects.acp.events import Answer, Dropped, Greeting, Refusal, Request, Seen
from waypost.dialects.acp.tasks import Tasks
from waypost.dialects.acp.wire import Ends, Stamp

KIT = "ed25519." + "1" * 32
FAMILY = "ed25519." + "f" * 32
_ids = count(1)


def stamp() -> Stamp:
    """A fresh id that nobody else gets."""
    number = next(_ids)
    return Stamp(f"00000000-0000-4000-8000-{number:012x}", 1773412200000 + number)


class End:
    """One of the two agents: what it keeps for its peer across connections."""

    def __init__(self, me: str, peer: str) -> None:
        self.ends = Ends(me, peer)
        self.seen = Seen()
        self.tasks = Tasks()

    def channel(self, now: float, *, dialled: bool) -> Channel:
        return Channel(self.ends, now, dialled=dialled, seen=self.seen)


class Pair:
    """A connection between two agents, at a time that only moves when it is told to."""

    def __init__(self, *, greeted: bool = True) -> None:
        self.now = 0.0
        self.kit, self.family = End(KIT, FAMILY), End(FAMILY, KIT)
        self.left = self.kit.channel(self.now, dialled=True)
        self.right = self.family.channel(self.now, dialled=False)
        if greeted:
            greet(self.left, self.right, self.now)

    def ask(self, kind: str = "query", deadline: float = 30.0, **payload: Any) -> tuple[str, bytes]:
        """Kit asks; the id of the exchange, and what travels."""
        new = stamp()
        ref = payload.pop("ref", None)
        return new.id, self.left.ask(kind, payload or QUESTION, new, self.now + deadline, ref)

    def arrives(self, data: bytes) -> Request:
        """What kit asked comes to the family, and is taken."""
        event = self.right.asked(data, self.now)
        assert isinstance(event, Request)
        return event

    def refused(self, data: bytes) -> tuple[str, str | None]:
        """What kit asked comes to the family and isn't taken: the code, and the message named."""
        event = self.right.asked(data, self.now)
        assert isinstance(event, Refusal)
        return event.fault.code, event.fault.ref

    def answer(self, request: Request, kind: str = "response", **payload: Any) -> bytes:
        data = self.right.answer(request.number, kind, payload or SUMMARY, stamp())
        assert data is not None
        return data

    def answered(self, exchange: str, data: bytes) -> Answer | Dropped:
        return self.left.answered(exchange, data, self.now)


QUESTION = {"question": "Swimming?"}
SUMMARY = {"summary": "Mon/Wed/Fri"}


def greet(left: Channel, right: Channel, now: float) -> None:
    """Exchange the hello."""
    new = stamp()
    greeting = right.asked(left.hello({}, new), now)
    assert isinstance(greeting, Greeting)
    welcome = right.welcome(greeting, {}, stamp())
    assert welcome is not None
    left.answered(new.id, welcome, now)
    assert left.is_ready
    assert right.is_ready
