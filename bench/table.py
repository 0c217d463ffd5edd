"""The table that every benchmark prints: us, the peer, the physical limit, and the target."""

import os
import platform
from collections.abc import Callable, Iterable, Mapping
from statistics import median
from time import perf_counter
from typing import NamedTuple


class Row(NamedTuple):
    """One subject. Times are per piece of work, in the unit of the table; less is better."""

    subject: str
    us: float
    peer: float | None = None
    limit: float | None = None
    target: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, ...]:
        ratio = "" if not self.peer else f"{self.us / self.peer:.2f}"
        verdict = {None: "", True: "met", False: "missed"}[self.met]
        times = (_number(self.peer), _number(self.limit), _number(self.us))
        return (self.subject, *times, ratio, self.target, verdict)


TITLES = ("subject", "peer", "physical limit", "us", "ratio", "target", "verdict")


def show(title: str, rows: Iterable[Row]) -> bool:
    """Print a table; tells whether no target was missed."""
    listed = list(rows)
    cells = [TITLES, *(row.cells() for row in listed)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(TITLES))]
    print(f"{title} (Python {platform.python_version()}, {os.cpu_count()} cores)")
    for line in cells:
        first, *others = (cell for cell in line)
        aligned = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        print("  ".join((first.ljust(widths[0]), *aligned)).rstrip())
    print()
    return all(row.met is not False for row in listed)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def rounds(works: Mapping[str, Callable[[], object]], count: int) -> dict[str, float]:
    """Time several works in turn, `count` times each; gives the median seconds of each."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(count):
        for name, work in works.items():
            start = perf_counter()
            work()
            taken[name].append(perf_counter() - start)
    return {name: median(times) for name, times in taken.items()}
