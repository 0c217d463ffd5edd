"""Commands visit beside the listener that has the same key: each gets what is meant for it."""

import asyncio

from live_worlds import World, story

from waypost import Agent
from waypost.agent import Online, Query, Task
from waypost.agent.values import Ended


class Kit:
    """An agent with a listener, and visitors who are the same agent."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.heard: asyncio.Queue[Ended] = asyncio.Queue()
        self.agent = Agent("kit")

        @self.agent.query
        async def answer(query: Query) -> str:
            return "the listener answers"

        @self.agent.result
        async def hear(ended: Ended) -> None:
            self.heard.put_nowait(ended)

    def visit(self) -> Online:
        me = self.world.online(Agent("kit"), listens=False)
        me.is_visit = True
        return me


def family(may_end: asyncio.Event) -> Agent:
    """An agent whose tasks end when they may."""
    agent = Agent("family")

    @agent.delegate
    async def do(task: Task) -> str:
        await task.accept()
        await may_end.wait()
        return "Done."

    return agent


@story
async def test_what_a_visitor_left_behind_goes_to_the_listener(world: World) -> None:
    kit, may_end = Kit(world), asyncio.Event()
    async with world.both(kit.agent, family(may_end)):
        async with kit.visit() as visitor:
            job = await visitor.delegate("family", "Tell her I'm late")
        may_end.set()
        ended = await kit.heard.get()
        assert (ended.id, ended.result and ended.result.outcome) == (job.id, "Done.")


@story
async def test_a_visitor_that_waits_gets_its_result_itself(world: World) -> None:
    kit, may_end = Kit(world), asyncio.Event()
    async with world.both(kit.agent, family(may_end)) as (listener, _), kit.visit() as visitor:
        job = await visitor.delegate("family", "Tell her I'm late")
        await listener.ping("family")  # a line of the listener is newer now
        may_end.set()
        assert (await job.result()).outcome == "Done."
        assert kit.heard.empty()


@story
async def test_a_visitor_gets_how_far_its_task_is(world: World) -> None:
    kit, house = Kit(world), Agent("family")

    @house.delegate
    async def do(task: Task) -> str:
        await task.progress("calling…")
        return "Done."

    async with world.both(kit.agent, house) as (listener, _), kit.visit() as visitor:
        await listener.ping("family")
        told: list[str] = []
        job = await visitor.delegate("family", "?", on_progress=lambda how: told.append(how.text))
        await job.result()
        assert told == ["calling…"]


@story
async def test_nobody_asks_a_visitor(world: World) -> None:
    kit = Kit(world)
    async with world.both(kit.agent, Agent("family")) as (_, house), kit.visit() as visitor:
        await visitor.ping("family")
        assert (await house.ask("kit", "Who are you?")).summary == "the listener answers"


@story
async def test_another_visitor_can_call_a_task_off(world: World) -> None:
    kit = Kit(world)
    async with world.both(kit.agent, family(asyncio.Event())):
        async with kit.visit() as first:
            job = await first.delegate("family", "Tell her I'm late")
        async with kit.visit() as second:
            assert await second.cancel("family", job.id, "plans changed")
        ended = await kit.heard.get()
        assert ended.error is not None
        assert (ended.id, ended.error.code) == (job.id, "cancelled")


@story
async def test_who_reaches_out_is_reached_without_an_address(world: World) -> None:
    kit = Kit(world)
    world.enrol("kit", "family")
    async with world.online(Agent("family")) as house, world.online(kit.agent, listens=False) as me:
        me.reach_out()
        while not house.peers.last_seen():
            await asyncio.sleep(0)
        assert (await house.ask("kit", "Who are you?")).summary == "the listener answers"
