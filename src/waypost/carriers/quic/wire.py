"""A QUIC connection's traffic: datagrams in, datagrams out, its clock, its farewell.

What the connection has to tell goes to `happened`; this file knows nothing of messages.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from aioquic.quic.events import ConnectionTerminated, QuicEvent

from waypost.carriers.quic.codes import Code
from waypost.carriers.quic.sockets import Address
from waypost.carriers.quic.tls import PinnedConnection

_GRAIN = 0.001  # seconds; no clock of QUIC is finer
_FAREWELLS = 8  # how often a closed connection says so again
_REASON_BYTES = 200
_DOUBT_SECONDS = 2.0  # for a sign of life, once the network says that nobody is there

Send = Callable[[bytes, Address], None]


class Wire:
    """One connection on the network; a link is made on top of it."""

    def __init__(self, quic: PinnedConnection, send: Send, address: Address) -> None:
        self.quic, self.address = quic, address
        self.loop = asyncio.get_running_loop()
        self.begun = self.heard = self.loop.time()
        self.is_over = False
        self._send = send
        self._wants_flush = False
        self._doubted: float | None = None
        self._farewell: list[tuple[bytes, Any]] = []
        self._farewells = _FAREWELLS
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0  # uvloop's handles don't know, when their time has come already

    # -- what is made on top says what these mean

    def happened(self, events: list[QuicEvent], now: float) -> None:
        """The connection has something to tell, or its handshake went on."""
        raise NotImplementedError

    def terminated(self, event: ConnectionTerminated) -> None:
        """The connection is over."""
        raise NotImplementedError

    def flushed(self) -> None:
        """Something may have left, so something may be free."""
        raise NotImplementedError

    # -- traffic

    def receive(self, data: bytes, source: Address, now: float) -> None:
        """Take a datagram; what it means is told by `settle`, once a batch is taken."""
        if self.is_over:
            self._say_farewell()
            return
        self.heard, self._doubted = now, None
        self.quic.receive_datagram(data, source, now)

    def settle(self, now: float) -> None:
        """Tell what happened; what follows from it is sent in the next turn of the loop.

        By then whoever was told has answered, most of the time, and one datagram holds it all.
        """
        events = []
        while (event := self.quic.next_event()) is not None:
            events.append(event)
        self.happened(events, now)
        self.wake()

    def wake(self) -> None:
        """Have what was handed to the connection sent in this turn of the loop."""
        if not self._wants_flush:
            self._wants_flush = True
            self.loop.call_soon(self._flush_now)

    def _flush_now(self) -> None:
        if self._wants_flush and not self.is_over:
            self.flush(self.loop.time())

    def flush(self, now: float) -> None:
        """Send all that may be sent, and have the clock wake us when it is time again."""
        self._wants_flush = False
        datagrams = self.quic.datagrams_to_send(now)
        for data, to in datagrams:
            self._send(data, to)
        if (end := self.quic.end) is not None:
            self._farewell = datagrams
            self.terminated(end)
            return
        self.flushed()
        if self._timer is None or self._rings_at > now + _GRAIN:
            self._set_timer()

    def _set_timer(self) -> None:
        """Arm the timer; one that is armed and fires early looks again, which is cheaper."""
        at = self.quic.get_timer()
        if at is None or (self._timer is not None and self._rings_at <= at):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._rings_at = self.loop.call_at(at, self._time_is_up), at

    def _time_is_up(self) -> None:
        self._timer = None
        now = self.loop.time()
        due = self.quic.get_timer()
        if due is not None and due <= now:
            self.quic.handle_timer(now)
            self.settle(now)
        else:
            self._set_timer()

    # -- life and death

    def keep_alive(self, now: float, quiet_seconds: float) -> str | None:
        """Ping when it is quiet; gives a reason when there is nobody to keep."""
        if self._doubted is not None and now - self._doubted > _DOUBT_SECONDS:
            return "nobody listens at the peer's address any more"
        if now - self.heard >= quiet_seconds:
            self.quic.send_ping(0)
            self.wake()
        return None

    def doubt(self, now: float) -> None:
        """The network says that nobody listens there, which anybody could claim: see for itself."""
        if self._doubted is None:
            self._doubted = now
            self.quic.send_ping(0)
            self.wake()

    def say_goodbye(self, reason: str, code: Code) -> None:
        """Tell the peer that it is over, and be ready to repeat it."""
        text = reason.encode()[:_REASON_BYTES].decode(errors="ignore")
        self.quic.close(error_code=code, reason_phrase=text)
        self._farewell = self.quic.datagrams_to_send(self.loop.time())
        self._say_farewell()

    def stop(self) -> None:
        """No more clock, no more traffic but farewells."""
        self.is_over = True
        if self._timer is not None:
            self._timer.cancel()

    @property
    def has_farewell(self) -> bool:
        return bool(self._farewell)

    def _say_farewell(self) -> None:
        if self._farewells:
            self._farewells -= 1
            for data, to in self._farewell:
                self._send(data, to)
