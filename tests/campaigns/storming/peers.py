"""A live peer of a storm, in a process of its own that may end at any moment.

It asks, delegates and notifies agents that have their mail at the office, and answers what they
write to it. What it was told and what it took is in its ledger; its next process goes on with that.
"""

import asyncio
import signal
import sys
from pathlib import Path
from random import Random
from typing import Any

from campaigns.storming.plan import LAZY, UNREACHED, Ledger, Plan, mark_in
from waypost.agent import Agent, Note, Online, Query, Task
from waypost.agent.values import Ended
from waypost.errors import NotTrustedError, UnreachableError, WaypostError

_AT_ONCE = 3
_ASK_SECONDS, _SHORT_SECONDS = 10.0, 1.5
_RESULT_SECONDS = 5.0
_PAUSE_SECONDS, _AGAIN_SECONDS = 0.05, 0.3


class LivePeer:
    """One peer."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.plan, self.name = plan, name
        self.ledger = Ledger(plan, name)
        self.chance = Random(f"{plan.seed} {name} {self.ledger.letters}")
        self.agent = Agent(name, max_concurrent_tasks=200)
        self.agent.query(self._answer)
        self.agent.delegate(self._work)
        self.agent.notify(self._hear)
        self.agent.result(self._ended)
        self._left = plan.quota(name) - self.ledger.letters
        self._stopped = asyncio.Event()

    async def run(self, address: str, home: Path) -> None:
        """Be online until a signal or the end of the storm; write meanwhile."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._stopped.set)
        async with self.agent.online(address, home=home) as me:
            me.reach_out()
            writers = [asyncio.create_task(self._write(me)) for _ in range(_AT_ONCE)]
            while not self._stopped.is_set() and not self.plan.is_over:
                if all(one.done() for one in writers) and not self.plan.has_written(self.name):
                    [one.result() for one in writers]
                    self.plan.say(f"written-{self.name}")
                await asyncio.sleep(_PAUSE_SECONDS)
            for one in writers:
                one.cancel()

    # -- what it takes -------------------------------------------------------------------------

    def _note(self, text: str, letter: str, kind: str) -> str:
        """Note what came; gives the text of an answer to it."""
        mark = mark_in(text) or "?"
        self.ledger.note("take", mark, id=letter, kind=kind)
        return mark

    async def _answer(self, query: Query) -> str:
        mark = self._note(query.question, query.id, "query")
        return f"Yes. @{self.ledger.begin_answer(mark)}@"

    async def _work(self, task: Task) -> str:
        mark = self._note(f"{task.task} {task.context}", task.id, "delegate")
        return f"Done. @{self.ledger.begin_answer(mark)}@"

    async def _hear(self, note: Note) -> None:
        self._note(f"{note.topic} {note.data}", note.id, "notify")

    async def _ended(self, ended: Ended) -> None:
        self._note(str(ended.payload), ended.id, "result")

    # -- what it writes ------------------------------------------------------------------------

    async def _write(self, me: Online) -> None:
        while self._left > 0 and not self.plan.is_enough:
            self._left -= 1
            to = self.chance.choice(self.plan.live)
            kind = self.chance.choices(("query", "delegate", "notify"), (50, 20, 30))[0]
            mark = self.ledger.begin(to=[to], kind=kind)
            try:
                await {"query": self._ask, "delegate": self._give, "notify": self._tell}[kind](
                    me, to, mark
                )
            except (UnreachableError, NotTrustedError):
                self._left += 1
                self.ledger.note(UNREACHED, mark)
                await asyncio.sleep(_AGAIN_SECONDS)
            except WaypostError as error:
                self.ledger.note("failed", mark, code=error.code, details=error.details)
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _ask(self, me: Online, to: str, mark: str) -> None:
        timeout = _SHORT_SECONDS if to == LAZY else _ASK_SECONDS
        answer = await me.ask(to, f"Which port? @{mark}@", timeout=timeout)
        self.ledger.note("answered", mark, by=mark_in(answer.summary), id=mark, to=[to])

    async def _give(self, me: Online, to: str, mark: str) -> None:
        timeout = _SHORT_SECONDS if to == LAZY else _ASK_SECONDS
        job = await me.delegate(to, f"Paint it. @{mark}@", timeout=timeout)
        self.ledger.note("accepted", mark, to=[to])
        result = await job.result(timeout=_RESULT_SECONDS)
        by = mark_in(f"{result.outcome} {result.data}")
        self.ledger.note("ended", mark, by=by, id=job.id)

    async def _tell(self, me: Online, to: str, mark: str) -> None:
        await me.notify("storm.news", f"It rains. @{mark}@", to=to)
        self.ledger.note("told", mark, to=[to])


async def live(plan: Plan, facts: dict[str, Any], name: str) -> None:
    await LivePeer(plan, name).run(facts["addresses"][name], plan.root / "peers")


if __name__ == "__main__":
    asyncio.run(live(*Plan.read(sys.argv[1]), sys.argv[2]))
