"""The minute of the office's guide: every line of its transcript is what the command prints."""

import re
import shlex
from pathlib import Path

import pytest

from commands.desk import leave_home
from commands.guides import steps
from commands.terminal import transcript

WHO = ("waypost", "ada", "claude", "codex")
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CHANGING = {
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ": "<time>",
    r"conv-\d{8}-(\w+?)(?:-\d+)+": r"conv-<\1>",
    r"letter-[0-9a-f]{10}": "letter-<mark>",
    r"tip [0-9a-f]{16}": "tip <hash>",
}


def unchanging(text: str, home: Path) -> str:
    """A transcript without what differs from run to run."""
    text = text.replace(str(home), "/home/ada")
    for pattern, word in _CHANGING.items():
        text = re.sub(pattern, word, text)
    return text


def called_alike(text: str, names: dict[str, str]) -> str:
    """A text with the ids of this run in the place of the page's, whole or shortened."""
    for there, here in names.items():
        text = text.replace(there, here).replace(there[:8], here[:8])
    return text


def test_the_page_shows_three_shells() -> None:
    assert {who for who, *_ in steps("office.md", *WHO)} == {"ada", "claude", "codex"}
    assert len(steps("office.md", *WHO)) > 15


def test_the_transcript_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-app").mkdir()
    leave_home(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path / "my-app")
    monkeypatch.setenv("LOGNAME", "ada")
    names: dict[str, str] = {}  # what is called so on the page is called so here
    for who, words, shown in steps("office.md", *WHO):
        monkeypatch.setenv("WAYPOST_AGENT", who)
        out = transcript("waypost", *shlex.split(called_alike(words, names)))
        names |= dict(zip(_ID.findall(shown), _ID.findall(out), strict=False))
        shown = called_alike(shown, names)
        assert unchanging(out, tmp_path) == unchanging(shown, Path("/home/ada")), words
