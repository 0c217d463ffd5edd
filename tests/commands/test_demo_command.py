"""`waypost demo`: a whole office at work, checked while it is shown."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from commands.terminal import PATIENCE, SCRIPTS, command, environment, say


def test_the_demo_shows_three_dialects_a_conflict_a_stranger_and_a_crash() -> None:
    said = say("waypost", "demo", "--json")
    assert (said.code, said.err.splitlines()[0]) == (
        0, "Every line was checked before it was shown.")  # fmt: skip
    lines = said.objects
    assert all(set(line) == {"who", "dialect", "what"} for line in lines)
    assert {"OACP", "ACP", "Agent Mail"} <= {line["dialect"] for line in lines}
    told = json.dumps(lines)
    for what in ("conflict", "refused", "kill -9", "none lost, none twice", "Port 8443"):
        assert what in told


def test_what_is_kept_can_be_looked_at_by_the_command_that_is_told(tmp_path: Path) -> None:
    place = tmp_path / "a place"
    place.mkdir()
    said = say("waypost", "demo", "--keep", TMPDIR=str(place))
    hint = said.err.partition("look around: ")[2].strip()
    known = environment(PATH=f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(
        ["/bin/sh", "-c", hint], capture_output=True, text=True, env=known, timeout=PATIENCE,
        stdin=subprocess.DEVNULL, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in ("codex", "ada", "claude"))


WRONG_ANSWER = """\
demo_town._ANSWER = "echo Port 9"
look = demo_town.Town.file
def hasty(town, name, holding):
    if holding == "Port 8443":
        demo_town._PATIENCE_SECONDS = 1.0
    return look(town, name, holding)
demo_town.Town.file = hasty
"""
NO_CRASH = "demo_town.Town.kill = demo_town.Town.start\n"


@pytest.mark.parametrize(
    ("sabotage", "sentence"),
    [
        (WRONG_ANSWER, "this did not happen: a file with 'Port 8443' for codex"),
        (NO_CRASH, "a program of the demo did not start: process"),
    ],
)
def test_a_demo_in_which_something_isn_t_so_fails_and_says_what(
    tmp_path: Path, sabotage: str, sentence: str
) -> None:
    first = "from waypost.runtime import demo_town\n"
    (tmp_path / "sitecustomize.py").write_text(first + sabotage)
    said = say("waypost", "demo", "--json", PYTHONPATH=str(tmp_path))
    error = said.objects[-1]
    assert (said.code, error["details"].startswith(sentence)) == (1, True), error


def test_a_demo_that_is_told_to_stop_leaves_nothing_behind(tmp_path: Path) -> None:
    words = command("waypost", "demo")
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(TMPDIR=str(tmp_path))
    ) as demo:
        assert demo.stdout is not None
        demo.stdout.readline()
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(PATIENCE) == 130
    assert list(tmp_path.iterdir()) == []
