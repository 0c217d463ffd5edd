"""Threads in which an event loop has plain functions run, at little more cost than the call itself.

What several threads finish while the loop is busy is told to it at once.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

Result = TypeVar("Result")


class _Job(NamedTuple):
    future: "asyncio.Future[Any]"
    function: Callable[..., Any]
    given: tuple[Any, ...]


_Outcome = tuple[_Job, Any, BaseException | None]


class Workers:
    """At most so many threads, begun when they are needed. For one event loop."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._done: deque[_Outcome] = deque()
        self._threads: list[threading.Thread] = []
        self._busy = 0
        self._is_told = False  # the loop will look at what is done

    async def do(self, function: Callable[..., Result], *given: Any) -> Result:
        """Run a function in a thread; it is finished even if nobody waits for it any more."""
        job = _Job(asyncio.get_running_loop().create_future(), function, given)
        self._busy += 1
        if len(self._threads) < min(self._busy, self._most):
            self._begin(asyncio.get_running_loop())
        self._jobs.put(job)
        result: Result = await job.future
        return result

    def close(self) -> None:
        """Wait until everything is done that was begun; nothing may be asked for afterwards."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        name = f"{self._name}-{len(self._threads)}"
        thread = threading.Thread(target=self._work, args=(loop,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                outcome: _Outcome = job, job.function(*job.given), None
            except BaseException as error:
                outcome = job, None, error
            self._done.append(outcome)
            if not self._is_told:
                self._is_told = True
                try:
                    loop.call_soon_threadsafe(self._tell)
                except RuntimeError:  # the loop is closed; nobody waits there any more
                    return

    def _tell(self) -> None:
        self._is_told = False  # before looking: whoever comes later calls again
        while self._done:
            job, result, error = self._done.popleft()
            self._busy -= 1
            if job.future.done():
                continue
            if error is not None:
                job.future.set_exception(error)
            else:
                job.future.set_result(result)
