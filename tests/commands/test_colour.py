"""Colour is for terminals that want it, and never part of the data."""

import os
import pty
import subprocess
from pathlib import Path

import pytest

from commands.terminal import command, environment, say
from schema_files import example

BAD = example("oacp", "handoff").replace(b"\npriority: P", b"\npriority: X")
PAINT = "\x1b["


def on_a_terminal(*words: str, **more: str) -> str:
    """What a person at a terminal sees."""
    ours, theirs = pty.openpty()
    subprocess.run(
        command(*words),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment(**{"TERM": "xterm", **more}),
        check=False,
    )
    os.close(theirs)
    seen = b""
    try:
        while more_seen := os.read(ours, 1 << 16):
            seen += more_seen
    except OSError:  # a terminal ends so
        pass
    os.close(ours)
    return seen.decode()


@pytest.fixture
def bad(tmp_path: Path) -> str:
    path = tmp_path / "bad.yaml"
    path.write_bytes(BAD)
    return str(path)


def test_a_terminal_gets_colour(bad: str) -> None:
    assert PAINT in on_a_terminal("waypost", "validate", bad)
    assert PAINT in on_a_terminal("waypost", "nonsense")


@pytest.mark.parametrize(
    "wish", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}]
)
def test_a_terminal_that_wants_none_gets_none(bad: str, wish: dict[str, str]) -> None:
    assert PAINT not in on_a_terminal("waypost", "validate", bad, **wish)
    assert PAINT not in on_a_terminal("waypost", "nonsense", **wish)


def test_json_has_no_colour_even_on_a_terminal(bad: str) -> None:
    assert PAINT not in on_a_terminal("waypost", "validate", "--json", bad)


def test_a_pipe_gets_colour_only_when_forced(bad: str) -> None:
    plain = say("waypost", "validate", bad)
    forced = say("waypost", "validate", bad, FORCE_COLOR="1")
    assert PAINT not in plain.out + plain.err
    assert PAINT in forced.out
    assert say("waypost", "validate", bad, FORCE_COLOR="1", NO_COLOR="1") == plain
    assert say("waypost", "validate", bad, NO_COLOR="", FORCE_COLOR="") == plain


def test_force_colour_zero_means_no(bad: str) -> None:
    assert PAINT not in say("waypost", "validate", bad, FORCE_COLOR="0").out


def test_taking_the_colour_away_leaves_the_same_text(bad: str) -> None:
    forced = say("waypost", "validate", bad, FORCE_COLOR="1").out
    for code in ("31", "32", "33", "34", "1", "2", "0"):
        forced = forced.replace(f"\x1b[{code}m", "")
    assert forced == say("waypost", "validate", bad).out
