"""Strict JSON: parse at full speed, find what JSON readers usually let pass, and say where.

The standard library's scanner does the parsing. What it would accept silently (duplicate keys,
NaN, endless numbers, lone surrogates, bottomless nesting) is noticed on the way by hooks that cost
nothing on a good message; only then is the tree walked to learn the paths.
"""

import json
import re
from math import isinf
from typing import Any, NamedTuple

from waypost.dialects.text import MAX_DEPTH, Lines, Positions
from waypost.dialects.tree import Doubled, NotANumber, plain, too_deep
from waypost.errors import At, Problem


class _SuspiciousError(ValueError):
    """The text holds something that the fast reader leaves to the careful one."""


def _different_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise _SuspiciousError
    return mapping


def _first_values(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = Doubled()
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


def _finite_or_flawed(text: str) -> float | NotANumber:
    number = float(text)
    return NotANumber(text) if isinf(number) else number


def _bounded(text: str) -> int | NotANumber:
    try:
        return int(text)
    except ValueError:
        return NotANumber(text)


def _no_constant(text: str) -> None:
    raise _SuspiciousError


_FAST = json.JSONDecoder(
    object_pairs_hook=_different_keys, parse_float=_finite, parse_constant=_no_constant
)
_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_first_values,
    parse_float=_finite_or_flawed,
    parse_constant=NotANumber,
    parse_int=_bounded,
)


def parse(text: str) -> tuple[Any, list[Problem]]:
    """Parse one JSON text. With a syntax problem the tree is None."""
    try:
        return _parse(text)
    except json.JSONDecodeError as error:
        return None, [_syntax_problem(text, error)]
    except RecursionError:
        return None, [too_deep(())]


def _parse(text: str) -> tuple[Any, list[Problem]]:
    try:
        tree = _FAST.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # ours, or an integer of more digits than Python converts
        return plain(_CAREFUL.decode(text))
    if text.count("[") + text.count("{") <= MAX_DEPTH and "\\u" not in text:
        return tree, []
    return plain(tree)


def _syntax_problem(text: str, error: json.JSONDecodeError) -> Problem:
    cut_off = not text[error.pos :].strip() or error.msg.startswith("Unterminated")
    what = "the text ends too early" if cut_off else _plain_words(error.msg)
    hint = "the end of the message is missing" if cut_off else None
    if error.msg == "Extra data":
        hint = "send one message at a time"
    line, column = Lines(text).place(error.pos)
    return Problem((), "json_syntax", f"is not JSON: {what}", hint, line=line, column=column)


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
        self._lines = Lines(text)
        self._containers: dict[int, dict[str | int, _Member]] = {}

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        shown = start = self._skip(0)
        for depth, step in enumerate(at):
            member = self._members(start).get(step)
            if member is None:
                break
            start = member.value
            shown = member.last_key if key and depth == len(at) - 1 else start
        return self._lines.place(shown)

    def _skip(self, offset: int) -> int:
        match = self._SPACE.match(self._text, offset)
        return match.end() if match else offset

    def _members(self, start: int) -> dict[str | int, "_Member"]:
        if start not in self._containers:
            try:
                self._containers[start] = self._scan(start)
            except RecursionError:  # the caller stands deeper than the parser stood
                self._containers[start] = {}
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


def write(tree: object) -> str:
    """Write a tree as one line of JSON; refuses what JSON has no word for."""
    return json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
