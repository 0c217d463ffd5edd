"""Which dialect a message is in, and the door that reads a message of any."""

import re
from collections.abc import Mapping
from typing import Any

from waypost.dialects import DIALECTS, dialect, json_text
from waypost.dialects.message import JsonDialect, Message
from waypost.dialects.text import MAX_PROBLEMS, decode, finish
from waypost.errors import WARNING, Problem

_MARKS = {"acp": ("v", "payload", "ts"), "agentmail": ("sender_id", "message_id", "version")}
_GUESSED_FROM = 4096  # so much of a text is looked at
_WORDS = {
    "acp": re.compile(r'"(?:kind|payload|ts|ref)"\s*:'),
    "agentmail": re.compile(r'"(?:sender_id|message_id|task_id|timestamp)"\s*:'),
    "oacp": re.compile(
        r"^[ \t]*(?:created_at_utc|subject|priority|from|to|body|id)\s*:", re.MULTILINE
    ),
}


def detect(fields: Mapping[str, Any]) -> str:
    """Tell the dialect of a message: by the value of `kind` or `type`, else by its other fields."""
    for field, names in (("kind", ("acp",)), ("type", ("oacp", "agentmail"))):
        value = fields.get(field)
        for name in names:
            if isinstance(value, str) and value in dialect(name).types:
                return name
    counts = {name: sum(mark in fields for mark in marks) for name, marks in _MARKS.items()}
    likeliest = max(counts, key=lambda name: counts[name])
    return likeliest if counts[likeliest] else "oacp"


def guess(text: str) -> str:
    """Name the likeliest dialect of a text that can't be parsed."""
    counts = {name: len(words.findall(text[:_GUESSED_FROM])) for name, words in _WORDS.items()}
    likeliest = max(counts, key=lambda name: counts[name])
    if counts[likeliest]:
        return likeliest
    return "acp" if text.lstrip()[:1] in ("{", "[") else "oacp"


def read(data: bytes, name: str | None = None, *, file_name: str | None = None) -> Message:
    """Read a message of any dialect, or of the one named. Never raises for what the bytes hold."""
    if name is not None:
        return dialect(name).read(data, file_name)
    text = decode(data)
    if isinstance(text, Problem):
        as_text = data[:_GUESSED_FROM].decode(errors="replace")
        return _guessed(data, as_text, dialect("oacp").read(data))
    tree = None
    if text.lstrip()[:1] in ("{", "["):
        tree, found = json_text.parse(text)
        if isinstance(tree, dict):
            told = dialect(detect(tree))
            if isinstance(told, JsonDialect):
                return told.judge(data, text, tree, found)
    message = dialect("oacp").read(data, file_name)
    if message.fields is None:  # the text is broken, or JSON that YAML readers refuse
        return message if isinstance(tree, dict) else _guessed(data, text, message)
    told_name = detect(message.fields)
    return message if told_name == "oacp" else dialect(told_name).read(data, file_name)


def _guessed(data: bytes, text: str, as_oacp: Message) -> Message:
    """Report a text that is too broken to tell its dialect against the likeliest, and say so."""
    likeliest = guess(text)
    message = as_oacp if likeliest == "oacp" else dialect(likeliest).read(data)
    doubt = Problem(
        (),
        "dialect_guessed",
        f"is too broken to tell its dialect; taken for {likeliest}",
        "name the dialect to be sure: " + ", ".join(DIALECTS),
        WARNING,
    )
    doubts = finish([doubt], None)
    told = message.problems
    if len(told) > MAX_PROBLEMS:  # the last of these says that there are more
        told = told[: MAX_PROBLEMS - 1] + told[-1:]
    return message._replace(problems=doubts + told)
