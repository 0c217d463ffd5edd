"""Which letters ask their recipient for something. Pure."""

from collections.abc import Mapping
from typing import Any

from waypost.letters.priority import Priority

# What somebody expects an answer to, in the words of every dialect.
ASKING = (
    *("task_request", "question", "handoff", "review_request", "review_feedback"),
    *("review_addressed", "brainstorm_request", "query", "delegate"),
    *("task_assignment", "coordination_request"),
)


def asks(letter: Mapping[str, Any]) -> bool:
    """Whether a letter asks for something, by the facts of the event that brought it."""
    is_urgent = letter["priority"] == Priority.URGENT
    return is_urgent or bool(letter.get("wants_ack")) or letter["type"] in ASKING
