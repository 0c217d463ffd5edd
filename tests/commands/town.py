"""Agents of one home that listen as processes of their own, and commands that visit them."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pytest

from commands.desk import leave_home
from commands.terminal import PATIENCE, Said, command, environment, quick


class Listener:
    """A `waypost listen` that runs."""

    def __init__(self, home: Path, name: str, *options: str) -> None:
        words = command("waypost", "listen", "--as", name, "--on", "127.0.0.1:0", *options)
        self.process = subprocess.Popen(
            [*words, "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(WAYPOST_HOME=str(home)),
            text=True,
        )
        self.name = name
        self.card = self.next()
        self.token: str = self.card["token"]

    @property
    def _out(self) -> IO[str]:
        assert self.process.stdout is not None
        return self.process.stdout

    def next(self) -> dict[str, Any]:
        """The next thing that it prints."""
        line = self._out.readline()
        assert line, self.process.communicate(timeout=PATIENCE)
        told: dict[str, Any] = json.loads(line)
        return told

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Have it end; gives its exit code and all that it complained of."""
        self.process.send_signal(number)
        _, complaints = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, complaints

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE)


class Town:
    """A home of agents; kit speaks unless `--as` says another."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._listeners = ExitStack()

    def listen(self, name: str, *options: str) -> Listener:
        return self._listeners.enter_context(Listener(self.home, name, *options))

    def say(self, *words: str, given: bytes = b"") -> Said:
        return quick("waypost", *words, given=given)

    def tell(self, *words: str, given: bytes = b"") -> Any:
        """What a command that must work prints under --json."""
        said = self.say(*words, "--json", given=given)
        assert (said.code, said.err) == (0, ""), said
        return said.objects[0]

    def fail(self, *words: str) -> tuple[int, str]:
        """The exit code and the JSON error's code of a command that must not work."""
        said = self.say(*words, "--json")
        assert (said.code != 0, said.err) == (True, ""), said
        return said.code, said.objects[0]["error"]

    def family(self, *options: str) -> Listener:
        """Family listens, and trusts kit, who trusts it."""
        family = self.listen("family", *options)
        self.tell("peers", "add", family.token, "--name", "family")
        self.tell(
            "peers", "add", self.tell("peers", "token")["token"], "--name", "kit", "--as", "family"
        )
        return family

    def end(self) -> None:
        self._listeners.close()


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Town]:
    """An empty town."""
    leave_home(monkeypatch, tmp_path)
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "waypost"))
    monkeypatch.setenv("WAYPOST_AGENT", "kit")
    made = Town(Path(os.environ["WAYPOST_HOME"]))
    yield made
    made.end()
