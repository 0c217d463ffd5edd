"""An author and a reviewer over a project in a folder, with short ways to take their steps."""

from pathlib import Path
from typing import Any

import pytest

from waypost.carriers.folders.home import Home, Project
from waypost.errors import WaypostError
from waypost.mailbox import reviewing
from waypost.mailbox.review import Review
from waypost.mailbox.reviewing import Addressed, Caller, Feedback, Step, Verdict
from waypost.mailbox.reviews import find_reviews

CHANGE = {"pr": "42", "branch": "feat/limit", "diff_summary": "Adds a rate limit"}


class Pair:
    """claude, who writes, and codex, who reviews; gemini stands by."""

    def __init__(self, home: Path) -> None:
        self.project: Project = Home(str(home)).create_project("my-app")
        for agent in ("claude", "codex", "gemini"):
            self.project.add_agent(agent)
        self.folder = home / "projects" / "my-app"

    def ask(self, *to: str, **more: Any) -> Step:
        """claude asks for a review."""
        return reviewing.request(self.as_agent("claude"), to or ("codex",), CHANGE | more)

    def find(self, *findings: dict[str, Any], agent: str = "codex", **more: Any) -> Step:
        """The reviewer gives findings."""
        return reviewing.feedback(self.as_agent(agent), Feedback(findings, **more))

    def settle(self, **more: Any) -> Step:
        """claude tells what was settled."""
        return reviewing.address(self.as_agent("claude"), Addressed("a1b2c3d", "A lock", **more))

    def approve(self, agent: str = "codex", **more: Any) -> Step:
        """The reviewer approves."""
        return reviewing.approve(self.as_agent(agent), Verdict(**more))

    def as_agent(self, agent: str) -> Caller:
        return Caller(self.project, agent)

    def review(self, wanted: str | None = None) -> Review:
        """The latest review."""
        return find_reviews(self.project, wanted)[-1]

    def open_ids(self) -> list[str]:
        return self.review().ledger.open_ids

    def drop(self, name: str, text: str) -> None:
        """Put a message into an inbox, as any tool may: claude's, but for those from claude."""
        agent = "codex" if "_claude_" in name else "claude"
        (self.folder / "agents" / agent / "inbox" / name).write_text(text)


def finding(summary: str = "raised without a lock", *, blocks: bool = True, **more: Any) -> Any:
    """What a reviewer writes down."""
    return {"severity": "P1", "blocking": blocks, "summary": summary, **more}


def body(step: Step) -> dict[str, Any]:
    """The body of the message that a step sent."""
    fields: dict[str, Any] = (step.receipt.message.fields or {})["body"]
    return fields


def refusal(call: Any, *arguments: Any, **more: Any) -> WaypostError:
    """The error that a step must end in."""
    with pytest.raises(WaypostError) as refused:
        call(*arguments, **more)
    return refused.value


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """A new home with one project."""
    return Pair(tmp_path)
