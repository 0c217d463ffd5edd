"""What the tests of the bridge share: every pair of a type and a dialect, and contexts for them."""

from itertools import product
from typing import Any, NamedTuple

from hypothesis import strategies as st

import waypost
from schema_files import TYPES, example
from strategies import messages, uuids
from waypost.bridge.context import Answered, Context
from waypost.bridge.table import row
from waypost.bridge.translate import Translation, translate
from waypost.dialects import DIALECTS, dialect
from waypost.dialects.message import Blanks, Message

LETTERS = tuple(pair for pair in TYPES if not row(*pair).runtime)
PAIRS = tuple(
    (name, kind, target) for (name, kind), target in product(LETTERS, DIALECTS) if target != name
)
KEYS = ("ed25519.5f0c9a7e41d2b8836ac4f19e07d35b62", "ed25519.b81d47f3c05e96a2387f6d10e9c4ab57")
NOW = 1_773_412_200_000  # 2026-03-13T14:30:00Z
AN_ID = "8e4a0b52-6f0d-4c39-9d1e-2b7c85a3f614"
BLANKS = Blanks("2026-03-13T14:30:00Z", NOW, "0d70ae4a-00a2-41a7-812a-5ba436debea4", "a8f3")
DEFAULTS = {("payload", "deadline_ms"), ("payload", "priority"), ("payload", "importance")}


class Case(NamedTuple):
    """A message, what its translator is told, and its translation."""

    source: Message
    around: Context
    done: Translation


def context(target: str, answers: str | None = None, **more: Any) -> Context:
    """A context with claude and codex, or their keys, at the ends."""
    answered = Answered(answers, AN_ID, bool(more.pop("own", False))) if answers else None
    sender, recipient = KEYS if target == "acp" else ("claude", "codex")
    return Context(BLANKS, sender, (recipient,), answered, **more)


def sealed(name: str, fields: dict[str, Any]) -> Message:
    """A message as it came, from fields that are valid."""
    speaker = dialect(name)
    return speaker.read(speaker.write(speaker.prepare(fields)[0]))


def of(name: str, kind: str, **changed: Any) -> Message:
    """The worked example of a type, with some fields changed."""
    source = waypost.parse(example(name, kind), name)
    return sealed(name, {**(source.fields or {}), **changed}) if changed else source


def said(source: Message, target: str, answers: str | None = None, **more: Any) -> dict[str, Any]:
    """The fields of a translation."""
    return translate(source, target, context(target, answers, **more)).message.fields or {}


def sources(name: str, kind: str) -> st.SearchStrategy[Message]:
    """Valid messages of a type, as they came."""
    return messages(name, kind).map(lambda fields: sealed(name, fields))


def contexts(target: str) -> st.SearchStrategy[Context]:
    """Contexts that answer nothing, or any type, and know a thread or none."""
    kinds = sorted(dialect(target).types)
    answered = st.builds(Answered, st.sampled_from(kinds), uuids, st.booleans())
    return st.builds(
        lambda answered, thread: context(target, thread=thread)._replace(answered=answered),
        st.none() | answered,
        st.none() | st.just("conv-20260313-claude-001"),
    )


def cases(name: str, kind: str, target: str) -> st.SearchStrategy[Case]:
    """A message, a context, and the translation that they make."""
    return st.builds(
        lambda source, around: Case(source, around, translate(source, target, around)),
        sources(name, kind),
        contexts(target),
    )
