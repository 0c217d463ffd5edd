"""Dying peers and bad networks under live agents: every call ends in time, with its own error."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from live.ears import run
from live.relay import Relay, relay
from waypost import Agent
from waypost.agent import Online, Query, Task
from waypost.carriers.keyring import Identity, Peers, identity, token_of
from waypost.errors import LostError, TimedOutError, UnreachableError, WaypostError

BRIEF = 0.3  # seconds that a call may take which can't succeed
FAMILY = """
import asyncio, sys
from waypost import Agent
agent = Agent("family")

@agent.query("slow.*")
async def never(query):
    print("asked", flush=True)
    await asyncio.Event().wait()

@agent.query
async def answer(query):
    return "Yes."

async def be():
    async with agent.online("127.0.0.1:0", home=sys.argv[1]) as me:
        print(me.address[1], flush=True)
        await asyncio.Event().wait()

asyncio.run(be())
"""


def enrolled(home: Path) -> tuple[Identity, Identity]:
    """Kit and family, of whom family trusts kit; where family is, kit learns later."""
    kit, family = identity(home, "kit"), identity(home, "family")
    Peers(home, family).add(token_of(kit.public_key), "kit")
    return kit, family


class Process:
    """Family as a process that can be killed."""

    async def start(self, home: Path) -> int:
        """Start it; gives its port."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", FAMILY, str(home), stdout=asyncio.subprocess.PIPE
        )
        return int(await self.said())

    async def said(self) -> bytes:
        assert self._process.stdout is not None
        return await self._process.stdout.readline()

    async def kill(self) -> None:
        self._process.kill()
        await self._process.wait()


def test_a_peer_killed_in_mid_exchange_ends_the_call_and_may_come_back_elsewhere(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        kit, family = enrolled(tmp_path)
        peers, process = Peers(tmp_path, kit), Process()
        peers.add(token_of(family.public_key, "127.0.0.1", await process.start(tmp_path)), "family")
        async with Agent("kit").online(home=tmp_path) as me:
            waiting = asyncio.ensure_future(me.ask("family", "?", domain="slow.one", timeout=20))
            assert await process.said() == b"asked\n"
            await process.kill()
            hello = asyncio.ensure_future(me.ask("family", "Are you there?", timeout=20))
            for call in (waiting, hello):
                with pytest.raises(LostError, match="nobody listens"):
                    await call
            with pytest.raises(UnreachableError):
                await me.ask("family", "And now?", timeout=5)
            port = await process.start(tmp_path)
            peers.add(token_of(family.public_key, "127.0.0.1", port), "family")
            await until_known(me, port)
            assert (await me.ask("family", "And now?", timeout=10)).summary == "Yes."
            await process.kill()

    run(story())


async def until_known(me: Online, port: int) -> None:
    """Wait until the running agent has read that its peer has moved."""
    while me.peers.find("family").port != port:
        await asyncio.sleep(0)


def _family(may_end: asyncio.Event) -> Agent:
    agent = Agent("family", max_concurrent_tasks=100)

    @agent.query
    async def answer(query: Query) -> str:
        return query.question

    @agent.delegate
    async def do(task: Task) -> str:
        if task.task == "later":
            await task.accept()
            await may_end.wait()
        return task.task

    return agent


@asynccontextmanager
async def apart(
    home: Path, may_end: asyncio.Event | None = None, **network: float
) -> AsyncIterator[tuple[Online, Relay]]:
    """Kit online, and the network between it and family."""
    kit, family = enrolled(home)
    async with (
        _family(may_end or asyncio.Event()).online("127.0.0.1:0", home=home) as house,
        relay(house.address, **network) as between,
    ):
        Peers(home, kit).add(token_of(family.public_key, *between.address), "family")
        async with Agent("kit").online(home=home) as me:
            yield me, between


async def code_of(call: Awaitable[object]) -> str:
    try:
        await call
    except WaypostError as error:
        return error.code
    return "none"


def test_every_call_over_a_cut_network_ends_at_its_deadline(tmp_path: Path) -> None:
    async def story() -> None:
        async with apart(tmp_path) as (me, between):
            assert (await me.ask("family", "before")).summary == "before"
            between.is_cut = True
            calls = (
                me.ask("family", "?", timeout=BRIEF),
                me.delegate("family", "?", timeout=BRIEF),
                me.ping("family", timeout=BRIEF),
                me.discover("family", timeout=BRIEF),
                me.cancel("family", "8e4a0b52-6f0d-4c39-9d1e-2b7c85a3f614", timeout=BRIEF),
            )
            codes = await asyncio.gather(*map(code_of, calls))
            assert codes == [TimedOutError.code] * len(calls)
            between.is_cut = False
            assert (await me.ask("family", "after")).summary == "after"

    run(story())


def test_a_job_outlives_a_cut_and_its_result_arrives(tmp_path: Path) -> None:
    async def story() -> None:
        may_end = asyncio.Event()
        async with apart(tmp_path, may_end) as (me, between):
            job = await me.delegate("family", "later")
            between.is_cut = True
            may_end.set()
            assert await code_of(job.result(timeout=BRIEF)) == TimedOutError.code
            between.is_cut = False
            assert (await job.result(timeout=20)).outcome == "later"

    run(story())


def test_nobody_is_dialled_over_a_cut_network(tmp_path: Path) -> None:
    async def story() -> None:
        async with apart(tmp_path) as (me, between):
            between.is_cut = True
            with pytest.raises(TimedOutError, match="could not be reached"):
                await me.ask("family", "?", timeout=BRIEF)
            between.is_cut = False
            assert (await me.ask("family", "now", timeout=20)).summary == "now"

    run(story())


@pytest.mark.parametrize(("loss", "seconds"), [(0.1, 0.0), (0.05, 0.01)])
def test_a_bad_network_changes_no_answer(tmp_path: Path, loss: float, seconds: float) -> None:
    async def story() -> None:
        async with apart(tmp_path, loss=loss, seconds=seconds, doubled=0.1) as (me, _):
            numbers = [str(number) for number in range(40)]
            answers = await asyncio.gather(*(me.ask("family", number) for number in numbers))
            assert [answer.summary for answer in answers] == numbers
            jobs = await asyncio.gather(*(me.delegate("family", number) for number in numbers))
            results = await asyncio.gather(*(job.result(timeout=20) for job in jobs))
            assert [result.outcome for result in results] == numbers

    run(story())
