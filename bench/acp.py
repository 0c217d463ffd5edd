"""How fast live agents talk, beside HTTP, TCP with TLS and a bare QUIC echo, in one run.

Every contestant carries 400 bytes there and 400 back between two processes over the loopback. They
take turns, round by round; a ratio is the median of the rounds' ratios, so that what else the
machine does strikes both sides alike.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from peers import clean

NAMES = {
    "http": "HTTP JSON (uvicorn, httpx)",
    "tcp": "TCP + TLS (asyncio)",
    "quic": "bare aioquic echo, pinned",
    "waypost": "waypost",
}
LOOPS = ("uvloop", "asyncio")
FIGURES = {
    "exchanges": "exchanges/s, 64 at once",
    "cpu": "CPU µs each",
    "one way": "one-way/s",
    "p50": "p50 ms, one at a time",
    "cpu one by one": "CPU µs each",
    "cold": "cold ms",
}
MOST_IMPORT_MS = 250
_TRIAL = str(Path(__file__).with_name("trial.py"))

Figures = dict[str, float]
Rounds = dict[tuple[str, str], list[Figures]]  # by contestant and event loop


class Target(NamedTuple):
    """What we owe: a figure of ours against another's, in the same round."""

    figure: str
    rival: str
    bound: float
    loops: tuple[str, ...] = LOOPS

    def against(self, ours: Figures, theirs: Figures) -> float:
        mine, other = ours[self.figure], theirs[self.figure]
        return mine - other if self.figure == "cold" else mine / other

    @property
    def less_is_better(self) -> bool:
        return self.figure not in ("exchanges", "one way")

    def is_met(self, value: float) -> bool:
        return value <= self.bound if self.less_is_better else value >= self.bound

    def sentence(self) -> str:
        most = "at most" if self.less_is_better else "at least"
        how = f"{self.bound:g} ms more than" if self.figure == "cold" else f"{self.bound:g} x"
        return f"{self.figure}: {most} {how} {self.rival}"


TARGETS = (
    Target("exchanges", "http", 4.5, ("uvloop",)),
    Target("exchanges", "quic", 0.6),
    Target("p50", "quic", 1.5),
    Target("one way", "quic", 0.6),
    Target("cold", "quic", 40),
)


@contextmanager
def serving(name: str, loop: str, home: Path) -> Iterator[tuple[int, int]]:
    """A process that listens; gives its port, and its id."""
    home.mkdir(mode=0o700)
    command = [sys.executable, _TRIAL, "serve", name, loop, str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=clean()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.stdin.close()


def measured(name: str, loop: str, home: Path, at: tuple[int, int], seconds: float) -> Figures:
    """One round of one contestant."""
    words = (name, loop, home, at[0], seconds, at[1])
    command = [sys.executable, _TRIAL, "measure", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=clean())
    if done.stderr:
        raise SystemExit(f"{name} with {loop}: {done.stderr}")
    figures: Figures = json.loads(done.stdout)
    return figures


def run(rounds: int, seconds: float, names: list[str], loops: list[str]) -> Rounds:
    """All rounds of all contestants."""
    taken: Rounds = {(name, loop): [] for loop in loops for name in names}
    with TemporaryDirectory() as folder, ExitStack() as stack:
        homes = {key: Path(folder, "-".join(key)) for key in taken}
        servers = {key: stack.enter_context(serving(*key, homes[key])) for key in taken}
        for _ in range(rounds):
            for key, figures in taken.items():
                figures.append(measured(*key, homes[key], servers[key], seconds))
    return taken


def import_ms(what: str, times: int = 9) -> float:
    """How much longer a Python lives that imports this first."""
    taken: dict[str, list[float]] = {"pass": [], what: []}
    for _ in range(times):
        for code, seconds in taken.items():
            timed = f"import time; s = time.perf_counter(); {code}; print(time.perf_counter() - s)"
            done = subprocess.run(
                [sys.executable, "-c", timed], capture_output=True, check=True, env=clean()
            )
            seconds.append(float(done.stdout))
    return 1000 * (median(taken[what]) - median(taken["pass"]))


def show(taken: Rounds) -> None:
    """Print the medians of all rounds."""
    for loop in dict.fromkeys(loop for _, loop in taken):
        print(f"| with {loop} | " + " | ".join(FIGURES.values()) + " |")
        print("|---" * (1 + len(FIGURES)) + "|")
        for name in (name for name, its in taken if its == loop):
            middle = [median(one[figure] for one in taken[name, loop]) for figure in FIGURES]
            cells = (f"{value:,.0f}" if value >= 100 else f"{value:.2f}" for value in middle)
            print(f"| {NAMES[name]} | " + " | ".join(cells) + " |")
        print()


def judge(taken: Rounds) -> bool:
    """Print what became of the targets; tells whether all were met."""
    good = True
    print("| target | loop | here | lowest to highest round | verdict |\n" + "|---" * 5 + "|")
    for target in TARGETS:
        for loop in target.loops:
            if not {("waypost", loop), (target.rival, loop)} <= taken.keys():
                continue
            pairs = zip(taken["waypost", loop], taken[target.rival, loop], strict=True)
            values = [target.against(*pair) for pair in pairs]
            met = target.is_met(median(values))
            good &= met
            spread = f"{min(values):.2f} to {max(values):.2f}"
            verdict = "met" if met else "missed"
            print(f"| {target.sentence()} | {loop} | {median(values):.2f} | {spread} | {verdict} |")
    return good


def main() -> int:
    """Run everything; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="scripts/bench acp", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--loops", nargs="+", choices=LOOPS, default=list(LOOPS))
    asked = parser.parse_args()
    print(f"Live agents, Python {platform.python_version()}, {os.cpu_count()} cores\n")
    taken = run(asked.rounds, asked.seconds, asked.only, asked.loops)
    show(taken)
    good = judge(taken)
    imports = import_ms(
        "from waypost import Agent; import waypost.agent.online, waypost.carriers.quic"
    )
    good &= imports < MOST_IMPORT_MS
    verdict = "met" if imports < MOST_IMPORT_MS else "missed"
    print(f"| import for an agent under {MOST_IMPORT_MS} ms | | {imports:.0f} | | {verdict} |")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
