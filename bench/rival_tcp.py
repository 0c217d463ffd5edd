"""TCP with TLS by asyncio's streams, keys pinned on both sides: what Python can do at its best."""

import asyncio
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from rivals import BYTES, FAMILY, HOST, KIT, Rival, enrol, json_of

from waypost.carriers.keyring import Identity
from waypost.carriers.quic.certificates import certificate

_ASKED, _TOLD = b"?", b"!"
_MESSAGE = json_of(question="Are they?")


@asynccontextmanager
async def serve(home: Path) -> AsyncIterator[int]:
    for one in enrol(home, None):
        _write_pem(home, one)
    server = await asyncio.start_server(_echo, HOST, 0, ssl=_context(home, FAMILY, KIT))
    async with server:
        yield server.sockets[0].getsockname()[1]


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            message = await reader.readexactly(1 + BYTES)
            if message[:1] == _ASKED:
                writer.write(message[1:])
                await writer.drain()
    except (asyncio.IncompleteReadError, OSError):
        writer.close()


class TcpClient:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._asked: deque[asyncio.Future[bytes]] = deque()
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        while True:
            message = await self._reader.readexactly(BYTES)
            self._asked.popleft().set_result(message)

    async def ask(self) -> None:
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._asked.append(answer)
        self._writer.write(_ASKED + _MESSAGE)
        await answer

    async def tell(self) -> None:
        self._writer.write(_TOLD + _MESSAGE)
        await self._writer.drain()

    async def told(self, count: int) -> None:
        await self.ask()  # which comes behind them

    async def close(self) -> None:
        self._reading.cancel()
        self._writer.close()


async def connect(home: Path, port: int) -> TcpClient:
    context = _context(home, KIT, FAMILY)
    return TcpClient(*await asyncio.open_connection(HOST, port, ssl=context))


def _context(home: Path, me: str, peer: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT if me == KIT else ssl.PROTOCOL_TLS_SERVER)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(home / f"{me}.pem")
    context.load_verify_locations(home / f"{peer}.pem")
    return context


def _write_pem(home: Path, of: Identity) -> None:
    pem = serialization.Encoding.PEM
    key = of.private_key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (home / f"{of.name}.pem").write_bytes(key + certificate(of).public_bytes(pem))


RIVAL = Rival(serve, connect)
