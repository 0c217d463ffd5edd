"""The office beside its physical limit: the same SQL statements by one bare thread, in one run.

scripts/bench office              everything
python bench/office.py --quick    the speed of sending alone
"""

import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from uuid import UUID

from table import Row, show

from waypost.office import sending
from waypost.office.callers import Caller
from waypost.office.events import Entry, Event, seal
from waypost.office.journal import Proposal
from waypost.office.journal.sqlite import write
from waypost.office.office import Office, open_office
from waypost.office.rounds import Rounds
from waypost.office.statements import MOVE_TIP, TIP

PROJECT = "bench"
SENDER, RECIPIENT = Caller("claude", PROJECT), Caller("codex", PROJECT)
_SCOPE = "SELECT position FROM scopes WHERE key = ?"
TEXT = "The failing test is in tests/test_cart.py, number {}.\nPlease look at the rounding.\n"
_THREADS, _EACH, _ALONE = 64, 60, 200
_ROUNDS = 5
PLACE = 7_777_777  # stands where each letter has its own number
Statement = tuple[str, tuple[Any, ...]]


class Notebook:
    """Takes down what would be written: an entry's statements, or a use-case's event."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.events: list[Proposal] = []

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> None:
        self.statements.append((statement, values))

    def append(self, proposals: Sequence[Proposal], begun: Callable[[], None]) -> list[Entry]:
        self.events += proposals
        return [seal(event, tuple(expect), len(self.events)) for event, expect in proposals]


def new_office(folder: str) -> Office:
    office = open_office(folder)
    for caller in (SENDER, RECIPIENT):
        office.register(caller, with_token=False)
    return office


def drawn_up(office: Office, count: int, first: int = 0) -> list[Proposal]:
    """The events of so many letters, which are not appended."""
    notebook = Notebook()
    rounds = Rounds(notebook, office.desk.database)  # type: ignore[arg-type]
    desk = office.desk._replace(rounds=rounds)
    for number in range(first, first + count):
        sending.send(desk, SENDER, RECIPIENT.agent, text=TEXT.format(number))
    return notebook.events


def statements_of(office: Office, count: int) -> list[list[Statement]]:
    """By letter: every statement that sending it makes, reading the scope and the tip included."""
    written = []
    for place, (event, expect) in enumerate(drawn_up(office, count), office.last() + 1):
        notebook = Notebook()
        notebook.execute(TIP)
        for _ in expect:
            notebook.execute(_SCOPE, (place,))
        write(notebook, seal(event, tuple(expect), place), bytes(32))  # type: ignore[arg-type]
        notebook.execute(MOVE_TIP, (place, bytes(32)))
        written.append(notebook.statements)
    return written


def bare(count: int, at_once: int) -> float:
    """Seconds a letter, for one thread that makes the statements and nothing else."""
    with TemporaryDirectory(dir=os.getcwd()) as folder:
        with new_office(folder) as office:
            letters = statements_of(office, count)
        with closing(sqlite3.connect(f"{folder}/office.db", isolation_level=None)) as db:
            for setting in ("synchronous = FULL", "secure_delete = ON", "cache_size = -16384"):
                db.execute(f"PRAGMA {setting}")
            start = perf_counter()
            for first in range(0, count, at_once):
                db.execute("BEGIN IMMEDIATE")
                for letter in letters[first : first + at_once]:
                    for statement, values in letter:
                        db.execute(statement, values).fetchone()
                db.execute("COMMIT")
            return (perf_counter() - start) / count


def ours(threads: int, each: int) -> float:
    """Seconds a letter, for threads that send."""
    with TemporaryDirectory(dir=os.getcwd()) as folder, new_office(folder) as office:

        def work() -> None:
            for number in range(each):
                office.send(SENDER, RECIPIENT.agent, text=TEXT.format(number))

        office.send(SENDER, RECIPIENT.agent, text="warm")
        workers = [threading.Thread(target=work) for _ in range(threads)]
        start = perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return (perf_counter() - start) / (threads * each)


def sending_rows() -> list[Row]:
    """Sending beside its statements, microseconds a letter."""
    works: dict[str, Callable[[], float]] = {
        "bare 64": lambda: bare(_THREADS * _EACH, 64),
        "ours 64": lambda: ours(_THREADS, _EACH),
        "bare 1": lambda: bare(_ALONE, 1),
        "ours 1": lambda: ours(1, _ALONE),
    }
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(_ROUNDS):
        for name, work in works.items():
            taken[name].append(work() * 1e6)
    us = {name: median(times) for name, times in taken.items()}
    rows = []
    for title, kind, least in (("64 threads", "64", 0.35), ("alone", "1", 0.5)):
        speed = us[f"bare {kind}"] / us[f"ours {kind}"]
        target = f">= {least} of the limit"
        rows.append(Row(f"send, {title} ({speed:.2f} of the limit)", us[f"ours {kind}"], None,
                        us[f"bare {kind}"], target, speed >= least))  # fmt: skip
    return rows


def fill(office: Office, count: int) -> None:
    """Put many letters into the office, a thousand in one transaction; one is drawn up for all."""
    pattern, _ = drawn_up(office, 1, first=PLACE)[0]
    while (missing := count - office.last()) > 0:
        with office.desk.database.writing() as db:
            position, chain = db.execute(TIP).fetchone()
            for _ in range(min(missing, 1000)):
                position += 1
                event = varied(pattern, position)
                chain = write(db, seal(event, (), position), chain)
            db.execute(MOVE_TIP, (position, chain))


def varied(event: Event, number: int) -> Event:
    """The same letter with an id and a number of its own."""
    old, new = event.data["id"], str(UUID(bytes=os.urandom(16), version=4))
    fields = dict(event.fields or {})
    fields["body"] = fields["body"].replace(str(PLACE), str(number))
    message = (event.message or b"").replace(old.encode(), new.encode())
    message = message.replace(str(PLACE).encode(), str(number).encode())
    return event._replace(data={**event.data, "id": new}, message=message, fields=fields)


def p50(work: Callable[[], object], times: int) -> float:
    """The median of single runs, in milliseconds."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        work()
        taken.append((perf_counter() - start) * 1000)
    return median(taken)


