"""What stands on a letter's envelope, taken from the message in it. Asks nothing of the world."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from waypost.letters.priority import Priority, priority_of
from waypost.office.world import milliseconds

LONGEST_SUBJECT = 200
_SHORT = 100
# Where a message of Agent Mail, which has no subject, says most about itself.
_TELLING = (
    "description", "completion_summary", "status_summary", "coordination_topic", "subject",
    "question", "summary", "task", "topic", "message", "outcome", "reason",
)  # fmt: skip


class Envelope(NamedTuple):
    """The part of a letter that every dialect has, each in its own words."""

    id: str
    type: str
    subject: str
    priority: Priority
    thread: str | None
    reply_to: str | None
    expires_at: int | None


def envelope_of(dialect: str, fields: Mapping[str, Any]) -> Envelope:
    """Read the envelope of a valid message."""
    kind = str(fields.get("kind" if dialect == "acp" else "type"))
    return Envelope(
        id=str(fields.get("message_id" if dialect == "agentmail" else "id")),
        type=kind,
        subject=_subject(dialect, fields),
        priority=priority_of(dialect, fields),
        thread=_text(fields.get(_THREADS[dialect])),
        reply_to=_text(fields.get(_PARENTS[dialect])),
        expires_at=milliseconds(fields.get("expires_at")),
    )


_THREADS = {"oacp": "conversation_id", "acp": "thread", "agentmail": "task_id"}
_PARENTS = {"oacp": "parent_message_id", "acp": "ref", "agentmail": "reply_to"}


def first_line(text: str, longest: int = _SHORT) -> str:
    """The first line of a text that says something, cut where it gets long."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not line.isprintable():
        line = "".join(char if char.isprintable() else " " for char in line)
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _subject(dialect: str, fields: Mapping[str, Any]) -> str:
    if dialect == "oacp":
        return first_line(str(fields.get("subject", "")), LONGEST_SUBJECT)
    inside = [fields, *(value for value in fields.values() if isinstance(value, Mapping))]
    for name in _TELLING:
        for part in inside:
            if isinstance(text := part.get(name), str) and (line := first_line(text)):
                return line
    return str(fields.get("type") or fields.get("kind")).replace("_", " ")


def _text(value: object) -> str | None:
    """A value that may name a thread or a message: one line, of bounded length."""
    if isinstance(value, str) and len(value.strip()) > 0 and len(value) <= LONGEST_SUBJECT:
        return value if value.isprintable() else None
    return None
