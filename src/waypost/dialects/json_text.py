"""Strict JSON: parse at full speed, find what JSON readers usually let pass, and say where.

The standard library's scanner does the parsing. What it would accept silently (duplicate keys,
NaN, endless numbers, lone surrogates, bottomless nesting) is noticed on the way by hooks that cost
nothing on a good message; only then is the tree walked to learn the paths.
"""

import json
import re
from math import isinf
from typing import Any, NamedTuple

from waypost.dialects.text import MAX_DEPTH, Lines, Positions, brackets
from waypost.dialects.tree import Doubled, NotANumber, is_deep, plain, too_deep
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

_SKIP = json.JSONDecoder(parse_int=float)  # for going over values, whatever they are
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


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
        tree, end = _FAST.raw_decode(text) if text.startswith("{") else (None, -1)
        if end != len(text):  # white space around it, or what doesn't belong there
            tree = _FAST.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # ours, or an integer of more digits than Python converts
        return plain(_CAREFUL.decode(text))
    if (brackets(text) > MAX_DEPTH and is_deep(tree)) or _SURROGATE_ESCAPE.search(text):
        return plain(tree)
    return tree, []


def _syntax_problem(text: str, error: json.JSONDecodeError) -> Problem:
    cut_off = not text[error.pos :].strip(" \t\r\n") or error.msg.startswith("Unterminated")
    what = "the text ends too early" if cut_off else _plain_words(error.msg)
    hint = "the end of the message is missing" if cut_off else None
    if text.lstrip()[:1] not in ("{", "["):
        hint = "messages of ACP and Agent Mail are JSON objects; see waypost examples"
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


class _Container:
    """The members of one container, found only as far as they are asked for."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._is_mapping = text[start : start + 1] == "{"
        self._offset = _skip_space(text, start + 1)
        self._ended = text[start : start + 1] not in ("{", "[")
        self._members: dict[str | int, _Member] = {}
        self._count = 0

    def member(self, step: str | int, *, last: bool) -> _Member | None:
        """Find a member; to know its last key, the whole container must be scanned."""
        while not self._ended and (last or step not in self._members):
            self._advance()
        return self._members.get(step)

    def _advance(self) -> None:
        """Note where the next member stands, and go behind the one noted before."""
        text, offset = self._text, self._offset
        if self._count:
            _, offset = _SKIP.raw_decode(text, offset)
            offset = _skip_space(text, offset)
            if text[offset : offset + 1] == ",":
                offset = _skip_space(text, offset + 1)
        if text[offset : offset + 1] in ("", "]", "}"):
            self._ended = True
            return
        key_start = offset
        key: str | int = self._count
        if self._is_mapping:
            key, offset = _SKIP.raw_decode(text, offset)
            offset = _skip_space(text, _skip_space(text, offset) + 1)  # over the colon
        first = self._members.get(key)
        self._members[key] = _Member(first.value if first else offset, key_start)
        self._offset = offset
        self._count += 1


_SPACE = re.compile(r"[ \t\n\r]*")


def _skip_space(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    return match.end() if match else offset


class JsonPositions(Positions):
    """Finds places by scanning again, and only the containers that a path goes through."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines(text)
        self._containers: dict[int, _Container] = {}
        self._parents: dict[At, int] = {}

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        start = self._parents.get(at[:-1])
        if start is None:
            start = self._parents[at[:-1]] = self._value_at(at[:-1])
        member = self._member(start, at[-1], last=key) if at else None
        if member is None:
            return self._lines.place(start)
        return self._lines.place(member.last_key if key else member.value)

    def _value_at(self, at: At) -> int:
        start = _skip_space(self._text, 0)
        for step in at:
            member = self._member(start, step, last=False)
            if member is None:
                break
            start = member.value
        return start

    def _member(self, start: int, step: str | int, *, last: bool) -> _Member | None:
        if start not in self._containers:
            self._containers[start] = _Container(self._text, start)
        try:
            return self._containers[start].member(step, last=last)
        except RecursionError:  # the caller stands deeper than the parser stood
            return None


_WRITER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def write(tree: object) -> str:
    """Write a tree as one line of JSON; refuses what JSON has no word for."""
    return _WRITER.encode(tree)
