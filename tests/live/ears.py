"""Two agents for tests of links, and a receiver that notes what it is told."""

import asyncio
from pathlib import Path
from typing import Any

from waypost.carriers.keyring import Peers, identity, token_of
from waypost.carriers.links import Link, Local, Waiting


def local(home: Path, name: str) -> Local:
    """Give an agent with a key under this home."""
    me = identity(home, name)
    return Local(me, Peers(home, me))


def token(of: Local, address: tuple[str, int] | None) -> str:
    return token_of(of.identity.public_key, *(address or (None, None)))


class Ear:
    """A receiver that answers by echo, and keeps what happened."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()
        self.ends: asyncio.Queue[str] = asyncio.Queue()
        self.waiting: list[Waiting] = []
        self.news = asyncio.Event()

    def opened(self, link: Link) -> None:
        self.links.append(link)
        self.news.set()

    def asked(self, link: Link, waiting: Waiting, message: bytes) -> None:
        if message.startswith(b"wait"):
            self.waiting.append(waiting)
        elif message.startswith(b"drop"):
            waiting.drop()
        else:
            waiting.answer(b"echo " + message)
        self.news.set()

    def told(self, link: Link, message: bytes) -> None:
        self.heard.put_nowait(message)

    def closed(self, link: Link, reason: str) -> None:
        self.links.remove(link)
        self.ends.put_nowait(reason)
        self.news.set()

    async def until(self, condition: Any) -> None:
        """Wait for something that news can make true."""
        while not condition():
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 10)


def run(story: Any) -> None:
    """Run an async story; whatever hangs ends it."""
    asyncio.run(asyncio.wait_for(story, 30))
