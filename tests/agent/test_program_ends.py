"""How programs end that answer for an agent, and those that hear news and results."""

import asyncio
import json
from pathlib import Path

import pytest
from live_programs import Gate, asking
from live_worlds import World, story

from waypost import Agent
from waypost.agent import processes
from waypost.agent.programs import add_programs
from waypost.errors import (
    TaskCancelledError,
    TimedOutError,
)

# -- the end of programs -------------------------------------------------------------------

WAITS = "exec 3>{}; echo begun; sleep 600 & wait"


@story
async def test_a_cancel_ends_the_program_and_all_that_it_started(world: World) -> None:
    gate = Gate(world.home)
    ended = gate.closed()
    async with asking(world, WAITS.format(gate.path)) as kit:
        job = await kit.delegate("family", "?")
        assert await job.cancel("plans changed")
        assert await ended == ""
        with pytest.raises(TaskCancelledError):
            await job.result()


def test_a_program_that_will_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "GRACE", 0.1)

    @story
    async def ends(world: World) -> None:
        gate = Gate(world.home)
        ended = gate.closed()
        async with asking(world, "trap '' TERM; " + WAITS.format(gate.path)) as kit:
            assert await (await kit.delegate("family", "?")).cancel()
            assert await ended == ""

    ends(tmp_path)


@story
async def test_a_deadline_ends_the_program(world: World) -> None:
    gate = Gate(world.home)
    ended = gate.closed()
    async with asking(world, WAITS.format(gate.path)) as kit:
        job = await kit.delegate("family", "?", deadline=1.0)
        with pytest.raises(TimedOutError):
            await job.result()
        assert await ended == ""


@story
async def test_the_end_of_an_asker_s_patience_ends_the_program(world: World) -> None:
    gate = Gate(world.home)
    ended = gate.closed()
    async with asking(world, WAITS.format(gate.path)) as kit:
        with pytest.raises(TimedOutError):
            await kit.ask("family", "?", timeout=1.0)
        assert await ended == ""


@story
async def test_going_offline_ends_the_program(world: World) -> None:
    gate = Gate(world.home)
    ended = gate.closed()
    async with asking(world, WAITS.format(gate.path)) as kit:
        await kit.delegate("family", "?")
    assert await ended == ""


# -- news and results ----------------------------------------------------------------------


@story
async def test_news_runs_its_program(world: World) -> None:
    gate = Gate(world.home)
    family = Agent("family")
    program = f'(cat; echo " $WAYPOST_TOPIC $WAYPOST_KIND") > {gate.path}'
    add_programs(family, world.home, hears=program)
    async with world.both(Agent("kit"), family) as (kit, _):
        heard = gate.closed()
        await kit.notify("home.state", {"door": 1}, to="family")
        payload, _, variables = (await heard).rpartition("} ")
        assert json.loads(payload + "}")["data"] == {"door": 1}
        assert variables == "home.state notify\n"


@story
async def test_a_result_that_nobody_waits_for_runs_its_program(world: World) -> None:
    gate, kit = Gate(world.home), Agent("kit")
    program = f'echo "$WAYPOST_KIND $WAYPOST_ID $WAYPOST_OUTCOME" > {gate.path}'
    add_programs(kit, world.home, takes_results=program)
    async with asking(world, "sleep 0.6; echo Done", kit=kit):
        visitor = world.online(Agent("kit"), listens=False)
        visitor.is_visit = True
        async with visitor as me:
            job = await me.delegate("family", "?")
        assert await gate.closed() == f"result {job.id} Done\n"


def test_a_program_of_news_that_fails_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    @story
    async def tells(world: World) -> None:
        family = Agent("family")
        add_programs(family, world.home, hears="exit 9")
        async with world.both(Agent("kit"), family) as (kit, _):
            await kit.notify("a", to="family")
            while "exit code 9" not in caplog.text:
                await asyncio.sleep(0.01)

    tells(tmp_path)
