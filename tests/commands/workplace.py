"""A repository in which agents work, with waypost on a lasting path, and nobody's settings yet."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commands.desk import leave_home
from commands.terminal import SCRIPTS, Said, quick
from waypost.office import open_office
from waypost.office.callers import Caller

PROJECT = "my-app"


class Workplace:
    """A repository, a person's home beside it, and the commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        self.user = folder / "user"
        self.office = folder / "office"

    def say(self, *words: str, given: bytes = b"") -> Said:
        """Run `waypost` with these words."""
        return quick("waypost", *words, given=given)

    def tell(self, *words: str) -> Any:
        """What a command that must work prints under --json."""
        said = self.say(*words, "--json")
        assert (said.code, said.err) == (0, ""), said
        return said.objects[0]

    def fail(self, *words: str) -> tuple[int, dict[str, Any]]:
        """The exit code and the JSON error of a command that must not work, nor change a file."""
        before = self.files()
        said = self.say(*words, "--json")
        assert (said.code != 0, said.err) == (True, ""), said
        assert self.files() == before
        return said.code, said.objects[0]

    def files(self) -> dict[str, bytes]:
        """Every file but Git's own, of the repository and of the person."""
        found = [*self.folder.rglob("*"), *self.user.rglob("*")]
        own = [path for path in found if path.is_file() and ".git" not in path.parts]
        return {str(path): path.read_bytes() for path in own}

    def write(self, name: str, text: str) -> Path:
        """Put a file into the repository."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def git(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run Git in the repository."""
        return subprocess.run(
            ["git", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, **more},
            check=False,
        )

    def hold(self, agent: str, *patterns: str, mode: str = "exclusive") -> None:
        """Let an agent reserve files."""
        with open_office(self.office) as office:
            office.register(Caller(agent, PROJECT))
            office.reserve(Caller(agent, PROJECT), list(patterns), mode=mode, reason="the login")

    def send(self, sender: str, recipient: str) -> None:
        """Let one agent write to another."""
        with open_office(self.office) as office:
            for agent in (sender, recipient):
                office.register(Caller(agent, PROJECT))
            office.send(Caller(sender, PROJECT), recipient, text="Look.")


def commit(place: Workplace, agent: str | None = "claude", *words: str) -> tuple[bool, str]:
    """Try to commit what there is; tells whether it went, and what was said."""
    place.git("add", "-A")
    more = {} if agent is None else {"WAYPOST_AGENT": agent}
    done = place.git("commit", "-q", "-m", "x", *words, **more)
    return done.returncode == 0, done.stderr


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """A new repository, and the person in it."""
    made = Workplace(tmp_path)
    for folder in (made.folder, made.user, tmp_path / "bin"):
        folder.mkdir()
    (tmp_path / "bin" / "waypost").symlink_to(SCRIPTS / "waypost")
    leave_home(monkeypatch, made.user)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "ada@example.org")
    for name in [
        name for name in os.environ if name.startswith(("GIT_DIR", "GIT_INDEX", "CURSOR"))
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("WAYPOST_HOME", str(made.office))
    monkeypatch.chdir(made.folder)
    assert made.git("init", "-q", "-b", "main").returncode == 0
    made.write(".waypost.toml", f'project = "{PROJECT}"\n')
    return made