def large_rows() -> list[Row]:
    """How an office of many letters answers, milliseconds."""
    rows = []
    with TemporaryDirectory(dir=os.getcwd()) as folder, new_office(folder) as office:
        number = iter(range(10**9))

        def send() -> None:
            office.send(SENDER, RECIPIENT.agent, text=TEXT.format(next(number)))

        fill(office, 1_000)
        few = p50(send, 400)
        fill(office, 100_000)
        for query in ("rounding", "from:claude cart", '"number 77777"', "number 4*"):
            found = p50(lambda query=query: office.search(RECIPIENT, query), 21)  # type: ignore[misc]
            rows.append(
                Row(f"search among 100,000: {query}", found, None, None, "< 20", found < 20)
            )
        fill(office, 1_000_000)
        many = p50(send, 400)
        inbox = p50(lambda: office.inbox(RECIPIENT), 51)
        whole = p50(lambda: office.inbox(RECIPIENT, unread_only=False, limit=100), 51)
        size = Path(office.desk.database.path).stat().st_size / 1e6
    rows += [
        Row("inbox of 1,000,000, unread", inbox, None, None, "< 5", inbox < 5),
        Row("inbox of 1,000,000, a hundred of all", whole),
        Row("send among 1,000", few),
        Row("send among 1,000,000", many, few, None, "<= 1.3 x", many / few <= 1.3),
        Row("database of 1,000,000, MB", size),
    ]
    return rows


def main() -> int:
    """Print the tables; 1 when a target is missed."""
    good = show("Sending, microseconds a letter; the limit: its statements, bare", sending_rows())
    if "--quick" not in sys.argv:
        good &= show("A large office, milliseconds, p50; the peer: among 1,000", large_rows())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
