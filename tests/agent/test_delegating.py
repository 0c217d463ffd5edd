"""Tasks: taken, refused, called off, and ended once."""

import asyncio
from typing import Any

import pytest
from live_worlds import World, story

from waypost import Agent, Refused
from waypost.agent import Query, Result, Task
from waypost.errors import (
    OverloadedError,
    PeerFailedError,
    RefusedError,
    TaskCancelledError,
    TimedOutError,
    UsageError,
)


class Worker:
    """An agent that does what its tasks are called, and tells what became of it."""

    def __init__(self, **card: Any) -> None:
        self.agent = Agent("family", **card)
        self.may_go_on = asyncio.Event()
        self.stopped = asyncio.Event()
        self.agent.delegate(self.work)
        self.agent.query(self.answer)

    async def work(self, task: Task) -> object:
        if task.task == "refuse":
            raise Refused("not on Sundays", retryable=True)
        if task.task == "break":
            raise ValueError("the trace stays in the log")
        if task.task.startswith("accept"):
            await task.accept(estimated_ms=5000)
        if task.task.startswith("progress"):
            await task.progress("calling…", line=2)
        if task.task != "quick":
            try:
                await self.may_go_on.wait()
            finally:
                self.stopped.set()
        if task.task.endswith("then refuse"):
            raise Refused("she hung up")
        return {"outcome": "Done, she said okay", "data": task.context}

    async def answer(self, query: Query) -> str:
        await self.may_go_on.wait()
        return "now"


@story
async def test_a_task_that_is_done_at_once_has_its_result(world: World) -> None:
    async with world.both(Agent("kit"), Worker().agent) as (kit, _):
        job = await kit.delegate("family", "quick", context={"why": "late"})
        assert await job.result() == Result("Done, she said okay", {"why": "late"})
        assert not job.is_open


@story
async def test_who_accepts_says_so_before_the_work(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        job = await kit.delegate("family", "accept")
        assert (job.estimated_ms, job.is_open, job.result_so_far()) == (5000, True, None)
        worker.may_go_on.set()
        assert (await job.result()).status == "completed"
        assert job.result_so_far() == await job.result()


@story
async def test_who_works_for_a_while_has_accepted(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        job = await kit.delegate("family", "wait")
        assert (job.is_open, worker.stopped.is_set()) == (True, False)


@story
async def test_a_refusal_in_time_is_one(world: World) -> None:
    async with world.both(Agent("kit"), Worker().agent) as (kit, _):
        with pytest.raises(RefusedError, match="not on Sundays") as failure:
            await kit.delegate("family", "refuse")
        assert failure.value.retryable is True


@story
async def test_a_refusal_after_the_ack_is_a_failed_result(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        job = await kit.delegate("family", "accept, then refuse")
        worker.may_go_on.set()
        assert await job.result() == Result("she hung up", None, "failed", "refused")


@story
async def test_a_reason_that_holds_a_secret_is_not_told(world: World) -> None:
    agent = Agent("family")

    @agent.delegate
    async def refuse(task: Task) -> str:
        raise Refused("password=hunter2hunter2 token ghp_" + "a1B2" * 9)

    async with world.both(Agent("kit"), agent) as (kit, _):
        with pytest.raises(RefusedError, match="it gives no reason"):
            await kit.delegate("family", "?")


@story
async def test_progress_is_told_and_accepts(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        told: asyncio.Queue[tuple[str, object]] = asyncio.Queue()
        await kit.delegate(
            "family",
            "progress",
            on_progress=lambda how: told.put_nowait((how.text, how.data["line"])),
        )
        assert await told.get() == ("calling…", 2)


@story
async def test_a_broken_handler_is_an_internal_error_without_its_trace(world: World) -> None:
    async with world.both(Agent("kit"), Worker().agent) as (kit, _):
        job = kit.delegate("family", "break")
        with pytest.raises(PeerFailedError) as failure:
            await (await job).result()
        assert "trace" not in str(failure.value.to_json())


@story
async def test_who_takes_no_tasks_refuses_them(world: World) -> None:
    async with world.both(Agent("kit"), Agent("family")) as (kit, _):
        with pytest.raises(RefusedError, match="takes no tasks"):
            await kit.delegate("family", "anything")


# -- calling off ---------------------------------------------------------------------------


@story
async def test_a_cancelled_task_is_really_cancelled(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        job = await kit.delegate("family", "accept")
        assert await job.cancel("plans changed")
        assert worker.stopped.is_set()
        assert not worker.may_go_on.is_set()
        with pytest.raises(TaskCancelledError):
            await job.result()
        assert (await kit.ping("family")).active_tasks == 0


@story
async def test_a_cancel_after_the_end_is_a_no(world: World) -> None:
    async with world.both(Agent("kit"), Worker().agent) as (kit, _):
        job = await kit.delegate("family", "quick")
        await job.result()
        assert not await job.cancel()


@story
async def test_the_deadline_of_a_task_ends_it(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        job = await kit.delegate("family", "accept", deadline=0.1)
        with pytest.raises(TimedOutError):
            await job.result()
        assert worker.stopped.is_set()


@story
async def test_without_report_back_there_is_no_result_to_wait_for(world: World) -> None:
    worker = Worker()
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        job = await kit.delegate("family", "accept", report_back=False)
        with pytest.raises(UsageError):
            await job.result()
        worker.may_go_on.set()
        await worker.stopped.wait()
        assert (await kit.ping("family")).status == "idle"


# -- how many at once ----------------------------------------------------------------------


@story
async def test_more_than_fits_is_overloaded_and_may_be_tried_again(world: World) -> None:
    worker = Worker(max_concurrent_tasks=1)
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        await kit.delegate("family", "accept")
        assert (await kit.ping("family")).status == "overloaded"
        for call in (kit.delegate("family", "quick"), kit.ask("family", "?")):
            with pytest.raises(OverloadedError) as failure:
                await call
            assert failure.value.retryable is True
        worker.may_go_on.set()
        await worker.stopped.wait()
        assert (await kit.ask("family", "?")).summary == "now"


@story
async def test_an_urgent_task_never_waits_for_a_place(world: World) -> None:
    worker = Worker(max_concurrent_tasks=1)
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        await kit.delegate("family", "accept")
        job = await kit.delegate("family", "quick", urgent=True)
        assert (await job.result()).status == "completed"
        assert (await kit.ping("family")).active_tasks == 1


@story
async def test_handlers_run_side_by_side_and_ping_is_answered_meanwhile(world: World) -> None:
    worker = Worker(max_concurrent_tasks=4)
    async with world.both(Agent("kit"), worker.agent) as (kit, _):
        asking = asyncio.ensure_future(kit.ask("family", "?"))
        await kit.delegate("family", "accept")
        status = await kit.ping("family")
        assert (status.status, status.active_tasks) == ("busy", 2)
        worker.may_go_on.set()
        assert (await asking).summary == "now"


# -- going and coming ----------------------------------------------------------------------


@story
async def test_an_agent_that_goes_offline_says_so_of_its_tasks(world: World) -> None:
    worker = Worker()
    world.enrol("kit", "family")
    async with world.online(Agent("kit")) as kit:
        async with world.online(worker.agent):
            job = await kit.delegate("family", "accept")
        with pytest.raises(PeerFailedError, match="offline") as failure:
            await job.result()
        assert failure.value.retryable is True
