"""A project with two agents and a person at an office, and short ways to work in it."""

from pathlib import Path
from typing import Any

import pytest

from commands.desk import leave_home
from commands.terminal import Said, quick

PROJECT = "my-app"


class OfficeDesk:
    """What the `waypost` commands do in one home, each said by somebody."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder

    def say(self, who: str, *words: str, given: bytes = b"") -> Said:
        """Run `waypost` as somebody."""
        if who:
            words = (words[0], "--agent", who, *words[1:])
        return quick("waypost", *words, given=given)

    def tell(self, who: str, *words: str, given: bytes = b"") -> Any:
        """What a command that must work prints under --json."""
        said = self.say(who, *words, "--json", given=given)
        assert (said.code, said.err) == (0, ""), said
        return said.objects[0]

    def fail(self, who: str, *words: str, given: bytes = b"") -> tuple[int, dict[str, Any]]:
        """The exit code and the JSON error of a command that must not work."""
        said = self.say(who, *words, "--json", given=given)
        assert (said.code != 0, said.err, len(said.objects)) == (True, "", 1), said
        return said.code, said.objects[0]

    def send(self, *options: str, to: str = "codex", body: str = "Look.") -> dict[str, Any]:
        """Send from claude; gives the receipt."""
        words = ("-s", "Hello") if "-s" not in options else ()
        receipt: dict[str, Any] = self.tell("claude", "send", to, *words, "-b", body, *options)
        return receipt

    def letters(self, who: str = "codex", *options: str) -> list[dict[str, Any]]:
        """The letters of an inbox, as listed."""
        found: list[dict[str, Any]] = self.tell(who, "inbox", *options)["letters"]
        return found


@pytest.fixture
def office_desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OfficeDesk:
    """An office with one project, and a folder that belongs to it."""
    leave_home(monkeypatch, tmp_path)
    folder = tmp_path / PROJECT
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "office"))
    made = OfficeDesk(tmp_path / "office", folder)
    words = ("init", "--agents", "claude,codex", "--person", "ada")
    assert quick("waypost", *words).code == 0
    return made
