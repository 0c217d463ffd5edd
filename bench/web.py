"""Every view of the dashboard over HTTP, in an office of many letters and agents.

scripts/bench web                     a million letters, a thousand agents
python bench/web.py --letters 50000   fewer
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import httpx
from table import Row, show

from office import PROJECT, drawn_up, varied
from waypost.faces.web.passes import Passes
from waypost.office import Office, open_office
from waypost.office.callers import Caller
from waypost.office.events import Event, seal
from waypost.office.journal.sqlite import write
from waypost.office.statements import MOVE_TIP, TIP

AGENTS, LETTERS = 1_000, 1_000_000
DANA = Caller("dana", PROJECT)
TARGET_MS, TIMES = 50, 15
VIEWS = (
    *("/", "/needs", "/inbox?agent=agent7", "/thread?id={thread}", "/undelivered"),
    *("/flow?span=1d", "/agents", "/reservations", "/search?q=rounding", "/search?q=from:agent7"),
    *("/journal", "/journal?actor=agent7", "/compose?type=error_report"),
)


def filled(office: Office, letters: int) -> str:
    """Fill an office; gives a thread of it."""
    office.register(Caller("claude", PROJECT), with_token=False)
    office.register(Caller("codex", PROJECT), with_token=False)
    office.register(DANA, kind="person", with_token=False)
    for number in range(AGENTS - 3):
        office.register(Caller(f"agent{number}", PROJECT), with_token=False)
    for number in range(20):
        office.ask_human(Caller(f"agent{number}", PROJECT), f"May I do {number}?", ["yes", "no"])
        office.reserve(Caller(f"agent{number}", PROJECT), [f"src/{number}/**"])
    thread = office.send(Caller("claude", PROJECT), "codex", text="Which port?").thread
    pattern, _ = drawn_up(office, 1, first=7_777_777)[0]
    while (missing := letters - office.last()) > 0:
        with office.desk.database.writing() as db:
            position, chain = db.execute(TIP).fetchone()
            for _ in range(min(missing, 1000)):
                position += 1
                event = between(varied(pattern, position), position)
                scope = f"letter:{event.actor}/{event.data['id']}"
                chain = write(db, seal(event, (scope,), position), chain)
            db.execute(MOVE_TIP, (position, chain))
    return thread


def between(event: Event, number: int) -> Event:
    """The letter from one of the agents to another; their boxes follow those of the first four."""
    sender, to = number % (AGENTS - 3), number * 7 % (AGENTS - 3)
    who = {"sender": f"agent{sender}", "from_box": sender + 5}
    whom = {"to": [f"agent{to}"], "boxes": [to + 5], "thread": f"thread-{number // 5}"}
    return event._replace(actor=f"agent{sender}", data={**event.data, **who, **whom})


def timed(client: httpx.Client, path: str) -> tuple[float, int]:
    """The median of a view in milliseconds, and its size."""
    taken, size = [], 0
    for _ in range(TIMES):
        start = perf_counter()
        answer = client.get(path)
        taken.append((perf_counter() - start) * 1000)
        assert answer.status_code == 200, (path, answer.status_code)
        size = len(answer.content)
    return median(taken), size


def rows(home: Path, letters: int) -> list[Row]:
    """Each view, in milliseconds."""
    with open_office(home) as office:
        thread = filled(office, letters)
    words = ["waypost", "serve", "--home", str(home), "--json", "--http", "127.0.0.1:0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ)
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        with httpx.Client(base_url=url, timeout=60) as client:
            client.get("/enter/" + Passes(str(home)).link(DANA.agent, PROJECT))
            found = [(path, *timed(client, path.format(thread=thread))) for path in VIEWS]
            static = sum(
                len(client.get(f"/static/{name}").content)
                for name in ("style.css", "app.js", "htmx.min.js", "icon.svg")
            )
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
    first = (found[0][2] + static) / 1000
    return [
        *(Row(path, taken, target=f"< {TARGET_MS}", met=taken < TARGET_MS)
          for path, taken, _ in found),
        Row("first paint, KB", first, target="< 100", met=first < 100),
    ]  # fmt: skip


def main() -> int:
    """Print the table; 1 when a target is missed."""
    letters = int(sys.argv[sys.argv.index("--letters") + 1]) if "--letters" in sys.argv else LETTERS
    with TemporaryDirectory(dir=os.getcwd()) as folder:
        title = f"The dashboard, milliseconds a view, p50; {letters:,} events, {AGENTS:,} agents"
        return 0 if show(title, rows(Path(folder) / "home", letters)) else 1


if __name__ == "__main__":
    sys.exit(main())
