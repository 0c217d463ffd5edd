"""The fuzz campaign: many broken messages for the parsers, and what must hold for each.

`scripts/campaign fuzz --inputs 1000000` prints how many inputs each parser took, how often a
property didn't hold, and the slowest inputs. `--only N` shows one input again.
"""

import argparse
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappushpop
from time import process_time
from types import FrameType
from typing import NamedTuple

from campaigns.inputs import Input, make
from campaigns.properties import broken_by
from waypost.dialects.detect import read

SLOW_MS = 50.0
_PATIENCE_S = 20
_SHOWN = 20


class Failure(NamedTuple):
    """A property that an input broke, or the exception that came out."""

    number: int
    kind: str  # exception or disagreement
    what: str


class Slow(NamedTuple):
    """How long one input took; the slowest compare highest."""

    milliseconds: float
    number: int
    size: int
    dialect: str


class Tally:
    """What a campaign has seen so far."""

    def __init__(self) -> None:
        self.inputs: Counter[str] = Counter()
        self.valid: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.failures: list[Failure] = []
        self.kinds: Counter[tuple[str, str]] = Counter()
        self.slowest = [Slow(0.0, -1, 0, "")] * 5

    def try_input(self, given: Input) -> None:
        """Read one input, ask for every property, and remember what came of it."""
        parser = given.dialect or "detected"
        self.inputs[parser] += 1
        try:
            with _patience():
                self._time(given, parser)
                for what in broken_by(given.data, given.dialect):
                    self._fail(given, parser, "disagreement", what)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {error} at {where.filename}:{where.lineno}"
            self._fail(given, parser, "exception", what)

    def _time(self, given: Input, parser: str) -> None:
        start = process_time()
        message = read(given.data, given.dialect)
        taken = process_time() - start
        if taken * 1000 > SLOW_MS:
            taken = min(_seconds(given) for _ in range(3))
        self.valid[parser] += message.valid
        self.seconds[parser] += taken  # type: ignore[assignment]
        heappushpop(self.slowest, Slow(taken * 1000, given.number, len(given.data), parser))

    def _fail(self, given: Input, parser: str, kind: str, what: str) -> None:
        self.kinds[parser, kind] += 1
        self.failures.append(Failure(given.number, kind, what))


def _seconds(given: Input) -> float:
    start = process_time()
    read(given.data, given.dialect)
    return process_time() - start


@contextmanager
def _patience() -> Iterator[None]:
    """Give up on an input that hangs. Without effect where there are no alarm signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(signal_number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"took more than {_PATIENCE_S} seconds")


def run(seed: int, inputs: int, seconds: float | None = None, first: int = 0) -> Tally:
    """Try inputs, for as many or as long as told."""
    tally, end = Tally(), process_time() + seconds if seconds else None
    for number in range(first, first + inputs):
        tally.try_input(make(seed, number))
        if end is not None and process_time() > end:
            break
    return tally


def table(tally: Tally, seed: int) -> Iterator[str]:
    """Write what was seen, line by line."""
    titles = ("read as", "inputs", "valid", "reads/s", "exceptions", "disagreements")
    yield "".join(f"{title:>15}" for title in titles)
    for parser in sorted(tally.inputs):
        count, taken = tally.inputs[parser], tally.seconds[parser] or 1
        wrong = (tally.kinds[parser, kind] for kind in ("exception", "disagreement"))
        cells = (parser, count, tally.valid[parser], round(count / taken), *wrong)
        yield "".join(f"{cell:>15}" for cell in cells)
    yield f"{sum(tally.inputs.values()):,} inputs in all, seed {seed}; the slowest:"
    for slow in sorted(tally.slowest, reverse=True):
        again = f"scripts/campaign fuzz --seed {seed} --only {slow.number}"
        yield f"{slow.milliseconds:8.1f} ms {slow.size:6} bytes {slow.dialect:>10}  {again}"
    for failure in tally.failures[:_SHOWN]:
        yield f"{failure.kind} in --seed {seed} --only {failure.number}: {failure.what}"


def show(given: Input) -> Iterator[str]:
    """Show one input and everything about it."""
    yield f"read as {given.dialect or 'detected'}, {len(given.data)} bytes: {given.data!r}"
    yield str(read(given.data, given.dialect)._replace(raw=b""))
    yield from broken_by(given.data, given.dialect)
    yield f"{min(_seconds(given) for _ in range(3)) * 1000:.1f} ms"


def main(arguments: list[str] | None = None) -> int:
    """Run a campaign, or show one input again; 1 when something is wrong or slow."""
    parser = argparse.ArgumentParser(prog="scripts/campaign fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number to begin with")
    parser.add_argument("--only", type=int, help="show the one input with this number")
    asked = parser.parse_args(arguments)
    if asked.only is not None:
        print(*show(make(asked.seed, asked.only)), sep="\n")
        return 0
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _too_long)
    tally = run(asked.seed, asked.inputs, asked.seconds, asked.first)
    print(*table(tally, asked.seed), sep="\n", flush=True)
    return 1 if tally.failures or max(tally.slowest).milliseconds > SLOW_MS else 0


if __name__ == "__main__":
    sys.exit(main())
