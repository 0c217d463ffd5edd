"""Links run on uvloop as well, whose timers are not quite those of asyncio."""

import asyncio
from pathlib import Path

import pytest
import uvloop

from live.pairs import agents


def test_messages_pass_and_no_timer_breaks(tmp_path: Path) -> None:
    async def story() -> None:
        faults: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, what: faults.append(what))
        async with agents(tmp_path) as (kit, family):
            link = await kit.dial(family)
            numbers = [str(number).encode() for number in range(300)]
            answers = await asyncio.gather(*(link.request(number) for number in numbers))
            assert answers == [b"echo " + number for number in numbers]
            await asyncio.gather(*(link.push(number) for number in numbers))
            await link.drain()
        assert faults == []

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(asyncio.wait_for(story(), 30))


def test_a_timer_whose_time_has_come_is_a_timer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            await kit.dial(family)
            (link,) = kit.transport.links
            with monkeypatch.context() as past:
                past.setattr(link.quic, "get_timer", lambda: link.loop.time() - 1)
                link._set_timer()
                link._set_timer()
            assert await link.request(b"hi") == b"echo hi"

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(asyncio.wait_for(story(), 30))
