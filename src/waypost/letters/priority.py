"""How urgent a letter is: one scale, and the words that each dialect has for it. Pure.

ACP has two short scales: a delegation is normal or urgent, a notification has an importance. A
letter that says neither is normal. What a short scale can't tell apart is rounded towards normal,
and `says` tells whether anything was lost.
"""

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any


class Priority(IntEnum):
    """The one scale; the lower, the sooner."""

    URGENT = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3

    @property
    def word(self) -> str:
        """The word that people, Agent Mail and our own tools use."""
        return self.name.lower()


_Words = Mapping[str, Priority]


def _scale(words: str, *steps: Priority) -> _Words:
    return MappingProxyType(dict(zip(words.split(), steps or tuple(Priority), strict=True)))


OACP = _scale("P0 P1 P2 P3")
AGENT_MAIL = _scale("urgent high normal low")
ACP_PRIORITY = _scale("urgent normal", Priority.URGENT, Priority.NORMAL)
ACP_IMPORTANCE = _scale("high medium low", Priority.HIGH, Priority.NORMAL, Priority.LOW)
SEVERITY = _scale("blocking high medium low", Priority.HIGH, *list(Priority)[1:])
SCALES: tuple[_Words, ...] = (OACP, AGENT_MAIL, ACP_PRIORITY, ACP_IMPORTANCE)


def from_word(word: object) -> Priority | None:
    """What a word of any dialect means, or a number of the scale; None for what is neither."""
    if isinstance(word, int) and not isinstance(word, bool):
        return Priority(word) if 0 <= word <= Priority.LOW else None
    for scale in SCALES:
        if isinstance(word, str) and word in scale:
            return scale[word]
    return None


def to_word(priority: Priority, scale: _Words) -> str:
    """The word of a scale that comes nearest; between two, the one nearer to normal."""

    def distance(word: str) -> tuple[int, int]:
        step = scale[word]
        return abs(step - priority), abs(step - Priority.NORMAL)

    return min(scale, key=distance)


def says(priority: Priority, scale: _Words) -> bool:
    """Whether a scale has a word that means just this."""
    return priority in scale.values()


def priority_of(dialect: str | None, fields: Mapping[str, Any]) -> Priority:
    """How urgent a message is by its own words; normal where it says nothing.

    An ACP delegation gives its priority, a notification its importance, and an Agent Mail error
    report its severity: one that is high or blocking stops its sender, which makes it high.
    """
    if dialect == "oacp":
        found = OACP.get(str(fields.get("priority")))
    elif dialect == "acp":
        found = _of_acp(fields)
    elif fields.get("type") == "error_report":
        found = SEVERITY.get(str(fields.get("severity")))
    else:
        found = AGENT_MAIL.get(str(fields.get("priority")))
    return Priority.NORMAL if found is None else found


def _of_acp(fields: Mapping[str, Any]) -> Priority | None:
    payload = fields.get("payload")
    if not isinstance(payload, Mapping):
        return None
    if fields.get("kind") == "notify":
        return ACP_IMPORTANCE.get(str(payload.get("importance", "low")))
    return ACP_PRIORITY.get(str(payload.get("priority")))
