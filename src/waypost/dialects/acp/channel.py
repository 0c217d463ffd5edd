"""One ACP connection as one of its ends sees it: bytes in, events out. Pure.

The caller owns the streams, the clock and the fresh ids; both ends use this same class.

The rules
 1. The end that dialled says hello first, and its peer answers which version will be spoken. An
    end that was dialled answers every request before that with `not_authorized` and drops what
    comes one way. The dialling end holds what overtook the answer, up to a mebibyte, and takes it
    after it: a peer that has mail for us sends it all at once.
 2. No hello within five seconds: the connection is over.
 3. A request travels on a two-way stream and gets one answer on it. What comes one way is never
    answered.
 4. `from` is the peer's proven key and `to` is ours, in every message: else `not_authorized`.
 5. What can't be parsed costs its stream. What can is answered: `unknown_kind`,
    `incompatible_version`, `invalid_envelope`.
 6. An exchange has one deadline, fixed when it begins. An answer behind it is late, and so is one
    that comes when the asker has given up; late answers are told as late and change nothing.
 7. An answer names the request in `ref`, and is of a kind that answers it; an error always may.
    An error that comes one way and names an open exchange ends it, too.
 8. A message that comes a second time is not taken a second time, by its id: one-way ones are
    dropped, requests are refused. Delegations are let through, for `tasks` knows its own.
"""

from typing import NamedTuple

from waypost.dialects.acp.events import (
    Answer,
    Dropped,
    Greeting,
    Held,
    Overdue,
    Refusal,
    Request,
    Seen,
    Told,
)
from waypost.dialects.acp.rules import VERSION
from waypost.dialects.acp.wire import Ends, Fault, Stamp
from waypost.dialects.message import Fields

HELLO_WITHIN = 5.0
MOST_HELD_BYTES = 1 << 20
QUERY_DEADLINE = 30.0
_LONGEST = 366 * 24 * 3600 * 1000  # milliseconds

REQUESTS = {
    "hello": ("hello",),
    "ping": ("pong",),
    "query": ("response",),
    "delegate": ("ack",),
    "cancel": ("ack",),
    "discover": ("capabilities",),
}
ONE_WAY = frozenset({"notify", "result", "error"})


class _Open(NamedTuple):
    kind: str
    id: str
    deadline: float


