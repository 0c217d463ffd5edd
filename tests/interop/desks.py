"""A project that both commands work in, and short ways to use ours."""

from pathlib import Path
from typing import Any

import pytest

from commands.terminal import Said, quick

PROJECT = "shared"
AGENTS = ("claude", "codex", "gemini")
ALL = ",".join(AGENTS)


class Desks:
    """One home, seen from our command."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = home / "projects" / PROJECT

    def say(self, *words: str, given: bytes = b"") -> Said:
        return quick("oacp", *words, "--oacp-dir", str(self.home), given=given)

    def done(self, *words: str, given: bytes = b"") -> Any:
        """What a command that must work prints under --json."""
        said = self.say(*words, "--json", given=given)
        assert said.code == 0, said.out
        return said.objects[0]

    def send(self, body: str, *words: str, sender: str = "claude", to: str = "codex") -> Any:
        """Send a body through a pipe; gives the receipt."""
        kind = () if "--type" in words else ("--type", "notification")
        head = ("--from", sender, "--to", to, "--subject", "Hello", *kind)
        return self.done("send", PROJECT, *head, *words, given=body.encode())

    def inbox(self, agent: str = "codex") -> list[dict[str, Any]]:
        listed = self.done("inbox", PROJECT, "--agent", agent)
        messages: list[dict[str, Any]] = listed["agents"][0]["messages"]
        return messages


@pytest.fixture
def desks(tmp_path: Path) -> Desks:
    made = Desks(tmp_path / "home")
    made.say("init", PROJECT, "--agents", ALL)
    return made
