"""Threads for an event loop: what they give and raise, and that nothing begun is left undone."""

import asyncio
import threading

import pytest

from faces.clients import story
from waypost.faces.workers import Workers


@story
async def test_what_a_function_gives_or_raises_comes_back() -> None:
    workers = Workers(2, "test")
    found = await asyncio.gather(*(workers.do(divmod, 7, by) for by in (2, 3, 4, 5)))
    assert found == [(3, 1), (2, 1), (1, 3), (1, 2)]
    with pytest.raises(ZeroDivisionError):
        await workers.do(divmod, 7, 0)
    workers.close()


@story
async def test_no_more_threads_run_than_are_allowed() -> None:
    workers = Workers(2, "test")
    names = await asyncio.gather(*(workers.do(_name) for _ in range(20)))
    assert set(names) <= {"test-0", "test-1"}
    workers.close()


@story
async def test_what_nobody_waits_for_any_more_is_finished() -> None:
    workers, begun, done = Workers(1, "test"), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        done.set()

    task = asyncio.create_task(workers.do(work))
    assert await asyncio.to_thread(begun.wait, 20)
    task.cancel()
    await asyncio.to_thread(workers.close)
    assert done.is_set()


def _name() -> str:
    return threading.current_thread().name
