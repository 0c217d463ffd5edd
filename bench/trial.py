"""One process of the bench of live agents: a contestant that listens, or one that is measured.

`trial.py serve NAME LOOP HOME` prints its port and serves until its standard input ends;
`trial.py measure NAME LOOP HOME PORT SECONDS PID` prints what it measured, as JSON; PID
is the process that listens.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Coroutine
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, TypeVar

from rivals import Client, Rival

IN_FLIGHT = 64
T = TypeVar("T")


async def serve(rival: Rival, home: Path) -> None:
    async with rival.serve(home) as port:
        print(port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def measure(
    rival: Rival, home: Path, port: int, seconds: float, pid: int
) -> dict[str, float]:
    """The figures of one connection, from its dial on."""
    start = perf_counter()
    client = await rival.connect(home, port)
    await client.ask()
    cold = perf_counter() - start
    await until(perf_counter() + seconds / 4, client.ask)
    try:
        one_by_one, worked = await costing(pid, until(perf_counter() + seconds, client.ask))
        many, worked_on_many = await costing(pid, in_flight(client, seconds))
        return {
            "cold": cold * 1000,
            "p50": median(one_by_one) * 1000,
            "cpu one by one": worked * 1e6 / len(one_by_one),
            "exchanges": many / seconds,
            "cpu": worked_on_many * 1e6 / many,
            "one way": await one_way(client, seconds),
        }
    finally:
        await client.close()


async def until(end: float, work: Callable[[], Awaitable[None]]) -> list[float]:
    """Work, one after another, until it is time to end; gives the time that each took."""
    taken: list[float] = []
    while (start := perf_counter()) < end:
        await work()
        taken.append(perf_counter() - start)
    return taken


async def costing(pid: int, work: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """What a work gives, and the seconds of processor time that it took at both ends."""
    before = process_time() + processor_time(pid)
    done = await work
    return done, process_time() + processor_time(pid) - before


def processor_time(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


async def in_flight(client: Client, seconds: float) -> int:
    """Exchanges done, with so many under way all the time."""
    end = perf_counter() + seconds
    works = [until(end, client.ask) for _ in range(IN_FLIGHT)]
    return sum(map(len, await asyncio.gather(*works)))


async def one_way(client: Client, seconds: float) -> float:
    """Messages told a second, until the last of them is taken."""
    start = perf_counter()
    works = [until(start + seconds, client.tell) for _ in range(IN_FLIGHT)]
    told = sum(map(len, await asyncio.gather(*works)))
    await client.told(told)
    return told / (perf_counter() - start)


def main() -> None:
    order, name, loop, home, *more = sys.argv[1:]
    rival: Rival = import_module(f"rival_{name}").RIVAL
    factory: Any = import_module("uvloop").new_event_loop if loop == "uvloop" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        if order == "serve":
            runner.run(serve(rival, Path(home)))
        else:
            port, seconds, pid = int(more[0]), float(more[1]), int(more[2])
            print(json.dumps(runner.run(measure(rival, Path(home), port, seconds, pid))))


if __name__ == "__main__":
    main()
