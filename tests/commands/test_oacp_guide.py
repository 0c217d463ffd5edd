"""The two shells of the guides: every line of their transcripts is what the command prints."""

import re
import shlex
from pathlib import Path

import pytest

from commands.desk import leave_home
from commands.guides import DOCS, steps
from commands.terminal import transcript
from waypost.mailbox.packets import parse

AGENTS = ("oacp", "claude", "codex")
PAGES = ("oacp.md", "oacp-review.md")
_CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_ID = re.compile(r"msg-[0-9]{8}T[0-9]{4}Z-\w+-[a-z0-9]{4}")
_PACKET = re.compile(r"^```yaml\n(conversation_id:.*?)^```", re.MULTILINE | re.DOTALL)


def unchanging(text: str, home: Path) -> str:
    """A transcript without what differs from run to run."""
    text = text.replace(str(home), "/home/ada")
    text = re.sub(r"msg-[0-9]{8}T[0-9]{4}Z-(\w+)-[a-z0-9]{4}", r"msg-<\1>", text)
    text = re.sub(r"conv-[0-9]{8}-", "conv-<day>-", text)
    return _CLOCK.sub("<time>", re.sub(r"[0-9]{8}T[0-9]{4}Z_", "<minute>_", text))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_two_shells(page: str) -> None:
    assert {agent for agent, *_ in steps(page, *AGENTS)} == {"claude", "codex"}
    assert len(steps(page, *AGENTS)) >= 8


@pytest.mark.parametrize("page", PAGES)
def test_the_transcript_is_what_happens(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_home(monkeypatch, tmp_path)
    real: dict[str, str] = {}  # what is called so on the page is called so here
    for agent, words, shown in steps(page, *AGENTS):
        monkeypatch.setenv("OACP_AGENT", agent)
        for there, here in real.items():
            words = words.replace(there, here)
        out = transcript("oacp", *shlex.split(words))
        assert unchanging(out, tmp_path) == unchanging(shown, Path("/home/ada")), words
        for there, here in zip(_ID.findall(shown), _ID.findall(out), strict=True):
            real |= {there: here, f"conv-{there[4:12]}": f"conv-{here[4:12]}"}


def test_the_packet_on_the_page_is_one() -> None:
    (text,) = _PACKET.findall((DOCS / "oacp-review.md").read_text())
    reading = parse(text.encode())
    assert reading.problems == ()
    assert [finding.blocking for finding in reading.packet.findings] == [False, True]  # type: ignore[union-attr]
