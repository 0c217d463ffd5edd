"""The examples run, and the guide shows them as they are; its limits are the real ones."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from commands.terminal import PATIENCE, environment, say
from journeys.terminals import ROOT
from waypost.agent import processes, programs
from waypost.carriers.links import Limits

GUIDE = (ROOT / "docs" / "acp.md").read_text()
FAMILY = (ROOT / "examples" / "family.py").read_text()


@contextmanager
def family(home: Path) -> Iterator[str]:
    """The example is online, at a port that is free; gives its token."""
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY.replace(":7100", ":0")],
        stdout=subprocess.PIPE,
        env=environment(WAYPOST_HOME=str(home)),
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


def test_one_example_asks_and_tasks_the_other(tmp_path: Path) -> None:
    home = str(tmp_path)
    with family(tmp_path) as token:
        ours = say("waypost", "peers", "token", "--as", "kit", WAYPOST_HOME=home).out.strip()
        say("waypost", "peers", "add", token, "--name", "family", "--as", "kit", WAYPOST_HOME=home)
        say("waypost", "peers", "add", ours, "--name", "kit", "--as", "family", WAYPOST_HOME=home)
        done = subprocess.run(
            [sys.executable, str(ROOT / "examples" / "kit.py")],
            capture_output=True,
            env=environment(WAYPOST_HOME=home),
            timeout=PATIENCE,
            text=True,
            check=True,
        )
    assert done.stdout.splitlines() == [
        "Mon/Wed/Fri 4-5pm {'days': ['Mon', 'Wed', 'Fri']}",
        "calling…",
        "Done, she said okay",
    ]


def test_the_guide_shows_the_example_as_it_is() -> None:
    assert f"```python\n{FAMILY}```" in GUIDE


def test_the_example_has_fifteen_lines_beside_its_imports() -> None:
    beside = ('"""', "import ", "from ")
    assert len([line for line in FAMILY.splitlines() if line and not line.startswith(beside)]) == 15


def test_the_limits_of_the_guide_are_those_of_the_code() -> None:
    limits = Limits()
    numbers = [
        limits.message_bytes >> 10,
        limits.requests_from_peer,
        limits.pushes_from_peer,
        limits.buffered_bytes >> 20,
        limits.message_seconds,
        limits.in_flight,
        limits.links,
        limits.links_of_peer,
        limits.handshakes,
        limits.handshakes_a_second,
        limits.dial_seconds,
        programs.NEWS_SECONDS / 60,
    ]
    table = GUIDE.partition("## Limits")[2]
    rows = re.findall(r"^\| [^|]+ \| ([\d,]+)", table, re.MULTILINE)
    assert [float(row.replace(",", "")) for row in rows] == numbers
    assert f"more than {processes.MOST_OUTPUT >> 10} KiB" in GUIDE
    assert f"{programs.LONGEST_VARIABLE:,} characters" in GUIDE
