"""How long a command takes from nothing, beside the peer's and an empty Python, in one run.

Every run is a new process; the runs of all commands take turns. Compiled modules are there, as
after any first use.
"""

import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from peers import clean, oacp_cli
from table import Row, rounds, show

from waypost.dialects import dialect
from waypost.office import open_office
from waypost.office.callers import Caller

RUNS = 41
OURS = Path(sys.executable).parent  # run in an environment where waypost is installed


def commands(message: str, home: str) -> dict[str, list[str]]:
    """The commands to start, by a name for each."""
    peer, waypost = str(oacp_cli()), str(OURS / "waypost")
    peers, ours = f"--oacp-dir={home}/oacp", [f"--home={home}/office", "--project=p"]
    letter = ["--subject", "Which port?", "--body", "For the tests."]
    to_codex = ["--from", "claude", "--to", "codex", "--type", "notification", *letter]
    return {
        "nothing": [sys.executable, "-c", "pass"],
        "peer version": [peer, "--version"],
        "our version": [str(OURS / "oacp"), "--version"],
        "peer validate": [peer, "validate", message],
        "our validate": [str(OURS / "oacp"), "validate", message],
        "waypost validate": [waypost, "validate", message],
        "peer send": [peer, "send", "p", *to_codex, peers],
        "our send": [waypost, "send", "codex", *letter, "--agent=claude", *ours],
        "peer inbox": [peer, "inbox", "p", "--agent", "claude", peers],
        "our inbox": [waypost, "inbox", "--agent=claude", *ours],
        "import": [sys.executable, "-c", "import waypost"],
        "import parse": [sys.executable, "-c", "from waypost import parse"],
    }


def start(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env=clean())


def prepare(home: str) -> None:
    """Make the two homes that letters are sent in."""
    start([str(oacp_cli()), "init", "p", "--agents", "claude,codex", f"--oacp-dir={home}/oacp"])
    with open_office(f"{home}/office") as office:
        for name in ("claude", "codex"):
            office.register(Caller(name, "p"))


def measured() -> dict[str, float]:
    """Median milliseconds of every command."""
    with TemporaryDirectory() as folder:
        message = Path(folder, "message.yaml")
        message.write_bytes(dialect("oacp").example("task_request"))
        prepare(folder)
        works = {
            name: partial(start, command)
            for name, command in commands(str(message), folder).items()
        }
        rounds(works, 2)  # so that every module is compiled and in memory
        return {name: seconds * 1000 for name, seconds in rounds(works, RUNS).items()}


def main() -> int:
    """Print the table; 1 when a target is missed."""
    taken = measured()
    nothing = taken["nothing"]

    def row(subject: str, ours: str, peer: str | None = None, most: float | None = None) -> Row:
        times = (taken[ours], taken[peer] if peer else None)
        met = times[0] / times[1] <= most if most and times[1] else None
        return Row(subject, *times, nothing, f"<= {most}" if most else "", met)

    rows = [
        row("python -c pass", "nothing"),
        row("oacp --version", "our version", "peer version", 0.5),
        row("oacp validate FILE", "our validate", "peer validate", 0.6),
        row("waypost validate FILE", "waypost validate", "peer validate"),
        row("waypost send", "our send", "peer send"),
        row("waypost inbox", "our inbox", "peer inbox"),
        row("import waypost", "import"),
        row("from waypost import parse", "import parse"),
    ]
    title = f"Cold starts, median milliseconds of {RUNS} runs; the peer is oacp-cli 0.5.4"
    return 0 if show(title, rows) else 1


if __name__ == "__main__":
    sys.exit(main())
