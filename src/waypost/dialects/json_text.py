"""Strict JSON: parse at full speed, find what JSON readers usually let pass, and say where.

The standard library's scanner does the parsing. What it would accept silently (duplicate keys,
NaN, endless numbers, lone surrogates, bottomless nesting) is noticed on the way by hooks that cost
nothing on a good message; only then is the tree walked to learn the paths.
"""

import json
import re
from math import isinf
from typing import Any, NamedTuple

from waypost.dialects.text import MAX_DEPTH, Positions
from waypost.errors import At, Problem, quoted


class _Doubled(dict[str, Any]):
    """A mapping whose text named some keys more than once; the first value counts."""

    again: list[str]


class _Flawed(str):
    """Stands where the text holds a number that is none."""

    __slots__ = ()


class _SuspiciousError(ValueError):
    """The text holds something that the fast reader leaves to the careful one."""


def _different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise _SuspiciousError
    return mapping


def _first_values(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = _Doubled()
    mapping.again = []
    for key, value in pairs:
        if key in mapping:
            mapping.again.append(key)
        else:
            mapping[key] = value
    return mapping


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise _SuspiciousError
    return number


def _finite_or_flawed(text: str) -> float | _Flawed:
    number = float(text)
    return _Flawed(text) if isinf(number) else number


def _bounded(text: str) -> int | _Flawed:
    try:
        return int(text)
    except ValueError:
        return _Flawed(text)


def _no_constant(text: str) -> None:
    raise _SuspiciousError


_FAST = json.JSONDecoder(
    object_pairs_hook=_different_keys, parse_float=_finite, parse_constant=_no_constant
)
_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_first_values,
    parse_float=_finite_or_flawed,
    parse_constant=_Flawed,
    parse_int=_bounded,
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse(text: str) -> tuple[Any, list[Problem]]:
    """Parse one JSON text. With a syntax problem the tree is None."""
    try:
        return _parse(text)
    except json.JSONDecodeError as error:
        return None, [_syntax_problem(text, error)]
    except RecursionError:
        return None, [_too_deep(())]


def _parse(text: str) -> tuple[Any, list[Problem]]:
    try:
        tree = _FAST.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # ours, or an integer of more digits than Python converts
        return _examine(_CAREFUL.decode(text))
    if text.count("[") + text.count("{") <= MAX_DEPTH and "\\u" not in text:
        return tree, []
    return _examine(tree)


def _examine(tree: Any) -> tuple[Any, list[Problem]]:
    """Walk a tree that may hide flaws; gives a tree of plain values and the flaws' places."""
    problems: list[Problem] = []
    root: list[Any] = [None]
    work: list[tuple[Any, int, Any, At]] = [(root, 0, tree, ())]
    while work:
        holder, key, value, at = work.pop()
        if isinstance(value, (dict, list)):
            if len(at) >= MAX_DEPTH:
                problems.append(_too_deep(at))
                continue
            if type(value) is _Doubled:
                problems += [_duplicate((*at, again)) for again in value.again]
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            holder[key] = copy = {} if isinstance(value, dict) else [None] * len(value)
            for name, item in entries:
                if isinstance(name, str) and _SURROGATE.search(name):
                    problems.append(_surrogate(at))
                    continue
                if isinstance(copy, dict):
                    copy[name] = None
                work.append((copy, name, item, (*at, name)))
        else:
            holder[key] = value
            problems += _flaw(value, at)
    return root[0], problems


def _flaw(value: Any, at: At) -> list[Problem]:
    if type(value) is _Flawed:
        if value.lstrip("-").isdigit():
            return [
                Problem(
                    at,
                    "number_too_long",
                    f"is a number of {len(value):,} digits",
                    "send it as text",
                )
            ]
        return [
            Problem(
                at,
                "not_finite",
                f"is {quoted(value)}, which is no number in JSON",
                "send a finite number, or null",
            )
        ]
    if isinstance(value, str) and _SURROGATE.search(value):
        return [_surrogate(at)]
    return []


def _surrogate(at: At) -> Problem:
    return Problem(
        at,
        "lone_surrogate",
        "holds half of a surrogate pair, which is no character",
        "write the whole character",
    )


def _duplicate(at: At) -> Problem:
    return Problem(at, "duplicate_key", "is given more than once", "keep one of them")


def _too_deep(at: At) -> Problem:
    return Problem(
        at,
        "too_deep",
        f"is nested more than {MAX_DEPTH} levels deep",
        "flatten it, or send it as text",
    )


def _syntax_problem(text: str, error: json.JSONDecodeError) -> Problem:
    cut_off = not text[error.pos :].strip() or error.msg.startswith("Unterminated")
    what = "the text ends too early" if cut_off else _plain_words(error.msg)
    hint = "the end of the message is missing" if cut_off else None
    if error.msg == "Extra data":
        hint = "send one message at a time"
    return Problem(
        (), "json_syntax", f"is not JSON: {what}", hint, line=error.lineno, column=error.colno
    )


def _plain_words(message: str) -> str:
    return {
        "Extra data": "something follows the end of the message",
        "Expecting value": "a value should stand here",
        "Expecting property name enclosed in double quotes": "a key in quotes should stand here",
        "Expecting ':' delimiter": "a colon should stand here",
        "Expecting ',' delimiter": "a comma or a closing bracket should stand here",
        "Illegal trailing comma before end of object": "a comma stands before the closing brace",
        "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
        "Invalid control character at": "a raw control character stands in a text",
        "Invalid \\escape": "an unknown escape stands in a text",
    }.get(message.removesuffix(": "), message)


class _Member(NamedTuple):
    """Where a member of a container stands: its first value, and its last key."""

    value: int
    last_key: int


class JsonPositions(Positions):
    """Finds places by scanning again, and only the containers that a path goes through."""

    _SPACE = re.compile(r"[ \t\n\r]*")

    def __init__(self, text: str) -> None:
        self._text = text
        self._containers: dict[int, dict[str | int, _Member]] = {}

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        shown = start = self._skip(0)
        for depth, step in enumerate(at):
            member = self._members(start).get(step)
            if member is None:
                break
            start = member.value
            shown = member.last_key if key and depth == len(at) - 1 else start
        return self._line_and_column(shown)

    def _skip(self, offset: int) -> int:
        match = self._SPACE.match(self._text, offset)
        return match.end() if match else offset

    def _members(self, start: int) -> dict[str | int, "_Member"]:
        if start not in self._containers:
            self._containers[start] = self._scan(start)
        return self._containers[start]

    def _scan(self, start: int) -> dict[str | int, "_Member"]:
        text = self._text
        members: dict[str | int, _Member] = {}
        opening = text[start : start + 1]
        if opening not in ("{", "["):
            return members
        offset, count = self._skip(start + 1), 0
        while offset < len(text) and text[offset] not in "]}":
            key_start, key = offset, count
            if opening == "{":
                key, offset = _CAREFUL.raw_decode(text, offset)
                offset = self._skip(self._skip(offset) + 1)  # over the colon
            first = members.get(key)
            members[key] = _Member(first.value if first else offset, key_start)
            count += 1
            _, offset = _CAREFUL.raw_decode(text, offset)
            offset = self._skip(offset)
            if text[offset : offset + 1] == ",":
                offset = self._skip(offset + 1)
        return members

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        return self._text.count("\n", 0, offset) + 1, offset - self._text.rfind("\n", 0, offset)


def write(tree: object) -> str:
    """Write a tree as one line of JSON; refuses what JSON has no word for."""
    return json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
