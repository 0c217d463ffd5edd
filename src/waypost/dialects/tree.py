"""Values that came from outside, as trees of plain Python: bounded, and free of what can't travel.

Texts become trees in `json_text` and the `yaml_…` modules; this is the one walk that looks at a
tree which may hold flaws, be it from careless JSON or from a caller's own Python values.
"""

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from waypost.dialects.text import MAX_BYTES, MAX_DEPTH, MAX_PROBLEMS
from waypost.errors import At, Problem, quoted

MAX_DIGITS = 4300  # Python converts no longer ones
_ENDLESS = 10**MAX_DIGITS
_MOST_VALUES = MAX_BYTES // 2  # a message of the largest size can't hold more
_FEW = 100
_SURROGATE = re.compile("[\ud800-\udfff]")


class Doubled(dict[str, Any]):
    """A mapping whose text named some keys more than once; the first value counts."""

    again: list[str]


class NotANumber(str):
    """Stands where a text holds a number that is none, as it was written."""

    __slots__ = ()


class _Work(NamedTuple):
    holder: Any
    key: str | int
    value: Any
    at: At


def plain(value: Any) -> tuple[Any, list[Problem]]:
    """Copy a value into plain dicts, lists and scalars; whatever can't travel is a problem."""
    if (copy := _flat(value)) is not None:
        return copy, []
    problems: list[Problem] = []
    root: list[Any] = [None]
    work = [_Work(root, 0, value, ())]
    seen = 0
    while work:
        step = work.pop()
        seen += 1
        if seen > _MOST_VALUES or len(problems) > MAX_PROBLEMS:
            problems.append(Problem((), "too_large", f"holds more than {_MOST_VALUES:,} values"))
            break
        entries = _entries(step.value)
        if entries is None:
            step.holder[step.key] = _scalar(step.value, step.at, problems)
        elif len(step.at) >= MAX_DEPTH:
            problems.append(too_deep(step.at))
        else:
            _copy_container(step, entries, work, problems)
    return root[0], problems


def _flat(value: Any) -> dict[str, str] | None:
    """A copy of a mapping of nothing but good texts, as most messages are; None for all others."""
    if type(value) is not dict or len(value) > _FEW:
        return None
    for key, item in value.items():
        if type(key) is not str or type(item) is not str:
            return None
        if not (key.isascii() and (item.isascii() or _SURROGATE.search(item) is None)):
            return None
    return value.copy()


def is_deep(tree: Any, most: int = MAX_DEPTH) -> bool:
    """Tell whether a tree of dicts and lists nests deeper than is read."""
    level = [tree]
    for _ in range(most):
        inner = [
            child
            for holder in level
            for child in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(child, (dict, list))
        ]
        if not inner:
            return False
        level = inner
    return True


def _entries(value: Any) -> Iterable[tuple[Any, Any]] | None:
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, (list, tuple)):
        return enumerate(value)
    return None


def _copy_container(
    step: _Work, entries: Iterable[tuple[Any, Any]], work: list[_Work], problems: list[Problem]
) -> None:
    copy: Any = {} if isinstance(step.value, Mapping) else [None] * len(step.value)
    step.holder[step.key] = copy
    if isinstance(step.value, Doubled):
        problems += [duplicate_key((*step.at, key)) for key in step.value.again]
    for key, item in entries:
        if isinstance(copy, dict):
            if not isinstance(key, str):
                problems.append(key_not_text(step.at))
                continue
            if _SURROGATE.search(key):
                problems.append(_lone_surrogate(step.at))
                continue
            copy[key] = None
        work.append(_Work(copy, key, item, (*step.at, key)))


def _scalar(value: Any, at: At, problems: list[Problem]) -> Any:
    if isinstance(value, NotANumber):
        problems.append(_not_a_number(value, at))
        return 0
    if isinstance(value, str):
        if _SURROGATE.search(value):
            problems.append(_lone_surrogate(at))
            return _SURROGATE.sub("\ufffd", value)
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if abs(value) >= _ENDLESS:
            problems.append(too_many_digits(at))
            return 0
        return int(value)
    if isinstance(value, float):
        if not isfinite(value):
            problems.append(_not_finite(str(value), at))
            return 0
        return float(value)
    if value is not None and not isinstance(value, bool):
        message = f"is a Python {type(value).__name__}, which no message can hold"
        problems.append(Problem(at, "wrong_type", message, "turn it into text"))
        return ""
    return value


def _not_a_number(text: str, at: At) -> Problem:
    return too_many_digits(at) if text.lstrip("-").isdigit() else _not_finite(text, at)


def too_many_digits(at: At) -> Problem:
    """A whole number that is longer than any real one."""
    return Problem(at, "number_too_long", "is a number of too many digits", "send it as text")


def _not_finite(text: str, at: At) -> Problem:
    hint = "send a finite number, or null"
    return Problem(at, "not_finite", f"is {quoted(text)}, which is no number in JSON", hint)


def _lone_surrogate(at: At) -> Problem:
    message = "holds half of a surrogate pair, which is no character"
    return Problem(at, "lone_surrogate", message, "write the whole character")


def duplicate_key(at: At) -> Problem:
    """A mapping names a key twice."""
    return Problem(at, "duplicate_key", "is given more than once", "keep one of them")


def key_not_text(at: At) -> Problem:
    """A mapping has a key that is a number, a list or the like."""
    return Problem(at, "key_not_text", "has a key that is not text", "use plain words as keys")


def too_deep(at: At) -> Problem:
    """Containers inside containers, beyond what is read."""
    message = f"is nested more than {MAX_DEPTH} levels deep"
    return Problem(at, "too_deep", message, "flatten it, or send it as text")


def not_a_mapping() -> Problem:
    """The root of a message is a list, a text or a number."""
    return Problem((), "not_a_mapping", "must be a mapping of fields")