class Channel:
    """The state of one connection: whether the hello is done, and which exchanges are open."""

    def __init__(self, ends: Ends, now: float, *, dialled: bool, seen: Seen | None = None) -> None:
        self.ends = ends
        self.is_ready = False
        self.hello_by = now + HELLO_WITHIN
        self.peer_hello: Fields | None = None
        self._dialled = dialled
        self._seen = Seen() if seen is None else seen
        self._given_up = Seen(512)
        self._ours: dict[str, _Open] = {}
        self._theirs: dict[int, _Open] = {}
        self._count = 0
        self._held = 0

    # -- what we send ----------------------------------------------------------------------

    def hello(self, payload: Fields, stamp: Stamp) -> bytes:
        """Write the hello that the dialling end begins with."""
        said = {"protocol_versions": [VERSION], **payload}
        data = self.ends.write("hello", said, None, stamp)
        self._ours[stamp.id] = _Open("hello", stamp.id, self.hello_by)
        return data

    def ask(
        self,
        kind: str,
        payload: Fields,
        stamp: Stamp,
        deadline: float,
        ref: str | None = None,
        *,
        allow_secrets: bool = False,
    ) -> bytes:
        """Write a request and open its exchange, named by the stamp's id."""
        self._must_be_ready()
        data = self.ends.write(kind, payload, ref, stamp, allow_secrets)
        self._ours[stamp.id] = _Open(kind, stamp.id, deadline)
        return data

    def tell(
        self,
        kind: str,
        payload: Fields,
        stamp: Stamp,
        ref: str | None = None,
        *,
        allow_secrets: bool = False,
    ) -> bytes:
        """Write a message that nobody answers."""
        self._must_be_ready()
        return self.ends.write(kind, payload, ref, stamp, allow_secrets)

    def answer(
        self, number: int, kind: str, payload: Fields, stamp: Stamp, *, allow_secrets: bool = False
    ) -> bytes | None:
        """Write the answer to a request; None when it has had its answer."""
        request = self._theirs.get(number)
        if request is None:
            return None
        if kind != "error" and kind not in REQUESTS[request.kind]:
            raise ValueError(f"a {kind} doesn't answer a {request.kind}")
        data = self.ends.write(kind, payload, request.id, stamp, allow_secrets)
        del self._theirs[number]
        return data

    def welcome(self, greeting: Greeting, payload: Fields, stamp: Stamp) -> bytes | None:
        """Write the answer to a hello; from then on the peer may speak."""
        said = {"protocol_versions": [VERSION], "selected_version": VERSION, **payload}
        self.is_ready = True
        return self.answer(greeting.number, "hello", said, stamp)

    def refuse(self, fault: Fault, stamp: Stamp) -> bytes:
        """Write the error that a request gets which isn't taken."""
        said = {"code": fault.code, "message": fault.message, "retryable": False}
        return self.ends.write("error", said, fault.ref, stamp)

    def give_up(self, exchange: str) -> None:
        """Wait no longer for the answer to an exchange."""
        if self._ours.pop(exchange, None) is not None:
            self._given_up.again(exchange)

    def abandon(self, number: int) -> None:
        """The peer waits no longer for the answer to its request."""
        self._theirs.pop(number, None)

    def _must_be_ready(self) -> None:
        if not self.is_ready:
            raise RuntimeError("the hello comes first")

    # -- what comes ------------------------------------------------------------------------

    def asked(self, data: bytes, now: float) -> Request | Greeting | Refusal | Held | Dropped:
        """Take what came on a two-way stream that the peer opened."""
        message = self.ends.read(data)
        if isinstance(message, Fault):
            return Dropped(message) if message.ref is None else Refusal(message)
        kind, name = message["kind"], message["id"]
        if kind == "hello":
            return self._greeted(message, now)
        if not self.is_ready:
            if self._hold(data):
                return Held()
            return Refusal(Fault("not_authorized", "say hello first", name))
        if kind not in REQUESTS:
            return Refusal(Fault("invalid_envelope", f"a {kind} is told on a one-way stream", name))
        if self._seen.again(name.lower()) and kind != "delegate":
            return Refusal(Fault("invalid_envelope", "a message with this id came before", name))
        deadline = now + _window(message)
        return Request(self._opened(kind, name, deadline), kind, message, deadline)

    def answered(self, exchange: str, data: bytes, now: float) -> Answer | Dropped:
        """Take what came back on the stream of one of our exchanges."""
        ours = self._ours.pop(exchange, None)
        late = ours is None or now > ours.deadline
        message = self.ends.read(data)
        if isinstance(message, Fault):
            return Dropped(message)
        kind = message["kind"]
        if ours is None and exchange not in self._given_up:
            return Dropped(Fault("invalid_envelope", "nobody asked for this answer"))
        if str(message["ref"]).lower() != exchange:
            return Dropped(Fault("invalid_envelope", "the answer names another request in ref"))
        if ours and kind != "error" and kind not in REQUESTS[ours.kind]:
            return Dropped(Fault("invalid_envelope", f"a {kind} doesn't answer a {ours.kind}"))
        if ours and ours.kind == "hello" and kind == "hello" and not late:
            if message["payload"]["selected_version"] != VERSION:
                return Dropped(Fault("incompatible_version", "the peer chose another version"))
            self.is_ready, self.peer_hello = True, message["payload"]
        return Answer(exchange, kind, message, late)

    def told(self, data: bytes, now: float) -> Told | Answer | Held | Dropped:
        """Take what came on a one-way stream."""
        message = self.ends.read(data)
        if isinstance(message, Fault):
            return Dropped(message)
        kind, name = message["kind"], message["id"]
        if not self.is_ready:
            return Held() if self._hold(data) else Dropped(Fault("not_authorized", "no hello yet"))
        if kind not in ONE_WAY:
            return Dropped(Fault("invalid_envelope", f"a {kind} came on a one-way stream"))
        if self._seen.again(name.lower()):
            return Dropped(Fault("invalid_envelope", "a message with this id came before"))
        if kind == "error" and (ours := self._ours.pop(message["ref"].lower(), None)):
            self._given_up.again(ours.id)
            return Answer(ours.id, kind, message, now > ours.deadline)
        return Told(kind, message)

    def _greeted(self, message: Fields, now: float) -> Greeting | Refusal:
        if message.get("ref") is not None:
            fault = Fault("invalid_envelope", "nobody said hello to be answered", message["id"])
            return Refusal(fault)
        if VERSION not in message["payload"]["protocol_versions"]:
            said = f"only version {VERSION} is spoken here"
            return Refusal(Fault("incompatible_version", said, message["id"]))
        self.peer_hello = message["payload"]
        number = self._opened("hello", message["id"], now + HELLO_WITHIN)
        return Greeting(number, message)

    def _hold(self, data: bytes) -> bool:
        """Whether a message may wait for the hello: only at the dialling end, and not too much."""
        self._held += len(data)
        return self._dialled and self._held <= MOST_HELD_BYTES

    def _opened(self, kind: str, name: str, deadline: float) -> int:
        self._count += 1
        self._theirs[self._count] = _Open(kind, name, deadline)
        return self._count

    # -- time ------------------------------------------------------------------------------

    def due(self) -> float | None:
        """When `overdue` should be called, if nothing else happens."""
        deadlines = [one.deadline for one in (*self._ours.values(), *self._theirs.values())]
        if not self.is_ready:
            deadlines.append(self.hello_by)
        return min(deadlines, default=None)

    def overdue(self, now: float) -> list[Overdue]:
        """Give up what has passed its deadline; a request of the peer waits for an error only."""
        ours = [one for one in self._ours.values() if now > one.deadline]
        theirs = [(number, one) for number, one in self._theirs.items() if now > one.deadline]
        for one in ours:
            self.give_up(one.id)
        for number, one in theirs:
            self._theirs[number] = one._replace(deadline=float("inf"))
        found = [Overdue(one.id, None, one.kind) for one in ours]
        return found + [Overdue(None, number, one.kind) for number, one in theirs]

    def is_over(self, now: float) -> bool:
        """Whether the time for the hello has passed without one."""
        return not self.is_ready and now > self.hello_by


def _window(message: Fields) -> float:
    """How many seconds a request waits for its answer; none or zero asks for the default."""
    payload = message.get("payload") or {}
    milliseconds = payload.get("deadline_ms") if isinstance(payload, dict) else None
    return min(milliseconds or QUERY_DEADLINE * 1000, _LONGEST) / 1000
