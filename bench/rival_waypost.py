"""Two of our agents: handlers at one end, `ask` and `notify` at the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from rivals import BYTES, FAMILY, HOST, KIT, Rival, Tally, enrol, filling

from waypost import Agent
from waypost.agent import Note, Online, Query

# Named, and so loaded before the clock starts: imports have a figure of their own.
from waypost.carriers.quic import QuicTransport

_ENVELOPE = 240  # of an envelope's bytes before what we say


def _family() -> Agent:
    agent, tally = Agent(FAMILY, max_concurrent_tasks=1000), Tally()
    said = filling(BYTES - _ENVELOPE - 55)

    @agent.query("bench.carts")
    async def carts(query: Query) -> str:
        return said

    @agent.query("bench.told")
    async def told(query: Query) -> str:
        await tally.reach(int(query.question))
        return "yes"

    @agent.notify("bench.*")
    async def heard(note: Note) -> None:
        tally.add()

    return agent


@asynccontextmanager
async def serve(home: Path) -> AsyncIterator[int]:
    async with _family().online(f"{HOST}:0", home=home) as family:
        assert family.address is not None
        enrol(home, family.address)
        yield family.address[1]


class WaypostClient:
    def __init__(self, me: Online) -> None:
        self._me = me
        self._question = filling(BYTES - _ENVELOPE - 70)
        self._news = {"text": filling(BYTES - _ENVELOPE - 80)}

    async def ask(self) -> None:
        await self._me.ask(FAMILY, self._question, domain="bench.carts")

    async def tell(self) -> None:
        await self._me.notify("bench.news", self._news, to=FAMILY)

    async def told(self, count: int) -> None:
        await self._me.ask(FAMILY, str(count), domain="bench.told")

    async def close(self) -> None:
        await self._me.__aexit__(None, None, None)


async def connect(home: Path, port: int) -> WaypostClient:
    return WaypostClient(await Agent(KIT).online(home=home, carrier=QuicTransport).__aenter__())


RIVAL = Rival(serve, connect)
