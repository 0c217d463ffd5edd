"""What strangers and unruly peers do to a port costs nobody else anything."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from live.ears import run
from live.pairs import Agent, agents
from live.raw import Raw
from waypost.carriers.keyring import identity, token_of
from waypost.carriers.links import MOST_MESSAGE_BYTES, Limits, Link
from waypost.carriers.quic.codes import Code

NOT_KNOWN, NO_CERTIFICATE, NO_SUCH_NAME, NO_PROTOCOL = 0x12A, 0x128, 0x170, 0x178


class Scene:
    """Family listens, kit holds a link to it, and somebody raw comes along."""

    def __init__(self, home: Path, family: Agent, link: Link) -> None:
        self.home, self.family, self.link = home, family, link
        self.address = family.transport.address or ("", 0)
        self.raws: list[Raw] = []
        self.mallory = identity(home, "mallory")

    async def raw(self, *, known: bool = True, name: str | None = None, alpn: str = "acp/1") -> Raw:
        if known:
            self.family.local.peers.add(token_of(self.mallory.public_key), "mallory")
        return await self.meet(Raw(self.mallory, name or self.family.id, alpn))

    async def meet(self, raw: Raw) -> Raw:
        self.raws.append(raw)
        return await raw.dial(self.address)

    async def is_well(self) -> bool:
        return await self.link.request(b"hi") == b"echo hi"


@asynccontextmanager
async def scene(home: Path, limits: Limits | None = None) -> AsyncIterator[Scene]:
    async with agents(home, limits=limits) as (kit, family):
        stage = Scene(home, family, await kit.dial(family))
        yield stage
        assert await stage.is_well()
        for raw in stage.raws:
            raw.close()


def test_a_stranger_is_refused_inside_the_handshake(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw(known=False)
            assert raw.ended is not None
            assert raw.ended.error_code == NOT_KNOWN
            assert [knock.id for knock in stage.family.local.peers.knocks()] == [stage.mallory.id]

    run(story())


def test_who_has_no_certificate_is_refused_and_not_noted(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.meet(Raw(None, stage.family.id))
            assert raw.ended is not None
            assert raw.ended.error_code == NO_CERTIFICATE
            assert stage.family.local.peers.knocks() == []

    run(story())


def test_who_asks_for_another_agent_or_protocol_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            elsewhere = await stage.raw(name=stage.mallory.id)
            foreign = await stage.raw(alpn="h3")
            assert elsewhere.ended is not None
            assert foreign.ended is not None
            assert elsewhere.ended.error_code == NO_SUCH_NAME
            assert foreign.ended.error_code == NO_PROTOCOL

    run(story())


def test_one_byte_too_many_costs_the_stream_and_not_the_connection(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw()
            for pushes in (False, True):
                stream = raw.send(b"x" * (MOST_MESSAGE_BYTES + 1), pushes=pushes)
                if not pushes:
                    assert await raw.refusal(stream) == Code.TOO_LARGE
            assert await raw.answer(raw.send(b"hi")) == b"echo hi"
            assert stage.family.ear.heard.empty()

    run(story())


def test_a_message_without_end_is_stopped(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw()
            stream = raw.send(b"x" * 1_000_000, ends=False, pushes=True)
            assert await raw.refusal(stream) == Code.TOO_LARGE
            assert await raw.answer(raw.send(b"hi")) == b"echo hi"

    run(story())


def test_ten_thousand_streams_are_let_in_few_at_a_time(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw()
            for number in range(10_000):
                raw.quic.send_stream_data(4 * number, b"x")
            raw.flush()
            assert await stage.is_well()
            (link,) = [one for one in stage.family.transport.links if one.peer == stage.mallory.id]
            assert link.quic.streams_open <= stage.family.transport.limits.requests_from_peer
            assert raw.ended is None

    run(story())


def test_who_opens_more_streams_than_allowed_loses_its_own_connection(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw()
            raw.quic._remote_max_streams_bidi = 100_000
            for number in range(10_000):
                raw.quic.send_stream_data(4 * number, b"x")
            raw.flush()
            await raw.until(lambda: raw.ended)

    run(story())


def test_half_a_message_and_a_reset_is_no_message(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw()
            for pushes in (False, True):
                stream = raw.send(b"half", ends=False, pushes=pushes)
                raw.quic.reset_stream(stream, 7)
            raw.flush()
            assert await raw.answer(raw.send(b"hi")) == b"echo hi"
            assert stage.family.ear.heard.empty()
            assert stage.family.ear.waiting == []

    run(story())


def test_a_message_that_drips_in_is_refused_in_time(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path, Limits(message_seconds=0.1)) as stage:
            raw = await stage.raw()
            stream = raw.send(b"{", ends=False)
            assert await raw.refusal(stream) == Code.TOO_SLOW
            assert await raw.answer(raw.send(b"hi")) == b"echo hi"

    run(story())


def test_what_is_held_for_a_peer_is_bounded(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path, Limits(buffered_bytes=100_000)) as stage:
            raw = await stage.raw()
            for _ in range(4):
                raw.send(b"x" * 30_000, ends=False)
            await raw.until(lambda: Code.BUSY in raw.refusals.values())
            assert await raw.answer(raw.send(b"hi")) == b"echo hi"

    run(story())


def test_messages_with_holes_fill_no_more_than_the_window(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path, Limits(buffered_bytes=100_000)) as stage:
            raw = await stage.raw()
            for _ in range(100):
                raw.send_with_hole(offset=50_000)
            (link,) = [one for one in stage.family.transport.links if one.peer == stage.mallory.id]
            assert await stage.is_well()
            held = sum(len(one.receiver._buffer) for one in link.quic._streams.values())
            assert held <= 110_000

    run(story())


def test_garbage_is_not_answered_and_harms_nobody(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.setblocking(False)
                for size in [0, 1, 2, 8, 20, 1199, 1200, 1500, 9000] * 30:
                    sender.sendto(os.urandom(size), stage.address)
                    sender.sendto(b"\xc0\0\0\0\x01\x08" + os.urandom(size), stage.address)
                assert await stage.is_well()
                assert len(stage.family.transport._young) <= 64

    run(story())


def test_handshakes_that_nobody_finishes_leave_room_for_others(tmp_path: Path) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            limits = family.transport.limits
            for _ in range(300):
                raw = Raw(None, family.id)
                raw.quic.connect(family.transport.address, 0.0)
                (data, _), *_ = raw.quic.datagrams_to_send(0.0)
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                    sender.sendto(data, family.transport.address or ("", 0))
                await asyncio.sleep(0)
            assert len(family.transport._young) <= limits.handshakes
            assert await (await kit.dial(family)).request(b"hi") == b"echo hi"

    run(story())


def test_two_messages_on_a_stream_come_as_one_piece(tmp_path: Path) -> None:
    async def story() -> None:
        async with scene(tmp_path) as stage:
            raw = await stage.raw()
            stream = raw.send(b"{}", ends=False)
            raw.quic.send_stream_data(stream, b"{}", end_stream=True)
            raw.flush()
            assert await raw.answer(stream) == b"echo {}{}"

    run(story())
