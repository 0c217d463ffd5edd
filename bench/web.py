"""The dashboard: every view in an office of many letters and agents, the first paint, and its pages
while letters pour in.

scripts/bench web                                a million letters, a thousand agents
python bench/web.py --letters 50000              fewer
python bench/web.py --home FOLDER                keeps the filled office there, for the next run
python bench/web.py --only views                 or: live
"""

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

import httpx
import web_live
from dashboard import Served, served
from table import Row, show
from town import AGENTS, BUSIEST, DANA, LONG_THREAD, QUIET, filled

LETTERS, TARGET_MS, TIMES = 1_000_000, 50, 15
_ASSETS = ("style.css", "app.js", "htmx.min.js", "icon.svg")
_LAST_OF_INBOX = (
    "SELECT rank || '.' || sent_at || '.' || letter FROM deliveries WHERE state < 4 AND agent ="
    " (SELECT id FROM agents WHERE name = ?) ORDER BY rank DESC, sent_at DESC, letter DESC"
    " LIMIT 1 OFFSET 20"
)
_LAST_OF_THREAD = "SELECT position FROM letters WHERE thread = ? ORDER BY 1 DESC LIMIT 1 OFFSET 10"
_MIDDLE = "SELECT max(position) / 2 FROM events"


class View(NamedTuple):
    """A path that is measured; with `has_next`, its second page, too."""

    path: str
    name: str = ""
    has_next: bool = False


def views(home: Path) -> Iterator[View]:
    """Every view with its filters, the second page of each list, and pages far behind."""
    with sqlite3.connect(home / "office.db") as db:
        (inbox_end,) = db.execute(_LAST_OF_INBOX, (BUSIEST,)).fetchone()
        (thread_end,) = db.execute(_LAST_OF_THREAD, (LONG_THREAD,)).fetchone()
        (middle,) = db.execute(_MIDDLE).fetchone()
    busiest, long = f"/inbox?agent={BUSIEST}", f"/thread?id={LONG_THREAD}"
    yield from (View("/"), View(f"/?after={middle}"), View("/needs"))
    yield from (View(busiest, has_next=True), View(f"{busiest}&show=all"))
    yield View(f"{busiest}&show=all&after={inbox_end}", "the last page of that")
    yield from (View("/inbox", "/inbox of a person with 20,000"), View("/inbox?agent=agent500"))
    yield from (View(long, "/thread of 10,000", has_next=True), View(f"{long}&tab=raw"))
    yield from (View(f"{long}&tab=problems"), View(f"{long}&tab=delivery"))
    yield View(f"{long}&after={thread_end}", "the last page of that")
    yield from (View("/undelivered", has_next=True), View("/undelivered?after=100000"))
    yield from (View("/flow?span=15m"), View("/flow?span=1d"))
    yield from (View("/agents", has_next=True), View("/agents?name=50"), View("/agents?after=950"))
    yield from (View("/reservations"), View("/reservations?path=src/3/x.py"))
    for query in ("rounding", f"from:{BUSIEST}", f"rounding to:{BUSIEST}", "number 4*",
                  '"number 77777"', "type:question", "rounding before:9d", "after:1h",
                  "nowheretobefound"):  # fmt: skip
        yield View(f"/search?q={query}", has_next=query == "rounding")
    yield View("/search?q=rounding&after=2000", "/search?q=rounding, the last page")
    yield from (View("/journal", has_next=True), View(f"/journal?after={middle}"))
    for words in (f"actor={BUSIEST}", "actor=claude", "actor=nobody", "kind=letters.moved",
                  "kind=files.reserved", "kind=contents.removed",
                  f"actor={BUSIEST}&kind=files.reserved"):  # fmt: skip
        yield View(f"/journal?{words}")
    yield View("/compose?type=error_report")


QUIET_VIEWS = ("/", "/needs", "/undelivered", "/flow?span=1d", "/search?q=nobody", "/journal",
               "/journal?kind=letter.sent")  # fmt: skip


def timed(client: httpx.Client, path: str) -> tuple[list[float], httpx.Response]:
    """What a view took, in milliseconds, and its answer."""
    taken = []
    for _ in range(TIMES):
        start = perf_counter()
        answer = client.get(path)
        taken.append((perf_counter() - start) * 1000)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
    return taken, answer


def row(name: str, taken: list[float]) -> Row:
    p50 = median(taken)
    subject = f"{name} (worst {max(taken):.0f})"
    return Row(subject, p50, target=f"< {TARGET_MS}", met=p50 < TARGET_MS)


def view_rows(server: Served) -> Iterator[Row]:
    """Each view, in milliseconds."""
    with server.visit(DANA) as client:
        for view in views(server.home):
            taken, answer = timed(client, view.path)
            yield row(view.name or view.path, taken)
            if view.has_next:
                (address,) = (line for line in answer.text.split('"') if line.count("after="))
                yield row("  its second page", timed(client, address.replace("&amp;", "&"))[0])
    with server.visit(QUIET) as client:
        for path in QUIET_VIEWS:
            yield row(f"{path} of a project with one letter", timed(client, path)[0])


def paint_rows(server: Served) -> Iterator[Row]:
    """What a browser has to fetch before it can show its first page, in kilobytes."""
    with server.visit(DANA) as client:
        paths = ["/", *(f"/static/{name}" for name in _ASSETS)]
        sizes = {path: transferred(client, path) for path in paths}
    for path, size in sizes.items():
        yield Row(path, size)
    whole = sum(sizes.values())
    yield Row("together", whole, target="< 100", met=whole < 100)


def transferred(client: httpx.Client, path: str) -> float:
    """The kilobytes of an answer as they travel."""
    with client.stream("GET", path) as answer:
        return sum(map(len, answer.iter_raw())) / 1000


def main() -> int:
    """Print the tables; 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--letters", type=int, default=LETTERS)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--only", choices=("views", "live"))
    asked = parser.parse_args()
    good = True
    with TemporaryDirectory() as folder:
        home = filled(asked.home or Path(folder) / "home", asked.letters)
        with served(home) as server:
            if asked.only != "live":
                title = f"Views in milliseconds, p50; {asked.letters:,} letters, {AGENTS:,} agents"
                good &= show(title, view_rows(server))
                good &= show("First paint in kilobytes as they travel", paint_rows(server))
            if asked.only != "views":
                good &= web_live.tables(server)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
