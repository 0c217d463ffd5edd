"""A bad network between two agents: it loses, delays, reorders and doubles datagrams, or is cut."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

Address = tuple[str, int]


class Relay(asyncio.DatagramProtocol):
    """Takes datagrams at an address of its own and passes them on to another, and back."""

    def __init__(self, target: Address, *, loss: float, seconds: float, doubled: float) -> None:
        self.is_cut = False
        self._target = target
        self._loss, self._seconds, self._doubled = loss, seconds, doubled
        self._random = Random(7)
        self._loop = asyncio.get_running_loop()
        self._ways: dict[Address, asyncio.DatagramTransport] = {}

    def connection_made(self, transport: Any) -> None:
        self.transport: asyncio.DatagramTransport = transport

    @property
    def address(self) -> Address:
        host, port = self.transport.get_extra_info("sockname")[:2]
        return host, port

    def datagram_received(self, data: bytes, addr: Address) -> None:
        self._loop.create_task(self._forward(data, addr))

    async def _forward(self, data: bytes, source: Address) -> None:
        if source not in self._ways:
            back = _Back(lambda answer: self._mangle(answer, self._answer(source)))
            way, _ = await self._loop.create_datagram_endpoint(
                lambda: back, remote_addr=self._target
            )
            self._ways.setdefault(source, way)
        self._mangle(data, self._ways[source].sendto)

    def _answer(self, to: Address) -> Callable[[bytes], None]:
        return lambda data: self.transport.sendto(data, to)

    def _mangle(self, data: bytes, send: Callable[[bytes], None]) -> None:
        """Send it on after a while of its own, which reorders; or never, or twice."""
        if self.is_cut or self._random.random() < self._loss:
            return
        for _ in range(1 + (self._random.random() < self._doubled)):
            self._loop.call_later(self._random.uniform(0, self._seconds), send, data)

    def close(self) -> None:
        self.is_cut = True
        for transport in (self.transport, *self._ways.values()):
            transport.abort()


class _Back(asyncio.DatagramProtocol):
    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take

    def datagram_received(self, data: bytes, addr: Address) -> None:
        self._take(data)


@asynccontextmanager
async def relay(
    target: Address | None, *, loss: float = 0.0, seconds: float = 0.0, doubled: float = 0.0
) -> AsyncIterator[Relay]:
    assert target is not None
    loop = asyncio.get_running_loop()
    _, made = await loop.create_datagram_endpoint(
        lambda: Relay(target, loss=loss, seconds=seconds, doubled=doubled),
        local_addr=("127.0.0.1", 0),
    )
    try:
        yield made
    finally:
        made.close()
