"""The two shells of docs/oacp.md: every line of their transcript is what the command prints."""

import re
import shlex
from pathlib import Path

import pytest

from commands.desk import leave_home
from commands.terminal import quick

PAGE = Path(__file__).parents[2] / "docs" / "oacp.md"
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^(claude|codex)\$ oacp(.*)\n((?:(?!claude\$|codex\$).*\n)*)", re.MULTILINE)
_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
STEPS = [step for block in _BLOCK.findall(PAGE.read_text()) for step in _STEP.findall(block)]


def unchanging(text: str, home: Path) -> str:
    """A transcript without what differs from run to run."""
    text = text.replace(str(home), "/home/ada")
    text = re.sub(r"msg-[0-9]{8}T[0-9]{4}Z-(\w+)-[a-z0-9]{4}", r"msg-<\1>", text)
    text = re.sub(r"conv-[0-9]{8}-", "conv-<day>-", text)
    return _CLOCK.sub("<time>", re.sub(r"[0-9]{8}T[0-9]{4}Z_", "<minute>_", text))


def test_the_page_shows_two_shells() -> None:
    assert {agent for agent, *_ in STEPS} == {"claude", "codex"}
    assert len(STEPS) >= 8


def test_the_transcript_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_home(monkeypatch, tmp_path)
    today = ""
    for agent, words, shown in STEPS:
        monkeypatch.setenv("OACP_AGENT", agent)
        line = re.sub(r"(?<=conv-)[0-9]{8}", today, words)
        said = quick("oacp", *shlex.split(line))
        out = said.out + said.err
        assert unchanging(out, tmp_path) == unchanging(shown, Path("/home/ada")), line
        today = today or "".join(re.findall(r"msg-([0-9]{8})", out)[:1])
