"""One QUIC connection as a Link: its streams become messages, its messages become streams.

Nothing here decides whom to trust, and nothing knows what the messages say.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol

from aioquic.quic import events

from waypost.carriers.links import Limits, Receiver, check_flight, check_size, lost
from waypost.carriers.quic import codes
from waypost.carriers.quic.arrivals import Arrivals
from waypost.carriers.quic.codes import Code
from waypost.carriers.quic.sockets import Address
from waypost.carriers.quic.tls import PinnedConnection
from waypost.carriers.quic.turns import Turns
from waypost.carriers.quic.wire import Send, Wire
from waypost.errors import WaypostError

_LOG = logging.getLogger("waypost.links")
_MOST_PUSHES = 64  # that the peer hasn't confirmed yet; more wait for their turn


class Host(Protocol):
    """What a link asks of its transport."""

    limits: Limits
    receiver: Receiver

    def confirmed(self, link: "QuicLink") -> None:
        """Both ends have finished the handshake."""

    def ended(self, link: "QuicLink", reason: str) -> None:
        """The connection is no more, or never came to be."""

    def renumber(self, link: "QuicLink", connection_id: bytes, *, is_new: bool) -> None:
        """A connection id joins or leaves those of the link."""


class QuicLink(Wire):
    """A connection, from its first datagram to its end."""

    def __init__(
        self,
        host: Host,
        quic: PinnedConnection,
        send: Send,
        address: Address,
        *,
        is_dialled: bool,
    ) -> None:
        super().__init__(quic, send, address)
        self.is_dialled = is_dialled
        self.me = quic.trust.local.identity.id
        self.peer = ""
        self.is_open = False
        self.why_closed: Callable[[], WaypostError] | None = None
        self._host = host
        self._mine = 0 if is_dialled else 1
        self._arrivals = Arrivals(host.limits)
        self._early: list[events.QuicEvent] = []  # what came before the handshake was confirmed
        self._asking: dict[int, asyncio.Future[bytes]] = {}
        self._answering: dict[int, QuicWaiting] = {}
        self._pushed: deque[int] = deque()
        self._request_turns = Turns(lambda: quic.requests_free)
        self._push_turns = Turns(self._pushes_free)
        self._drained = Turns(lambda: int(not self._unconfirmed()))

    # -- what a user of links calls

    @property
    def round_trip(self) -> float | None:
        return self.quic.round_trip

    async def request(self, message: bytes) -> bytes:
        self._check(message)
        check_flight(len(self._asking) + len(self._request_turns), self._host.limits)
        await self._request_turns.take()
        self._check(message)
        stream_id = self.quic.get_next_available_stream_id()
        self.quic.send_stream_data(stream_id, message, True)
        answer: asyncio.Future[bytes] = self.loop.create_future()
        self._asking[stream_id] = answer
        self.wake()
        try:
            return await answer
        finally:
            del self._asking[stream_id]
            if answer.cancelled():
                self._end_stream(stream_id, Code.NOT_WANTED)

    async def push(self, message: bytes) -> None:
        self._check(message)
        check_flight(len(self._push_turns), self._host.limits)
        await self._push_turns.take()
        self._check(message)
        stream_id = self.quic.get_next_available_stream_id(is_unidirectional=True)
        self.quic.send_stream_data(stream_id, message, True)
        self._pushed.append(stream_id)
        self.wake()

    async def drain(self) -> None:
        await self._drained.take()

    def close(self, reason: str = "", code: Code = Code.FINE) -> None:
        if not self.is_over:
            self.say_goodbye(reason, code)
            self._finish(reason)

    def _check(self, message: bytes) -> None:
        check_size(message, self._host.limits)
        if self.why_closed is not None:
            raise self.why_closed()

    def _unconfirmed(self) -> int:
        """How many pushes the peer hasn't confirmed; nearly, and never too few."""
        pushed, is_done = self._pushed, self.quic.is_done
        while pushed and is_done(pushed[0]):
            pushed.popleft()
        return len(pushed)

    def _pushes_free(self) -> int:
        return min(_MOST_PUSHES - self._unconfirmed(), self.quic.pushes_free)

    # -- what happens on the connection

    def flushed(self) -> None:
        for turns in (self._request_turns, self._push_turns, self._drained):
            if turns:
                turns.admit()

    def happened(self, news: list[events.QuicEvent], now: float) -> None:
        if not self.is_open and self.quic.is_confirmed and not self.is_over:
            self.me = self.quic.trust.local.identity.id
            self._host.confirmed(self)
            news, self._early = self._early + news, []
        for event in news:
            if type(event) is events.StreamDataReceived and self.is_open:
                self._arrived(event.stream_id, event.data, event.end_stream, now)
            else:
                self._other(event)

    def _other(self, event: events.QuicEvent) -> None:
        if isinstance(event, events.ConnectionIdIssued):
            self._host.renumber(self, event.connection_id, is_new=True)
        elif isinstance(event, events.ConnectionIdRetired):
            self._host.renumber(self, event.connection_id, is_new=False)
        elif self.is_over:
            return
        elif isinstance(event, events.ConnectionTerminated):
            self.terminated(event)
        elif not self.is_open:
            self._early.append(event)
        elif isinstance(event, events.StreamReset):
            self._cut_off(event.stream_id, event.error_code)
        elif isinstance(event, events.StopSendingReceived):
            self._not_wanted(event.stream_id, event.error_code)

    def _arrived(self, stream_id: int, data: bytes, ends: bool, now: float) -> None:
        message = self._arrivals.take(stream_id, data, ends, now)
        if message is None:
            return
        is_mine = stream_id & 1 == self._mine
        if isinstance(message, Code):
            self._end_stream(stream_id, message)
            if is_mine:
                self._conclude(stream_id, codes.of_stream(message))
        elif is_mine:
            self._conclude(stream_id, message)
        elif stream_id & 2:
            _guarded(self._host.receiver.told, self, message)
        else:
            waiting = self._answering[stream_id] = QuicWaiting(self, stream_id)
            _guarded(self._host.receiver.asked, self, waiting, message)

    def _conclude(self, stream_id: int, outcome: bytes | WaypostError) -> None:
        """End a request of ours."""
        answer = self._asking.get(stream_id)
        if answer is None or answer.done():
            return
        if isinstance(outcome, bytes):
            answer.set_result(outcome)
        else:
            answer.set_exception(outcome)

    def _cut_off(self, stream_id: int, code: int) -> None:
        """The peer ended its half of a stream before the message was whole."""
        self._arrivals.cut(stream_id)
        if stream_id & 1 == self._mine:
            self._conclude(stream_id, codes.of_stream(code))
        elif not stream_id & 2:
            self.quic.reset_stream(stream_id, Code.DROPPED)
            self._gone(stream_id)

    def _not_wanted(self, stream_id: int, code: int) -> None:
        """The peer doesn't read our half of a stream any more."""
        if stream_id & 1 == self._mine:
            self._conclude(stream_id, codes.of_stream(code))
        else:
            self._gone(stream_id)

    def _gone(self, stream_id: int) -> None:
        waiting = self._answering.pop(stream_id, None)
        if waiting is not None and waiting.gone is not None:
            _guarded(waiting.gone)

    def answered(self, stream_id: int, message: bytes | None) -> None:
        """Answer a request of the peer, or refuse to when there is no message."""
        if message is not None:
            check_size(message, self._host.limits)
        if self._answering.pop(stream_id, None) is None or self.is_over:
            return
        if message is None:
            self.quic.reset_stream(stream_id, Code.DROPPED)
        else:
            self.quic.send_stream_data(stream_id, message, True)
        self.wake()

    def _end_stream(self, stream_id: int, why: Code) -> None:
        """Have no more to do with a stream, in either direction it has."""
        if self.is_over:
            return
        if self.quic.is_receiving(stream_id):
            self.quic.stop_stream(stream_id, why)
        if stream_id & 1 == self._mine or not stream_id & 2:
            self.quic.reset_stream(stream_id, why)
        self.wake()

    def tend(self, now: float, quiet_seconds: float) -> None:
        """Do what is due from time to time: refuse what drips in, keep a quiet link alive."""
        for stream_id in self._arrivals.overdue(now):
            self._end_stream(stream_id, Code.TOO_SLOW)
            if stream_id & 1 == self._mine:
                self._conclude(stream_id, codes.of_stream(Code.TOO_SLOW))
        if self.is_open and (reason := self.keep_alive(now, quiet_seconds)):
            self.close(reason)

    # -- the end

    def terminated(self, event: events.ConnectionTerminated) -> None:
        if not self.is_over:
            make = codes.of_link if self.is_open else codes.of_dial
            met_another = self.quic.trust.met_another
            self.why_closed = lambda: make(event, met_another=met_another)
            self._finish(event.reason_phrase)

    def _finish(self, reason: str) -> None:
        """Nothing comes or goes any more: tell everybody who waits."""
        self.stop()
        if self.why_closed is None:
            self.why_closed = lambda: lost(reason)
        for answer in self._asking.values():
            if not answer.done():
                answer.set_exception(self.why_closed())
        for stream_id in list(self._answering):
            self._gone(stream_id)
        for turns in (self._request_turns, self._push_turns, self._drained):
            turns.dismiss()
        self._host.ended(self, reason)


class QuicWaiting:
    """A request of the peer that waits for its answer."""

    __slots__ = ("_link", "_stream_id", "gone")

    def __init__(self, link: QuicLink, stream_id: int) -> None:
        self.gone: Callable[[], None] | None = None
        self._link, self._stream_id = link, stream_id

    def answer(self, message: bytes) -> None:
        self._link.answered(self._stream_id, message)

    def drop(self) -> None:
        self._link.answered(self._stream_id, None)


def _guarded(call: Callable[..., None], *arguments: object) -> None:
    """Call into the user's code; its faults must not end the link."""
    try:
        call(*arguments)
    except Exception:
        _LOG.exception("a receiver of messages failed")
