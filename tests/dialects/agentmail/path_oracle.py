"""Patterns the patient way: all short paths of a small alphabet, each tried letter by letter."""

from functools import cache
from itertools import product

LETTERS = "ab."
_NAMES = [
    "".join(letters)
    for length in (1, 2, 3)
    for letters in product(LETTERS, repeat=length)
    if "".join(letters) not in (".", "..")
]
_SHORT = [name for name in _NAMES if len(name) <= 2]
_SHORTEST = [name for name in _NAMES if len(name) == 1]
PATHS = [
    *_NAMES,
    *("/".join(names) for names in product(_SHORT, repeat=2)),
    *("/".join(names) for names in product(_SHORTEST, repeat=3)),
]


def spell_out(pattern: str) -> list[str]:
    """The patterns without braces that a pattern of one level of braces stands for."""
    start = pattern.find("{")
    if start < 0:
        return [pattern]
    end = pattern.index("}", start)
    return [
        text
        for part in pattern[start + 1 : end].split(",")
        for text in spell_out(pattern[:start] + part + pattern[end + 1 :])
    ]


@cache
def matched(pattern: str) -> frozenset[str]:
    """All of the paths that a pattern matches."""
    return frozenset(
        path
        for path in PATHS
        for text in spell_out(pattern)
        if _folders_fit(text.split("/"), path.split("/"))
    )


def _folders_fit(pattern: list[str], names: list[str]) -> bool:
    if not pattern:
        return not names
    if pattern[0] == "**":
        return any(_folders_fit(pattern[1:], names[count:]) for count in range(len(names) + 1))
    return bool(names) and _fits(pattern[0], names[0]) and _folders_fit(pattern[1:], names[1:])


def _fits(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(_fits(pattern[1:], name[count:]) for count in range(len(name) + 1))
    if not name:
        return False
    if pattern[0] == "[":
        end = pattern.index("]", 2)
        return _in_set(pattern[1:end], name[0]) and _fits(pattern[end + 1 :], name[1:])
    return pattern[0] in ("?", name[0]) and _fits(pattern[1:], name[1:])


def _in_set(text: str, letter: str) -> bool:
    if text[0] in "!^":
        return not _in_set(text[1:], letter)
    if len(text) == 3 and text[1] == "-":
        return text[0] <= letter <= text[2]
    return letter in text
