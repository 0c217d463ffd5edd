"""Bad networks and dying peers: nothing is lost or doubled, and nothing hangs."""

import asyncio
from pathlib import Path

import pytest

from live.ears import run
from live.pairs import Agent, agents
from live.relay import Relay, relay
from waypost.carriers.keyring import Peer, token_of
from waypost.carriers.links import Limits
from waypost.errors import LostError, UnreachableError


def through(kit: Agent, family: Agent, network: Relay) -> Peer:
    """Enrol family at the relay's address."""
    return kit.local.peers.add(token_of(family.local.identity.public_key, *network.address))


@pytest.mark.parametrize(("loss", "seconds"), [(0.1, 0.0), (0.0, 0.02), (0.15, 0.01)])
def test_a_bad_network_loses_and_doubles_nothing(
    tmp_path: Path, loss: float, seconds: float
) -> None:
    async def story() -> None:
        async with (
            agents(tmp_path) as (kit, family),
            relay(family.transport.address, loss=loss, seconds=seconds, doubled=0.1) as network,
        ):
            link = await kit.transport.dial(through(kit, family, network))
            numbers = [str(number).encode() for number in range(60)]
            answers = await asyncio.gather(*(link.request(number) for number in numbers))
            assert answers == [b"echo " + number for number in numbers]
            await asyncio.gather(*(link.push(number) for number in numbers))
            await link.drain()
            heard = sorted(family.ear.heard.get_nowait() for _ in numbers)
            assert heard == sorted(numbers)
            assert family.ear.heard.empty()

    run(story())


def test_large_messages_come_whole_over_a_bad_network(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            agents(tmp_path) as (kit, family),
            relay(family.transport.address, loss=0.05, seconds=0.01) as network,
        ):
            link = await kit.transport.dial(through(kit, family, network))
            message = bytes(range(256)) * 200
            assert await link.request(message) == b"echo " + message

    run(story())


def test_a_link_outlives_a_short_cut(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            agents(tmp_path) as (kit, family),
            relay(family.transport.address) as network,
        ):
            link = await kit.transport.dial(through(kit, family, network))
            assert await link.request(b"before") == b"echo before"
            network.is_cut = True
            asyncio.get_running_loop().call_later(1.0, setattr, network, "is_cut", False)
            assert await link.request(b"meanwhile") == b"echo meanwhile"

    run(story())


def test_a_cut_network_ends_a_call_at_its_deadline(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            agents(tmp_path) as (kit, family),
            relay(family.transport.address) as network,
        ):
            link = await kit.transport.dial(through(kit, family, network))
            network.is_cut = True
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(link.request(b"hello?"), 0.3)
            network.is_cut = False
            assert await link.request(b"hi") == b"echo hi"

    run(story())


def test_a_dial_into_silence_ends_in_time(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            agents(tmp_path) as (_, family),
            relay(family.transport.address) as network,
        ):
            hasty = Agent(tmp_path, "hasty", listens=False, limits=Limits(dial_seconds=0.3))
            await hasty.start()
            network.is_cut = True
            with pytest.raises(UnreachableError, match="nobody answers"):
                await hasty.transport.dial(through(hasty, family, network))
            await hasty.transport.stop()

    run(story())


def test_a_peer_that_dies_in_mid_exchange_is_noticed(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            waiting = asyncio.ensure_future(link.request(b"wait"))
            await family.ear.until(lambda: family.ear.waiting)
            family.transport._sockets.close()  # as when it is killed: not a word
            hello = asyncio.ensure_future(link.request(b"hello?"))
            for request in (waiting, hello):
                with pytest.raises(LostError, match="nobody listens"):
                    await request
            assert "nobody listens" in await kit.ear.ends.get()

    run(story())


def test_a_peer_comes_back_under_another_port(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            await kit.dial(family)
            await family.transport.stop()
            again = Agent(tmp_path, "family")
            await again.start()
            with pytest.raises(UnreachableError):
                await kit.dial(again)
            kit.enrol(again)
            assert await (await kit.dial(again)).request(b"hi") == b"echo hi"
            await again.transport.stop()

    run(story())


def test_a_message_of_the_network_alone_ends_no_link(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            assert family.transport.address is not None
            kit.transport._nobody_at(family.transport.address)
            await asyncio.wait_for(link.request(b"hi"), 5)
            assert link.is_open

    run(story())
