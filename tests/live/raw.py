"""A raw QUIC client, for doing what no link of ours would do."""

import asyncio
import ssl
from collections.abc import Callable
from typing import Any

from aioquic.quic import events
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.packet import QuicStreamFrame

from waypost.carriers.keyring import Identity
from waypost.carriers.quic.certificates import certificate


class Raw(asyncio.DatagramProtocol):
    """One connection; `happened` collects what its peer did."""

    def __init__(self, me: Identity | None, server_name: str, alpn: str = "acp/1") -> None:
        configuration = QuicConfiguration(
            is_client=True,
            alpn_protocols=[alpn],
            server_name=server_name,
            verify_mode=ssl.CERT_NONE,
            certificate=certificate(me) if me else None,
            private_key=me.private_key if me else None,
        )
        self.quic = QuicConnection(configuration=configuration)
        self.happened: list[events.QuicEvent] = []
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    async def dial(self, address: tuple[str, int]) -> "Raw":
        await self._loop.create_datagram_endpoint(lambda: self, remote_addr=address)
        self.quic.connect(address, self._loop.time())
        self._address = address
        self.flush()
        await self.until(lambda: self.quic._handshake_confirmed or self.ended)
        return self

    def connection_made(self, transport: Any) -> None:
        self.transport: asyncio.DatagramTransport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self.quic.receive_datagram(data, self._address, self._loop.time())
        self.flush()

    def flush(self) -> None:
        for data, _ in self.quic.datagrams_to_send(self._loop.time()):
            self.transport.sendto(data)
        while (event := self.quic.next_event()) is not None:
            self.happened.append(event)
        self._news.set()
        if self._timer is not None:
            self._timer.cancel()
        if (at := self.quic.get_timer()) is not None:
            self._timer = self._loop.call_at(at, self._time_is_up)

    def _time_is_up(self) -> None:
        self.quic.handle_timer(self._loop.time())
        self.flush()

    def send(self, data: bytes, *, ends: bool = True, pushes: bool = False) -> int:
        """Put data on a stream of its own; gives the stream."""
        stream = self.quic.get_next_available_stream_id(is_unidirectional=pushes)
        self.quic.send_stream_data(stream, data, ends)
        self.flush()
        return stream

    def send_with_hole(self, offset: int) -> None:
        """Send one byte far behind the beginning of a stream, and never what is before it."""
        stream = self.quic.get_next_available_stream_id()
        sender: Any = self.quic._get_or_create_stream_for_send(stream).sender
        frames = [QuicStreamFrame(data=b"x", offset=offset)]

        def one_frame(*_: object) -> QuicStreamFrame | None:
            sender.highest_offset = offset + 1
            sender.buffer_is_empty = len(frames) <= 1
            return frames.pop() if frames else None

        sender.buffer_is_empty = False
        sender.get_frame = one_frame
        sender.on_data_delivery = lambda *_: None
        self.flush()

    async def until(self, condition: Callable[[], object]) -> None:
        while not condition():
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), 10)

    async def answer(self, stream: int) -> bytes:
        await self.until(lambda: any(one.end_stream for one in self._data(stream)))
        return b"".join(one.data for one in self._data(stream))

    def _data(self, stream: int) -> list[events.StreamDataReceived]:
        data = [one for one in self.happened if isinstance(one, events.StreamDataReceived)]
        return [one for one in data if one.stream_id == stream]

    async def refusal(self, stream: int) -> int:
        """Wait until the peer doesn't want a stream any more; gives its reason."""
        await self.until(lambda: stream in self.refusals)
        return self.refusals[stream]

    @property
    def refusals(self) -> dict[int, int]:
        kinds = events.StopSendingReceived | events.StreamReset
        return {one.stream_id: one.error_code for one in self.happened if isinstance(one, kinds)}

    @property
    def ended(self) -> events.ConnectionTerminated | None:
        return self.quic._close_event

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.transport.abort()
