"""Links over QUIC: messages, ends, revocation, and several at once."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from live.ears import local, run, token
from live.pairs import ANY, Agent, agents
from waypost.carriers.links import MOST_MESSAGE_BYTES, Limits
from waypost.carriers.quic import QuicTransport
from waypost.errors import BusyError, LostError, NotTrustedError, TooLargeError


def test_requests_are_answered_in_both_directions(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            assert await link.request(b"hi") == b"echo hi"
            await family.ear.until(lambda: family.ear.links)
            assert await family.ear.links[0].request(b"you?") == b"echo you?"
            assert link.round_trip is not None

    run(story())


def test_what_is_pushed_arrives_before_the_link_is_drained(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            for number in range(500):
                await link.push(str(number).encode())
            await link.drain()
            heard = {int(family.ear.heard.get_nowait()) for _ in range(500)}
            assert heard == set(range(500))

    run(story())


@pytest.mark.parametrize("size", [0, 1, 1200, 30_000, MOST_MESSAGE_BYTES - 5])
def test_messages_of_any_size_come_whole(tmp_path: Path, size: int) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            message = bytes(range(256)) * 256
            link = await kit.dial(family)
            assert await link.request(message[:size]) == b"echo " + message[:size]

    run(story())


def test_more_requests_than_streams_wait_for_their_turn(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path, limits=Limits(requests_from_peer=4)) as (kit, family):
            link = await kit.dial(family)
            asked = [link.request(str(number).encode()) for number in range(100)]
            answers = await asyncio.gather(*asked)
            assert answers == [b"echo " + str(number).encode() for number in range(100)]

    run(story())


def test_a_message_that_is_too_large_is_refused_before_it_leaves(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            for send in (link.request, link.push):
                with pytest.raises(TooLargeError, match="65,536"):
                    await send(b"x" * (MOST_MESSAGE_BYTES + 1))
            assert await link.request(b"hi") == b"echo hi"

    run(story())


def test_a_message_larger_than_the_peer_takes_costs_that_message(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path, limits=Limits(message_bytes=1000)) as (kit, family):
            link = await kit.dial(family)
            with pytest.raises(TooLargeError):
                await link.request(b"x" * 1001)
            assert await link.request(b"x" * 900) == b"echo " + b"x" * 900

    run(story())


def test_a_request_given_up_is_told_to_the_peer(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            waiting = asyncio.ensure_future(link.request(b"wait"))
            await family.ear.until(lambda: family.ear.waiting)
            gone = asyncio.Event()
            family.ear.waiting[0].gone = gone.set
            waiting.cancel()
            with suppress(asyncio.CancelledError):
                await waiting
            await asyncio.wait_for(gone.wait(), 5)
            family.ear.waiting[0].answer(b"too late, and harmless")
            assert await link.request(b"hi") == b"echo hi"

    run(story())


def test_requests_given_up_in_the_line_take_no_place(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path, limits=Limits(requests_from_peer=2)) as (kit, family):
            link = await kit.dial(family)
            asked = [asyncio.ensure_future(link.request(b"wait")) for _ in range(20)]
            await family.ear.until(lambda: len(family.ear.waiting) == 2)
            for one in asked[1:]:
                one.cancel()
            await asyncio.wait(asked[1:])
            assert await link.request(b"hi") == b"echo hi"
            family.ear.waiting[0].answer(b"done")
            assert await asked[0] == b"done"

    run(story())


def test_a_dropped_request_costs_the_asker_that_request(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            with pytest.raises(LostError, match="dropped"):
                await link.request(b"drop it")
            assert await link.request(b"hi") == b"echo hi"

    run(story())


def test_both_ends_learn_why_a_link_was_closed(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            waiting = asyncio.ensure_future(link.request(b"wait"))
            await family.ear.until(lambda: family.ear.waiting)
            family.ear.links[0].close("good night")
            with pytest.raises(LostError, match="good night"):
                await waiting
            assert await kit.ear.ends.get() == await family.ear.ends.get() == "good night"
            with pytest.raises(LostError, match="good night"):
                await link.push(b"hello?")

    run(story())


def test_a_revoked_key_loses_its_link_and_learns_why(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            waiting = asyncio.ensure_future(link.request(b"wait"))
            local(tmp_path, "family").peers.remove("kit")  # as another process would
            with pytest.raises(NotTrustedError):
                await waiting
            with pytest.raises(NotTrustedError):
                await kit.dial(family)

    run(story())


def test_who_revokes_a_key_ends_its_own_requests_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            waiting = asyncio.ensure_future(link.request(b"wait"))
            local(tmp_path, "kit").peers.remove("family")
            with pytest.raises(LostError, match="not trusted any more"):
                await waiting
            assert not link.is_open

    run(story())


def test_a_revocation_in_the_middle_of_the_handshake_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            kept = family.transport.confirmed

            def revoked_meanwhile(link: object) -> None:
                local(tmp_path, "family").peers.remove("kit")
                kept(link)  # type: ignore[arg-type]

            monkeypatch.setattr(family.transport, "confirmed", revoked_meanwhile)
            with pytest.raises(NotTrustedError):
                await (await kit.dial(family)).request(b"hi")
            assert not family.ear.links

    run(story())


def test_several_links_with_one_key_live_side_by_side(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path, limits=Limits(links_of_peer=3)) as (kit, family):
            links = [await kit.dial(family) for _ in range(3)]
            assert [await link.request(b"hi") for link in links] == [b"echo hi"] * 3
            with pytest.raises(BusyError):
                await (await kit.dial(family)).request(b"hi")
            assert await links[0].request(b"hi") == b"echo hi"

    run(story())


def test_each_agent_of_a_port_has_its_own_room_for_links(tmp_path: Path) -> None:
    async def story() -> None:
        kit, family = Agent(tmp_path, "kit"), Agent(tmp_path, "family")
        aunt = local(tmp_path, "aunt")
        family.transport = QuicTransport([family.local, aunt], ANY, Limits(links_of_peer=1))
        await asyncio.gather(kit.start(), family.start())
        aunt.peers.add(kit.token, "kit")
        family.enrol(kit)
        kit.enrol(family)
        other = kit.local.peers.add(token(aunt, family.transport.address), "aunt")
        for peer in (kit.local.peers.find("family"), other):
            assert await (await kit.transport.dial(peer)).request(b"hi") == b"echo hi"
        await asyncio.gather(kit.transport.stop(), family.transport.stop())

    run(story())


def test_two_that_dial_each_other_at_once_keep_one_link(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path, kit_listens=True) as (kit, family):
            for _ in range(10):
                mine, theirs = await asyncio.gather(kit.dial(family), family.dial(kit))
                assert len(kit.transport.links) == len(family.transport.links) == 1
                assert mine.is_dialled == (kit.id < family.id) != theirs.is_dialled
                assert await mine.request(b"hi") == await theirs.request(b"hi") == b"echo hi"
                mine.close("again")
                await family.ear.until(lambda: not family.ear.links)

    run(story())
