"""Links in memory behave as real ones do: trust, limits, ends."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from live.ears import Ear, local, run, token
from waypost.carriers.links import Limits, Link
from waypost.carriers.memory import MemoryNetwork, MemoryTransport
from waypost.errors import BusyError, LostError, NotTrustedError, TooLargeError, UnreachableError

HOUSE = ("family", 1)


class Pair:
    """Kit, who dials, and family, who listens; each has enrolled the other."""

    def __init__(self, home: Path, limits: Limits | None = None) -> None:
        self.kit, self.family = local(home, "kit"), local(home, "family")
        self.peer = self.kit.peers.add(token(self.family, HOUSE), "family")
        self.family.peers.add(token(self.kit, None), "kit")
        self.network = MemoryNetwork()
        self.ear, self.other_ear = Ear(), Ear()
        self.dialler = MemoryTransport(self.network, [self.kit], limits=limits)
        self.listener = MemoryTransport(self.network, [self.family], HOUSE, limits)

    async def link(self) -> Link:
        await self.listener.start(self.other_ear)
        await self.dialler.start(self.ear)
        return await self.dialler.dial(self.peer)

    async def stop(self) -> None:
        await self.dialler.stop()
        await self.listener.stop()


def test_requests_are_answered_and_pushes_arrive(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path)
        link = await pair.link()
        assert (link.me, link.peer) == (pair.kit.identity.id, pair.family.identity.id)
        assert await link.request(b"hi") == b"echo hi"
        await link.push(b"psst")
        assert await pair.other_ear.heard.get() == b"psst"
        assert await pair.other_ear.links[0].request(b"you?") == b"echo you?"
        await pair.stop()
        assert await pair.ear.ends.get() == await pair.other_ear.ends.get() == "the agent stops"

    run(story())


def test_strangers_are_refused_and_noted(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path)
        pair.family.peers.remove("kit")
        with pytest.raises(NotTrustedError):
            await pair.link()
        await pair.stop()
        assert [knock.id for knock in pair.family.peers.knocks()] == [pair.kit.identity.id]

    run(story())


def test_nobody_at_an_address_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path)
        await pair.dialler.start(pair.ear)
        with pytest.raises(UnreachableError):
            await pair.dialler.dial(pair.peer)
        await pair.stop()

    run(story())


def test_a_revoked_key_loses_its_link_and_learns_why(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path)
        link = await pair.link()
        waiting = asyncio.ensure_future(link.request(b"wait"))
        local(tmp_path, "family").peers.remove("kit")
        with pytest.raises(NotTrustedError):
            await waiting
        assert not link.is_open
        await pair.stop()

    run(story())


def test_a_request_given_up_is_told_to_the_peer(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path)
        waiting = asyncio.ensure_future((await pair.link()).request(b"wait"))
        await pair.other_ear.until(lambda: pair.other_ear.waiting)
        gone = asyncio.Event()
        pair.other_ear.waiting[0].gone = gone.set
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        await asyncio.wait_for(gone.wait(), 5)
        pair.other_ear.waiting[0].answer(b"too late, and harmless")
        await pair.stop()

    run(story())


def test_bounds_cost_the_message_and_never_the_link(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path, Limits(message_bytes=10, in_flight=1))
        link = await pair.link()
        with pytest.raises(TooLargeError):
            await link.request(b"x" * 11)
        waiting = asyncio.ensure_future(link.request(b"wait"))
        await pair.other_ear.until(lambda: pair.other_ear.waiting)
        with pytest.raises(BusyError):
            await link.request(b"hi")
        pair.other_ear.waiting[0].answer(b"done")
        assert await waiting == b"done"
        with pytest.raises(LostError):
            await link.request(b"drop")
        await pair.stop()

    run(story())


def test_a_closed_link_ends_what_waits(tmp_path: Path) -> None:
    async def story() -> None:
        pair = Pair(tmp_path)
        link = await pair.link()
        waiting = asyncio.ensure_future(link.request(b"wait"))
        await pair.other_ear.until(lambda: pair.other_ear.waiting)
        pair.other_ear.links[0].close("good night")
        with pytest.raises(LostError, match="good night"):
            await waiting
        with pytest.raises(LostError):
            await link.request(b"hi")
        await pair.stop()

    run(story())
