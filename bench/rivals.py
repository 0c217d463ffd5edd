"""What the bench of live agents asks of each contestant, and the 400 bytes that all carry."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from waypost.carriers.keyring import Identity, Peers, identity, token_of

HOST = "127.0.0.1"
BYTES = 400
KIT, FAMILY = "kit", "family"  # who asks, and who answers


class Client(Protocol):
    """One end that asks and tells; the other end is a process of its own."""

    async def ask(self) -> None:
        """Send 400 bytes and wait for 400 bytes."""

    async def tell(self) -> None:
        """Send 400 bytes that nobody answers."""

    async def told(self, count: int) -> None:
        """Wait until the other end has taken as many messages as were told."""

    async def close(self) -> None:
        """Let go of the connection."""


class Rival(NamedTuple):
    """A contestant: how it listens (giving its port), and how it is dialled."""

    serve: Callable[[Path], AbstractAsyncContextManager[int]]
    connect: Callable[[Path, int], Awaitable[Client]]


class Tally:
    """Counts what was told, for whoever waits for a number of it; then it begins anew."""

    def __init__(self) -> None:
        self._count = 0
        self._wanted = -1
        self._reached = asyncio.Event()

    def add(self) -> None:
        self._count += 1
        if self._count == self._wanted:
            self._reached.set()

    async def reach(self, count: int) -> None:
        self._wanted = count
        if self._count < count:
            await self._reached.wait()
        self._count, self._wanted = 0, -1
        self._reached.clear()


def json_of(**fields: object) -> bytes:
    """A JSON object of just the size that is measured."""
    bare = json.dumps({**fields, "text": ""}, separators=(",", ":"))
    filled = {**fields, "text": filling(BYTES - len(bare))}
    return json.dumps(filled, separators=(",", ":")).encode()


def filling(length: int) -> str:
    """Text of this length."""
    return ("Which of the carts are still open? " * 20)[:length]


def enrol(home: Path, address: tuple[str, int] | None) -> tuple[Identity, Identity]:
    """Give kit and family keys under this home, and have each trust the other."""
    kit, family = identity(home, KIT), identity(home, FAMILY)
    Peers(home, kit).add(token_of(family.public_key, *(address or (None, None))), FAMILY)
    Peers(home, family).add(token_of(kit.public_key), KIT)
    return kit, family
