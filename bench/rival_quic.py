"""A bare echo by aioquic's own asyncio layer, with our pinning of keys and nothing else of ours.

Its messages are bytes that nobody reads: what it takes longer than TCP is the library's share.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import QuicServer
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import HandshakeCompleted, QuicEvent, StreamDataReceived
from rivals import FAMILY, HOST, KIT, Rival, Tally, enrol, json_of

from waypost.carriers.keyring import Identity, identity
from waypost.carriers.links import Local
from waypost.carriers.quic.certificates import certificate
from waypost.carriers.quic.tls import Trust, _Context

_MESSAGE = json_of(question="Are they?")
_REACHED = b"reached?"


class Pinned(QuicConnection):
    """The library's connection, with the handshake of ours."""

    trust: Trust

    def _initialize(self, peer_cid: bytes) -> None:
        super()._initialize(peer_cid)
        context: Any = self.tls
        context.__class__ = _Context
        context.trust = self.trust


def _configuration(me: Identity, **options: Any) -> QuicConfiguration:
    return QuicConfiguration(
        alpn_protocols=["acp/1"],
        certificate=certificate(me),
        private_key=me.private_key,
        verify_mode=ssl.CERT_NONE,
        **options,
    )


def _trust(me: Identity, peer: Identity) -> Trust:
    locals_: list[Any] = [Local(me, None)]  # type: ignore[arg-type]  # it keeps no list
    return Trust(locals_, lambda _, shown: shown == peer.public_key, None)


class Echo(QuicConnectionProtocol):
    """The listening end."""

    def __init__(self, quic: QuicConnection, stream_handler: object = None) -> None:
        super().__init__(quic)
        quic.__class__ = Pinned  # the library makes connections with no place to say their class
        self._bodies: dict[int, bytes] = {}
        self._tally = Tally()

    def quic_event_received(self, event: QuicEvent) -> None:
        if not isinstance(event, StreamDataReceived):
            return
        body = self._bodies.pop(event.stream_id, b"") + event.data
        if not event.end_stream:
            self._bodies[event.stream_id] = body
        elif event.stream_id & 2:
            self._tally.add()
        elif body.startswith(_REACHED):
            count = int(body[len(_REACHED) :])
            self._reaching = asyncio.ensure_future(self._reach(event.stream_id, count))
        else:
            self._quic.send_stream_data(event.stream_id, body, end_stream=True)

    async def _reach(self, stream_id: int, count: int) -> None:
        await self._tally.reach(count)
        self._quic.send_stream_data(stream_id, b"yes", end_stream=True)
        self.transmit()


@asynccontextmanager
async def serve(home: Path) -> AsyncIterator[int]:
    kit, family = enrol(home, None)
    loop = asyncio.get_running_loop()
    Pinned.trust = _trust(family, kit)
    configuration = _configuration(family, is_client=False)
    transport, server = await loop.create_datagram_endpoint(
        lambda: QuicServer(configuration=configuration, create_protocol=Echo),
        local_addr=(HOST, 0),
    )
    yield transport.get_extra_info("sockname")[1]
    server.close()


class Asker(QuicConnectionProtocol):
    """The dialling end's connection."""

    def __init__(self, quic: QuicConnection) -> None:
        super().__init__(quic)
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        self._bodies: dict[int, bytes] = {}
        self._handshake: asyncio.Future[None] = self._loop.create_future()

    def quic_event_received(self, event: QuicEvent) -> None:
        if isinstance(event, HandshakeCompleted):
            self._handshake.set_result(None)
        elif isinstance(event, StreamDataReceived):
            body = self._bodies.pop(event.stream_id, b"") + event.data
            if event.end_stream:
                self._asked.pop(event.stream_id).set_result(body)
            else:
                self._bodies[event.stream_id] = body

    async def stands(self) -> None:
        await self._handshake

    async def request(self, message: bytes) -> bytes:
        stream_id = self._quic.get_next_available_stream_id()
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._asked[stream_id] = answer
        self._quic.send_stream_data(stream_id, message, end_stream=True)
        self._transmit_soon()
        return await answer

    async def push(self, message: bytes) -> None:
        stream_id = self._quic.get_next_available_stream_id(is_unidirectional=True)
        self._quic.send_stream_data(stream_id, message, end_stream=True)
        self._transmit_soon()
        while len(self._quic._streams) > 64:  # the library queues without limit
            await asyncio.sleep(0)


class QuicClient:
    def __init__(self, asker: Asker, transport: asyncio.DatagramTransport) -> None:
        self._asker, self._transport = asker, transport

    async def ask(self) -> None:
        await self._asker.request(_MESSAGE)

    async def tell(self) -> None:
        await self._asker.push(_MESSAGE)

    async def told(self, count: int) -> None:
        await self._asker.request(_REACHED + str(count).encode())

    async def close(self) -> None:
        self._asker.close()
        self._transport.close()


async def connect(home: Path, port: int) -> QuicClient:
    kit, family = identity(home, KIT), identity(home, FAMILY)
    configuration = _configuration(kit, is_client=True, server_name=family.id)
    loop = asyncio.get_running_loop()
    quic = Pinned(configuration=configuration)
    quic.trust = _trust(kit, family)
    transport, asker = await loop.create_datagram_endpoint(
        lambda: Asker(quic), local_addr=(HOST, 0)
    )
    asker.connect((HOST, port))
    await asker.stands()
    return QuicClient(asker, transport)


RIVAL = Rival(serve, connect)
