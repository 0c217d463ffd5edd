"""The `oacp` command and its mailboxes, beside oacp-cli and the disk, in one run.

Ours syncs every message to the disk before it says so; the peer's does not.
"""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from peers import clean, oacp_cli
from table import Row, rounds, show

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Home, Project
from waypost.mailbox.sending import send

OURS = str(Path(sys.executable).parent / "oacp")
_RUNS = 21
_SENDS = 300
_EVENTS = 101
_IDLE_SECONDS = 10
_BODY = "Please look at the rounding of prices.\nThe failing test is in tests/test_cart.py.\n"


def new_project(folder: str, name: str = "bench") -> Project:
    project = Home(folder).create_project(name)
    for agent in ("claude", "codex"):
        project.add_agent(agent)
    Path(project.path, "workspace.json").write_text("{}")
    return project


def run(command: list[str], home: str) -> None:
    environment = {**clean(), "OACP_HOME": home}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def sending(command: str) -> list[str]:
    return [command, "send", "bench", "--from", "claude", "--to", "codex", "--type", "question",
            "--subject", "Rounding", "--body", _BODY, "--json"]  # fmt: skip


def listing(command: str) -> list[str]:
    return [command, "inbox", "bench", "--agent", "codex", "--json"]


def cold_rows() -> list[Row]:
    """Single commands from nothing, in milliseconds."""
    with TemporaryDirectory() as ours, TemporaryDirectory() as theirs:
        for home in (ours, theirs):
            new_project(home)
        peer = str(oacp_cli())
        works = {
            "peer inbox": partial(run, listing(peer), theirs),
            "our inbox": partial(run, listing(OURS), ours),
        }
        rounds(works, 2)
        inbox = rounds(works, _RUNS)
        works = {
            "peer send": partial(run, sending(peer), theirs),
            "our send": partial(run, sending(OURS), ours),
        }
        rounds(works, 2)
        sends = rounds(works, _RUNS)
    return [
        ratio("oacp send, durable", sends["our send"], sends["peer send"], 0.6),
        ratio("oacp inbox, empty", inbox["our inbox"], inbox["peer inbox"], 0.6),
    ]


def ratio(subject: str, us: float, peer: float, most: float) -> Row:
    return Row(subject, us * 1000, peer * 1000, None, f"<= {most:.2g}", us / peer <= most)


def full_inbox_rows() -> list[Row]:
    """Listing a full inbox, in milliseconds; ours twice, since the first listing fills a cache."""
    rows = []
    for count, times in ((1_000, 0.0), (10_000, 12.0), (50_000, 15.0)):
        with TemporaryDirectory() as home:
            fill(new_project(home), count)
            peer = rounds({"peer": partial(run, listing(str(oacp_cli())), home)}, 1)["peer"]
            first = rounds({"us": partial(run, listing(OURS), home)}, 1)["us"]
            again = rounds({"us": partial(run, listing(OURS), home)}, 3)["us"]
        rows.append(Row(f"inbox of {count:,}, first time", first * 1000, peer * 1000))
        target = f">= {times:.0f} x" if times else ""
        met = peer / again >= times if times else None
        rows.append(Row(f"inbox of {count:,}", again * 1000, peer * 1000, None, target, met))
    return rows


def fill(project: Project, count: int) -> None:
    """Put many messages into an inbox, as files of their own."""
    receipt = send(project, draft())
    text = receipt.message.raw.decode()
    own_id = str((receipt.message.fields or {})["id"])
    box = Path(project.mailbox("codex").inbox)
    for number in range(count - 1):
        other = f"{own_id[:-5]}{number // 36**2 % 10}-{base36(number)}"
        name = f"20260313T1430Z_claude_question_{number:06d}.yaml"
        (box / name).write_text(text.replace(own_id, other))


