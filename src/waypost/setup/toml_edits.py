"""Putting one table into a TOML text and taking it out, by splices: the rest keeps its bytes.

The text is read for its meaning by the standard library; only where a statement begins and ends is
found here. What can't be changed this way is refused rather than rewritten.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from waypost.errors import UsageError

_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|"
    r"#[^\n]*|\n|[\[\]{}]|[^\"'#\n\[\]{}]+",
    re.DOTALL,
)
_BY_HAND = "change it by hand, or take it out and do it again; nothing was changed"
Value = str | list[str]


class _Statement(NamedTuple):
    """A header or a pair: where it begins, and where the line ends on which it ends."""

    start: int
    end: int
    header: tuple[str, ...] | None  # of the table that begins here
    table: tuple[str, ...]  # in which it stands
    key: str | None  # of a pair in a table, if it is a plain one


class TomlText(NamedTuple):
    """A text of TOML; an empty text stands for no file."""

    text: str
    name: str  # for refusals

    def value(self) -> dict[str, Any]:
        """What it says, as Python values. Raises UsageError, with the line, when it is broken."""
        try:
            return tomllib.loads(self.text)
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"{self.name} can't be read: {error}",
                hint="mend that line, then do it again; nothing was changed",
            ) from error

    def get(self, path: tuple[str, ...]) -> dict[str, Any] | None:
        """The table at a path, or None. Raises UsageError when something else stands there."""
        found: Any = self.value()
        for key in path:
            if not isinstance(found, dict):
                raise UsageError(f"{self.name} has no table where one belongs", hint=_BY_HAND)
            if key not in found:
                return None
            found = found[key]
        if not isinstance(found, dict):
            raise UsageError(f"{'.'.join(path)} in {self.name} is no table", hint=_BY_HAND)
        return found

    def put(
        self, path: tuple[str, ...], pairs: Mapping[str, Value], ours: frozenset[str]
    ) -> "TomlText":
        """With these pairs in the table, in the place of all that are `ours`; others stay.

        Raises UsageError when the table is written in a way that can't be changed by splices.
        """
        before = self.get(path) or {}
        kept = {key: value for key, value in before.items() if key not in ours}
        if {**kept, **pairs} == before:
            return self
        eol = "\r\n" if "\r\n" in self.text else "\n"
        lines = "".join(f"{key} = {_shown(value)}{eol}" for key, value in pairs.items())
        header = self._header(path)
        if before and header is None:
            raise UsageError(
                f"{'.'.join(path)} in {self.name} has no table of its own", hint=_BY_HAND
            )
        if header is None:
            gap = "" if not self.text else eol if self.text.endswith("\n") else eol + eol
            new = f"{self.text}{gap}[{'.'.join(path)}]{eol}{lines}"
            if self.text and not self.text.endswith("\n"):
                new = new.removesuffix(eol)  # so that taking it out finds the end as it was
        else:
            new = self._with_pairs(path, header, lines, ours, eol)
        return self._checked(new, path, {**kept, **pairs})

    def drop(self, path: tuple[str, ...]) -> "TomlText":
        """Without the table and those below it. Raises UsageError when splices can't do that."""
        if self.get(path) is None:
            return self
        statements = list(_statements(self.text))
        spans = [(one.start, one.end) for one in statements if one.table[: len(path)] == path]
        new = self.text
        for start, end in reversed(_joined(spans, self.text)):
            begin = start
            if new[:start].endswith(("\n\n", "\n\r\n")):  # the line that set it apart
                begin -= 2 if new[:start].endswith("\r\n") else 1
            if end == len(new) and not new.endswith("\n"):  # nor did the text end so before
                begin -= len(new[:begin]) - len(new[:begin].rstrip("\r\n"))
            new = new[:begin] + new[end:]
        return self._checked(new, path, None)

    def _header(self, path: tuple[str, ...]) -> _Statement | None:
        return next((one for one in _statements(self.text) if one.header == path), None)

    def _with_pairs(
        self, path: tuple[str, ...], header: _Statement, lines: str, ours: frozenset[str], eol: str
    ) -> str:
        new = self.text
        for one in reversed(list(_statements(self.text))):
            if one.table == path and one.header is None and one.key in ours:
                new = new[: one.start] + new[one.end :]
        head = new[: header.end]
        return (head if head.endswith("\n") else head + eol) + lines + new[header.end :]

    def _checked(
        self, new: str, path: tuple[str, ...], wanted: dict[str, Any] | None
    ) -> "TomlText":
        """The new text, if it says what it should and nothing else has changed."""
        expected: dict[str, Any] = tomllib.loads(self.text)
        try:
            got = tomllib.loads(new)
        except ValueError:
            got = {}
        for value in (expected, got):
            _take_out(value, path)
        made = TomlText(new, self.name)
        if got != expected or made.get(path) != wanted:
            raise UsageError(
                f"{'.'.join(path)} in {self.name} can't be changed here", hint=_BY_HAND
            )
        return made


def _take_out(value: dict[str, Any], path: tuple[str, ...]) -> None:
    """Remove the table at a path, and the tables that then hold nothing."""
    key, *rest = path
    inside = value.get(key)
    if rest and isinstance(inside, dict):
        _take_out(inside, tuple(rest))
    if not rest or inside == {}:
        value.pop(key, None)


def _joined(spans: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Spans with nothing but space between them, as one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _statements(text: str) -> Iterator[_Statement]:
    """Every header and pair of a text that the standard library has found sound."""
    table: tuple[str, ...] = ()
    for start, end in _spans(text):
        words = text[start:end].lstrip()
        if words.startswith("["):
            table = _header_path(words)
            yield _Statement(start, end, table, table, None)
        else:
            key = re.match(r"([A-Za-z0-9_-]+)\s*=", words)
            yield _Statement(start, end, None, table, key[1] if key else None)


def _header_path(words: str) -> tuple[str, ...]:
    inside: Any = tomllib.loads(words)
    path: list[str] = []
    while inside:
        inside = inside[0] if isinstance(inside, list) else inside
        for key in inside:
            path.append(key)
        inside = inside[path[-1]] if inside else None
    return tuple(path)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where statements begin and end, with their whole lines; they may go over many."""
    depth, start, begun = 0, 0, False
    for piece in _PIECE.finditer(text):
        words = piece[0]
        if words == "\n":
            if depth == 0:
                if begun:
                    yield start, piece.end()
                start, begun = piece.end(), False
        elif words in "[{":
            depth, begun = depth + 1, True
        elif words in "]}":
            depth -= 1
        elif not words.startswith("#") and words.strip():
            begun = True
    if begun:
        yield start, len(text)


def _shown(value: Value) -> str:
    """A text or a list of texts; TOML's basic strings take JSON's escapes."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
