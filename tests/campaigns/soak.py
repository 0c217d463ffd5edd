"""The soak campaign: two agents that talk for a long time, over real links between two processes.

`scripts/campaign soak` does 200,000 exchanges of every kind and 2,000 connects. Every exchange has
a number: whoever answers counts how often it met each, whoever asks looks that its own comes back.
Memory at the end is compared with memory at half the work, when all that is remembered is full.
"""

import argparse
import asyncio
import gc
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from waypost import Agent
from waypost.agent import Note, Online, Query, Task
from waypost.carriers.keyring import Peers, identity, token_of

KIT, FAMILY = "kit", "family"
AT_ONCE = 32
PARTS = 10
FILLED = 8_000  # exchanges after which nothing that is remembered grows any more
MOST_GROWTH = 1.1
_PAGE = resource.getpagesize()


class Memory(NamedTuple):
    """What a process holds: blocks of Python's own allocator, and bytes of the system."""

    blocks: int
    resident: int

    def grown(self, since: "Memory") -> bool:
        return max(self.blocks / since.blocks, self.resident / since.resident) > MOST_GROWTH


def memory() -> Memory:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Memory(sys.getallocatedblocks(), pages * _PAGE)


class Ledger:
    """How often each number came."""

    def __init__(self) -> None:
        self._times = bytearray()

    def note(self, number: int) -> None:
        if number >= len(self._times):
            self._times.extend(bytes(number + 1000 - len(self._times)))
        self._times[number] = min(self._times[number] + 1, 2)

    @property
    def seen(self) -> int:
        return len(self._times) - self._times.count(0)

    @property
    def doubled(self) -> int:
        return self._times.count(2)


def answerer() -> Agent:
    """The agent that is asked; it answers each number with itself, and tells what it counted."""
    agent, ledger = Agent(FAMILY, max_concurrent_tasks=1000), Ledger()

    @agent.query("soak.echo")
    async def echo(query: Query) -> str:
        ledger.note(int(query.question))
        return query.question

    @agent.notify("soak.*")
    async def heard(note: Note) -> None:
        ledger.note(int(note.data))

    @agent.delegate
    async def do(task: Task) -> str:
        ledger.note(int(task.task))
        return task.task

    @agent.query("soak.report")
    async def report(query: Query) -> dict[str, Any]:
        held = memory()
        counted = {"seen": ledger.seen, "doubled": ledger.doubled}
        return {"summary": "so far", "data": {**counted, **held._asdict()}}

    return agent


class Outcome:
    """What came of a soak."""

    def __init__(self) -> None:
        self.sent = self.connects = 0
        self.seen = self.doubled = 0
        self.strange: list[str] = []
        self.held: list[tuple[int, Memory, Memory]] = []  # work done; the asker's, the answerer's

    def wrong(self) -> list[str]:
        """Everything that must not be."""
        said = self.strange[:20]
        if (self.seen, self.doubled) != (self.sent, 0):
            said.append(f"{self.sent:,} sent, {self.seen:,} came, {self.doubled:,} more than once")
        half = max(FILLED, self.sent // 2)
        filled = [both for done, *both in self.held if done >= half]
        for before, after in zip(*filled[:1], *filled[-1:], strict=True) if filled else ():
            if after.grown(before):
                said.append(f"an agent has grown from {before} to {after}")
        return said

    def table(self) -> str:
        lines = ["| work done | asker blocks | MiB | answerer blocks | MiB |", "|---" * 5 + "|"]
        for done, *both in self.held:
            cells = (f"{one.blocks:,} | {one.resident / 2**20:.1f}" for one in both)
            lines.append(f"| {done:,} | " + " | ".join(cells) + " |")
        return "\n".join(lines)


class Soak:
    """One long talk."""

    def __init__(self, home: Path, me: Online) -> None:
        self.home, self.me = home, me
        self.outcome = Outcome()

    async def talk(self, exchanges: int, connects: int) -> Outcome:
        """Do it all in parts, each with its share of exchanges and connects."""
        for part in range(1, PARTS + 1):
            while self.outcome.connects < connects * part // PARTS:
                await self._connect()
            await self._exchange_until(exchanges * part // PARTS)  # visitors are forgotten by then
            await self._look()
        return self.outcome

    async def _exchange_until(self, count: int) -> None:
        async def some() -> None:
            while self.outcome.sent < count:
                await self._one(self.me, self._next())

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))

    def _next(self) -> int:
        self.outcome.sent += 1
        return self.outcome.sent

    async def _one(self, me: Online, number: int) -> None:
        """One exchange, of the kind that its number says."""
        said = str(number)
        if number % 10 == 0:
            job = await me.delegate(FAMILY, said)
            said = (await job.result(timeout=30)).outcome
        elif number % 10 == 1:
            await me.notify("soak.news", number, to=FAMILY)
        else:
            said = (await me.ask(FAMILY, said, domain="soak.echo")).summary
        if said != str(number):
            self.outcome.strange.append(f"{number} was answered by {said}")

    async def _connect(self) -> None:
        """A process-like visitor: a transport of its own, a handshake, an exchange, an end."""
        self.outcome.connects += 1
        async with Agent(KIT).online(home=self.home) as visitor:
            await self._one(visitor, self._next())

    async def _look(self) -> None:
        """Wait until all has come that was sent, and note who holds what."""
        async with asyncio.timeout(30):
            while True:
                report = (await self.me.ask(FAMILY, "?", domain="soak.report")).data
                if report["seen"] >= self.outcome.sent:
                    break
        self.outcome.seen, self.outcome.doubled = report["seen"], report["doubled"]
        theirs = Memory(report["blocks"], report["resident"])
        self.outcome.held.append((self.outcome.sent, memory(), theirs))


@asynccontextmanager
async def answering(home: Path) -> AsyncIterator[tuple[str, int]]:
    """The answering agent in a process of its own; gives its address."""
    command = [sys.executable, "-m", "campaigns.soak", "--answer", str(home)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield "127.0.0.1", int(process.stdout.readline())
        finally:
            process.stdin.close()


async def answer(home: Path) -> None:
    """Be the answering agent until nobody holds our standard input any more."""
    async with answerer().online("127.0.0.1:0", home=home) as family:
        assert family.address is not None
        print(family.address[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def soak(home: Path, exchanges: int, connects: int) -> Outcome:
    """Run the whole thing under a home of its own."""
    kit, family = identity(home, KIT), identity(home, FAMILY)
    Peers(home, family).add(token_of(kit.public_key), KIT)
    async with answering(home) as address:
        Peers(home, kit).add(token_of(family.public_key, *address), FAMILY)
        async with Agent(KIT).online(home=home) as me:
            return await Soak(home, me).talk(exchanges, connects)


def main(arguments: list[str] | None = None) -> int:
    """Run it and print what was held when; 1 when anything is lost, doubled or grown."""
    parser = argparse.ArgumentParser(prog="scripts/campaign soak", description=__doc__)
    parser.add_argument("--exchanges", type=int, default=200_000)
    parser.add_argument("--connects", type=int, default=2_000)
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.answer is not None:
        asyncio.run(answer(asked.answer))
        return 0
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(soak(Path(folder), asked.exchanges, asked.connects))
    taken = perf_counter() - start
    print(outcome.table())
    print(f"{outcome.sent:,} exchanges and {outcome.connects:,} connects in {taken:,.0f} s")
    wrong = outcome.wrong()
    print(*wrong, f"{len(wrong)} things wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
