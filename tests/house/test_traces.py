"""The project's files speak of the project only, not of the machine they were written on."""

import re
import subprocess
from pathlib import Path

import pytest
from law import ROOT

# In pieces, so that this file doesn't hold what it looks for.
_PLACES = ["/wo" + "rk/", "/tmp/" + "(?:briefs|lab|bash_jobs)", "/ro" + "ot/"]
_WORDS = ["[Ss]eed " + "0[0-9]{2}", "[Cc]o-" + "[Aa]uthored", "Generated with " + "\\["]
TRACES = re.compile(rf"(?<![\w.])(?:{'|'.join([*_PLACES, *_WORDS])})")
NOT_OURS = {"uv.lock", "LICENSE"}


def tracked() -> list[Path]:
    """Every file under version control; none outside a checkout."""
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=False
    )
    return [ROOT / name for name in listing.stdout.split("\0") if name and name not in NOT_OURS]


def lines_with_traces(text: str) -> list[str]:
    return [line for line in text.splitlines() if TRACES.search(line)]


def test_no_file_names_the_machine_it_was_written_on() -> None:
    files = [path for path in tracked() if path.is_file()]
    if not files:
        pytest.skip("not a checkout")
    texts = {path: path.read_bytes().decode(errors="replace") for path in files}
    found = {path.name: lines_with_traces(text) for path, text in texts.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_trace_is_seen() -> None:
    assert lines_with_traces("fine\nsee /wo" + "rk/main\n") == ["see /wo" + "rk/main"]
    assert lines_with_traces("src/work/main, the seed of a pumpkin\n") == []