def base36(number: int) -> str:
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    return "".join(letters[number // 36**place % 36] for place in range(4))


def draft() -> dict[str, str]:
    return {
        "from": "claude",
        "to": "codex",
        "type": "question",
        "subject": "Rounding",
        "body": _BODY,
    }


def memory_rows() -> list[Row]:
    """What listing costs in memory, in KiB a message over an empty inbox."""
    rows, empty = [], 0
    for count in (0, 10_000, 50_000):
        with TemporaryDirectory() as home:
            project = new_project(home)
            if count:
                fill(project, count)
                run(listing(OURS), home)
            peak = peak_kib(listing(OURS), home)
        if not count:
            empty = peak
            continue
        rows.append(Row(f"inbox of {count:,}, KiB a message", (peak - empty) / count))
    flat = rows[1].us <= 1.2 * rows[0].us
    return [rows[0], rows[1]._replace(target="flat", met=flat)]


_LAUNCHER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_kib(command: list[str], home: str) -> int:
    """The most memory that a command held at once.

    A small program starts it, since the system counts a starter's memory as its child's.
    """
    launch = [sys.executable, "-S", "-E", "-c", _LAUNCHER, *command]
    environment = {**clean(), "OACP_HOME": home}
    return int(subprocess.run(launch, check=True, capture_output=True, env=environment).stdout)


def watch_rows() -> list[Row]:
    """From the moment a message is sent to the line about it, in milliseconds; and idle work."""
    with TemporaryDirectory() as home:
        project = new_project(home)
        watch = [OURS, "watch", "--project", "bench", "--agent", "codex", "--follow", "--json"]
        environment = {**clean(), "OACP_HOME": home}
        with subprocess.Popen(
            watch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        ) as program:
            assert program.stdout is not None
            assert program.stderr is not None
            program.stderr.readline()  # it is watching now
            delays = sorted(delay_of_event(project, program.stdout) for _ in range(_EVENTS))
            before = cpu_seconds(program.pid)
            time.sleep(_IDLE_SECONDS)
            idle = (cpu_seconds(program.pid) - before) / _IDLE_SECONDS
            program.terminate()
    median_delay = delays[len(delays) // 2] * 1000
    return [
        Row("watch --follow, p50 of an event", median_delay, None, None, "<= 10 ms",
            median_delay <= 10),
        Row("watch --follow, CPU ms a second, idle", idle * 1000, None, None, "none", idle < 0.002),
    ]  # fmt: skip


def delay_of_event(project: Project, lines: IO[bytes]) -> float:
    send(project, draft())
    sent = time.perf_counter()
    lines.readline()
    return max(0.0, time.perf_counter() - sent)


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def durable_rows() -> list[Row]:
    """Sends in one process, in microseconds, beside the bare system calls with the same syncs."""
    with TemporaryDirectory(dir=os.getcwd()) as home:
        project = new_project(home)
        boxes = [project.mailbox(agent) for agent in ("claude", "codex")]
        data = send(project, draft()).message.raw
        folders = [f"{box.path}/bare" for box in boxes]
        for folder in folders:
            os.makedirs(folder)
        names = iter(range(1_000_000))

        def bare() -> None:
            for _ in range(_SENDS):
                name = str(next(names))
                for folder in folders:
                    os.close(files.create(f"{folder}/{name}.new", data))
                    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")
                    files.sync_folder(folder)

        def ours() -> None:
            for _ in range(_SENDS):
                send(project, draft())

        taken = rounds({"bare": bare, "ours": ours}, 5)
    us, limit = (taken[name] / _SENDS * 1e6 for name in ("ours", "bare"))
    target = ">= 0.6 of the disk"
    return [Row("durable send to one", us, None, limit, target, limit / us >= 0.6)]


def main() -> int:
    """Print the tables; 1 when a target is missed."""
    good = show("One command from nothing, ms; the peer is oacp-cli 0.5.4", cold_rows())
    good &= show("Listing a full inbox, ms; the peer is oacp-cli 0.5.4", full_inbox_rows())
    good &= show("Listing, memory", memory_rows())
    good &= show("Watching", watch_rows())
    good &= show(
        "In one process, microseconds; the limit is the same files and syncs", durable_rows()
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
