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

RUNS = 41
OURS = Path(sys.executable).parent  # run in an environment where waypost is installed


def commands(message: str) -> dict[str, list[str]]:
    """The commands to start, by a name for each."""
    peer = str(oacp_cli())
    return {
        "nothing": [sys.executable, "-c", "pass"],
        "peer version": [peer, "--version"],
        "our version": [str(OURS / "oacp"), "--version"],
        "peer validate": [peer, "validate", message],
        "our validate": [str(OURS / "oacp"), "validate", message],
        "waypost validate": [str(OURS / "waypost"), "validate", message],
        "import": [sys.executable, "-c", "import waypost"],
        "import parse": [sys.executable, "-c", "from waypost import parse"],
    }


def start(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env=clean())


def measured() -> dict[str, float]:
    """Median milliseconds of every command."""
    with TemporaryDirectory() as folder:
        message = Path(folder, "message.yaml")
        message.write_bytes(dialect("oacp").example("task_request"))
        works = {name: partial(start, command) for name, command in commands(str(message)).items()}
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
        row("import waypost", "import"),
        row("from waypost import parse", "import parse"),
    ]
    title = f"Cold starts, median milliseconds of {RUNS} runs; the peer is oacp-cli 0.5.4"
    return 0 if show(title, rows) else 1


if __name__ == "__main__":
    sys.exit(main())
