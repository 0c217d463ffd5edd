"""What a message says, bit by bit, so that two messages can be compared."""

from collections.abc import Iterator
from typing import Any

from waypost.dialects.yaml_events import read_exact
from waypost.errors import At, dotted

_WORDS = {True: "true", False: "false", None: "null"}


def leaves(value: Any, above: At = ()) -> Iterator[tuple[At, Any]]:
    """Every value that holds no others, with its place."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from leaves(item, (*above, key))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, (*above, index))
    else:
        yield above, value


def text_of(leaf: Any) -> str:
    """A leaf as text, the same in every dialect."""
    if leaf is None or isinstance(leaf, bool):
        return _WORDS[leaf]
    return leaf if isinstance(leaf, str) else str(leaf)


def words(value: Any) -> set[str]:
    """Every text in a value: its leaves, and the keys on the way to them."""
    found = set()
    for at, leaf in leaves(value):
        found |= {text_of(leaf), *(step for step in at if isinstance(step, str))}
    return found


def paths(value: Any) -> set[str]:
    """The dotted path of everything in a value."""
    return {dotted(at[:length]) for at, _ in leaves(value) for length in range(len(at) + 1)}


def fields_below(text: str) -> Iterator[tuple[str, Any]]:
    """Every way to see a text as words, and fields in lines below them."""
    cuts = [(0, 0)] + [(n, n + 2) for n in range(len(text)) if text.startswith("\n\n", n)]
    for end, begin in cuts:
        reading = read_exact(text[begin:])
        if isinstance(reading.tree, dict) and not reading.problems:
            yield text[:end], reading.tree


def all_words(value: Any) -> set[str]:
    """Every text in a value, also those of the fields that stand in lines below a text."""
    found = words(value)
    for text in list(found):
        for above, below in fields_below(text):
            found |= {above} | words(below)
    return found


def is_known(text: str, known: set[str], openings: set[str]) -> bool:
    """Whether a text is made of known ones only: whole, in part, opened by a word, or joined."""
    if any(text in one for one in known):
        return True
    if text.endswith("…") and is_known(text[:-1], known, openings):
        return True
    opened = [text[len(word) + 2 :] for word in openings if text.startswith(word + ": ")]
    if any(is_known(rest, known, openings) for rest in opened):
        return True
    cuts = [n for n in range(len(text)) if text.startswith("\n\n", n)]
    for n in cuts:
        below = text[n + 2 :]
        if any(below in one for one in known) and is_known(text[:n], known, openings):
            return True
    return any(
        words(below) <= known and is_known(above, known, openings)
        for above, below in fields_below(text)
    )
