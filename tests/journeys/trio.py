"""One running office, and three agents of three dialects in it, for the journeys of letters.

A journey is told for every pair of them in both directions. Letters are told apart by the words in
them, so all journeys of a file share one office.
"""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path
from typing import Any

import pytest

from faces.clients import over_http
from journeys.speakers import PATIENCE, Files, Live, Run, Tools
from office_town import PROJECT, Town, caller, town_in
from waypost.carriers.keyring import identity

NAMES = ("codex", "claude", "ada")  # files, tools, live
PAIRS = [(one, other) for one in NAMES for other in NAMES if one != other]
both_ways = pytest.mark.parametrize(
    ("sender", "recipient"), PAIRS, ids=[f"{one}-to-{other}" for one, other in PAIRS]
)


class Trio:
    """The three, by name."""

    def __init__(self, town: Town, run: Run) -> None:
        self.town, self.run = town, run
        self.codex = Files(town, "codex")
        self.ada = Live(run, "ada")
        self.claude: Tools

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def give(self, sender: str, recipient: str, text: str) -> Any:
        """Let one give another a task, in its own words; gives what `hears` takes."""
        if sender == "codex":
            return self.codex.tell(recipient, "task_request", text, subject="A task")
        if sender == "claude":
            content = {
                "task_id": f"task-{text}", "description": text,
                "specification": {"acceptance_criteria": []}, "file_patterns": [],
                "priority": "high", "priority_value": 1,
            }  # fmt: skip
            return self.claude.tell(recipient, "task_assignment", content)
        return self.ada.tell(recipient, "delegate", text)

    def ask(self, sender: str, recipient: str, text: str) -> Any:
        """Let one ask another a question."""
        if sender == "codex":
            return self.codex.tell(recipient, "question", text, subject="A question")
        if sender == "claude":
            content = {
                "request_type": "sync", "participants": [recipient], "coordination_topic": text,
            }  # fmt: skip
            return self.claude.tell(recipient, "coordination_request", content)
        return self.ada.tell(recipient, "query", text)

    async def live(self, ready: "Future[None]", over: asyncio.Event) -> None:
        """Have those online who talk over lines, until it is over."""
        token = self.town.office.rotate_token(caller("claude")).token
        async with (
            over_http(self.town.where["url"], str(token)) as mail,
            self.town.peer(self.ada.agent) as me,
        ):
            self.town.befriend(me, "codex", "claude")
            self.claude, self.ada.me = Tools(self.run, mail, "claude"), me
            ready.set_result(None)
            await over.wait()


@pytest.fixture(scope="module")
def trio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trio]:
    """The office and its three agents, for all journeys of a file."""
    with town_in(tmp_path_factory.mktemp("trio")) as town:
        _found(town, town.root)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        made = Trio(town, lambda work: asyncio.run_coroutine_threadsafe(work, loop))
        ready: Future[None] = Future()
        over = asyncio.Event()
        living = made.run(made.live(ready, over))
        try:
            wait([ready, living], PATIENCE, FIRST_COMPLETED)
            assert ready.done(), living.exception(0)
            yield made
        finally:
            loop.call_soon_threadsafe(over.set)
            living.result(PATIENCE)
            loop.call_soon_threadsafe(loop.stop)
            thread.join()


def _found(town: Town, root: Path) -> None:
    """Register the three, and let the server begin."""
    town.add("codex", "folder", live=True)
    town.add("claude", live=True)
    town.office.register(caller("claude"), dialect="agentmail", with_token=False)
    key = identity(root / "peer", "ada").id
    town.office.register(caller("ada"), carrier="key", key_id=key, with_token=False)
    town.start()
    assert PROJECT in str(town.inbox("codex"))
