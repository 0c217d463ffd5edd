"""A project with three agents, and short ways to work in it through the `oacp` command."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from commands.terminal import Said, quick

PROJECT = "my-app"
AGENTS = ("claude", "codex", "gemini")
_OF_THE_TESTER = ("OACP", "AGENT_NAME", "CLAUDE", "CODEX", "GEMINI", "WAYPOST")
ALIEN = {
    "id": "msg-20260313T1430Z-alien-a1b2",
    "from": "alien",
    "to": "codex",
    "type": "notification",
    "priority": "P2",
    "created_at_utc": "2026-03-13T14:30:00Z",
    "subject": "Hello",
    "body": "Look.",
}


class Desk:
    """What stands in a home, and the command to change it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = home / "projects" / PROJECT

    def say(self, *words: str, given: bytes = b"") -> Said:
        """Run `oacp` with these words."""
        return quick("oacp", *words, given=given)

    def tell(self, *words: str, given: bytes = b"") -> Any:
        """What a command that must work prints under --json."""
        said = self.say(*words, "--json", given=given)
        assert (said.code, said.err) == (0, ""), said
        return said.objects[0]

    def fail(self, *words: str, given: bytes = b"") -> tuple[int, dict[str, Any]]:
        """The exit code and the JSON error of a command that must not work, nor change a file."""
        before = self.files()
        said = self.say(*words, "--json", given=given)
        assert (said.code != 0, said.err) == (True, ""), said
        assert self.files() == before
        return said.code, said.objects[0]

    def send(self, *options: str, body: str = "Look.") -> dict[str, Any]:
        """Send from claude to codex, but for what the options say; gives the receipt."""
        usual = {"--from": "claude", "--to": "codex", "--type": "notification", "-s": "Hello"}
        words = [word for pair in usual.items() if pair[0] not in options for word in pair]
        receipt: dict[str, Any] = self.tell("send", *words, *options, given=body.encode())
        return receipt

    def fields(self, *options: str, body: str = "Look.") -> dict[str, Any]:
        """The fields of a message that was just sent, as `show` gives them to its sender."""
        sent = self.send(*options, body=body)
        shown: dict[str, Any] = self.tell("show", sent["outbox_path"], "--agent", "claude")
        return shown

    def rows(self, *options: str, agent: str = "codex") -> list[dict[str, Any]]:
        """The messages of an inbox, as listed."""
        rows: list[dict[str, Any]] = self.tell("inbox", "--agent", agent, *options)["agents"][0][
            "messages"
        ]
        return rows

    def drop(self, name: str, text: str | None = None, **fields: Any) -> Path:
        """Put a file into codex's inbox, as any tool may."""
        path = self.project / "agents" / "codex" / "inbox" / name
        path.write_text(json.dumps(ALIEN | fields) if text is None else text)
        return path

    def files(self) -> dict[str, bytes]:
        """Every file of the home with its content, but numbers in use and copies for speed."""
        found = [path for path in self.home.rglob("*") if path.is_file()]
        private = {".cache", "counters"}
        return {str(path): path.read_bytes() for path in found if not private & set(path.parts)}


def leave_home(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Forget who the tester is and where; stand in an empty folder."""
    for key in [key for key in os.environ if key.startswith(_OF_THE_TESTER)]:
        patch.delenv(key)
    patch.setenv("HOME", str(folder))
    patch.chdir(folder)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A new home with one project."""
    leave_home(monkeypatch, tmp_path)
    monkeypatch.setenv("OACP_HOME", str(tmp_path / "home"))
    made = Desk(tmp_path / "home")
    assert made.say("init", PROJECT, "--agents", ",".join(AGENTS)).code == 0
    return made
