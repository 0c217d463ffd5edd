"""Two agents over QUIC on the loopback, each of which has enrolled the other."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from live.ears import Ear, local, token
from waypost.carriers.keyring import Peer
from waypost.carriers.links import Limits, Link
from waypost.carriers.quic import QuicTransport

ANY = ("127.0.0.1", 0)


class Agent:
    """A local agent with a transport and an ear."""

    def __init__(
        self, home: Path, name: str, *, listens: bool = True, limits: Limits | None = None
    ) -> None:
        self.local = local(home, name)
        self.ear = Ear()
        self.transport = QuicTransport([self.local], ANY if listens else None, limits)

    @property
    def id(self) -> str:
        return self.local.identity.id

    @property
    def token(self) -> str:
        return token(self.local, self.transport.address)

    def enrol(self, other: "Agent") -> Peer:
        return self.local.peers.add(other.token, other.local.identity.name)

    async def start(self) -> None:
        await self.transport.start(self.ear)

    async def dial(self, other: "Agent") -> Link:
        return await self.transport.dial(self.local.peers.find(other.id))


@asynccontextmanager
async def agents(
    home: Path, *, kit_listens: bool = False, limits: Limits | None = None
) -> AsyncIterator[tuple[Agent, Agent]]:
    """Kit and family, started, and each other's peers; kit has no limits but the usual."""
    kit = Agent(home, "kit", listens=kit_listens)
    family = Agent(home, "family", limits=limits)
    for agent in (kit, family):
        await agent.start()
    kit.enrol(family)
    family.enrol(kit)
    try:
        yield kit, family
    finally:
        for agent in (kit, family):
            await agent.transport.stop()
