"""Offices for stories: a project with a few agents, and a clock that the story moves."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import WaypostError
from waypost.office.callers import Caller
from waypost.office.office import Office, open_office
from waypost.office.world import World

PROJECT = "my-app"
NOON = 1_795_089_600_000  # 2026-11-19T12:00:00Z
MINUTE = 60_000


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now

    def move(self, minutes: float) -> None:
        self.now += int(minutes * MINUTE)


def caller(name: str, project: str = PROJECT, door: str = "library") -> Caller:
    return Caller(name, project, door)


class Scene:
    """An office with claude, codex and gemini in it, and their ways to say things briefly."""

    def __init__(self, home: Path, journal: str | None = None) -> None:
        self.home = home
        self.journal = journal
        self.clock = Clock()
        self.office = self.open()
        for name in ("claude", "codex", "gemini"):
            self.office.register(caller(name))
        self.office.register(caller("dana"), kind="person")

    def open(self, home: Path | None = None) -> Office:
        """The same office once more, as another process would have it, or a node elsewhere."""
        return open_office(home or self.home, journal=self.journal, world=World(now=self.clock))

    def send(self, sender: str = "claude", to: Any = "codex", **given: Any) -> Any:
        if "content" not in given:
            given.setdefault("text", "Which port?")
        return self.office.send(caller(sender), to, **given)

    def inbox(self, name: str = "codex", **given: Any) -> list[str]:
        """The subjects in an inbox, in order."""
        return [one.subject for one in self.office.inbox(caller(name), **given).letters]

    def states(self, letter: str, sender: str = "claude") -> dict[str, str]:
        """How far a letter got, by recipient."""
        return dict(self.office.read(caller(sender), letter, peek=True).header.states)


@contextmanager
def scene_in(home: Path, journal: str | None = None) -> Iterator[Scene]:
    scene = Scene(home, journal)
    try:
        yield scene
    finally:
        scene.office.close()


def refusal(act: Callable[[], object]) -> dict[str, Any]:
    """The error form of what an act is refused with."""
    with pytest.raises(WaypostError) as caught:
        act()
    return caught.value.to_json()


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What several threads give that begin at one moment; an error is given, not raised."""
    results: list[object] = [None] * len(acts)
    begin = threading.Barrier(len(acts))

    def run(number: int) -> None:
        begin.wait()
        try:
            results[number] = acts[number]()
        except Exception as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


TASK = {
    "task_id": "bd-42",
    "description": "Implement the login form",
    "specification": {"acceptance_criteria": ["it shows"]},
    "file_patterns": ["src/frontend/**/*.ts"],
}
