"""Agents that are online in one process, enrolled with each other, for stories about them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from waypost import Agent
from waypost.agent import Online
from waypost.agent.online import Carrier
from waypost.carriers.keyring import Peers, identity, token_of
from waypost.carriers.memory import MemoryNetwork, MemoryTransport


class World:
    """A network with a home for every agent."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.network = MemoryNetwork()
        self.carrier: Carrier = partial(MemoryTransport, self.network)

    def enrol(self, *names: str) -> None:
        """Make the agents of these names trust each other, each at its own address."""
        keys = {name: identity(self.home / name, name) for name in names}
        for mine in names:
            peers = Peers(self.home / mine, keys[mine])
            for other in names:
                if other != mine:
                    peers.add(token_of(keys[other].public_key, *_place(other)), other)

    def online(self, agent: Agent, *, listens: bool = True) -> Online:
        """Take an agent online, at its own address."""
        host, port = _place(agent.name)
        address = f"{host}:{port}" if listens else None
        return agent.online(address, home=self.home / agent.name, carrier=self.carrier)

    @asynccontextmanager
    async def both(self, left: Agent, right: Agent) -> AsyncIterator[tuple[Online, Online]]:
        """Two agents online that are enrolled with each other."""
        self.enrol(left.name, right.name)
        async with AsyncExitStack() as stack:
            yield (
                await stack.enter_async_context(self.online(left)),
                await stack.enter_async_context(self.online(right)),
            )


def _place(name: str) -> tuple[str, int]:
    return "127.0.0.1", 7100 + sum(map(ord, name)) % 900


def story(tell: Callable[[World], Awaitable[None]]) -> Callable[[Path], None]:
    """Make an async story a test; it gets a world of its own, and ten seconds."""

    def test(tmp_path: Path) -> None:
        async def told() -> None:
            async with asyncio.timeout(10):
                await tell(World(tmp_path))

        asyncio.run(told())

    test.__name__, test.__doc__ = tell.__name__, tell.__doc__
    return test
