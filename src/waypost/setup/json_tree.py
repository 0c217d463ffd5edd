"""JSON as people write it into settings, with comments and trailing commas, and where it stands.

A tree holds places in the text rather than copies, so that an edit can leave the rest alone.
"""

import json
import re
from typing import Any, NamedTuple

from waypost.errors import UsageError, quoted

MOST_BYTES = 8 << 20  # a client's file of everything it remembers grows to megabytes
_DEEPEST = 64
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
Key = str | int


class Node(NamedTuple):
    """A value: where it stands, what it is; of a container also what it holds, and how."""

    start: int
    end: int
    value: Any
    entries: "tuple[Entry, ...] | None" = None  # of an object or a list

    def child(self, key: Key) -> "Entry | None":
        """The entry of that name, or of that number."""
        return next((entry for entry in self.entries or () if entry.key == key), None)


class Entry(NamedTuple):
    """One member of an object, or item of a list."""

    key: Key
    start: int
    node: Node
    comma: int | None  # where the comma after it stands


def read(text: str, name: str) -> Node:
    """The tree of a text. Raises UsageError, which names the file and the line, when it is none."""
    reader = _Reader(text, name)
    root = reader.value(reader.skip(0), 0)
    if (end := reader.skip(root.end)) != len(text):
        raise reader.broken(end, "something follows the last bracket")
    return root


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    def broken(self, at: int, what: str) -> UsageError:
        """The refusal to touch a file that can't be understood."""
        line = self._text.count("\n", 0, at) + 1
        return UsageError(
            f"{self._name} can't be read at line {line}: {what}",
            hint="mend that line, then do it again; nothing was changed",
        )

    def skip(self, at: int) -> int:
        """Where the next thing stands that is neither space nor comment."""
        found = _GAP.match(self._text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int) -> Node:
        """The value that begins here."""
        opening = self._text[at : at + 1]
        if depth > _DEEPEST:
            raise self.broken(at, f"it is nested over {_DEEPEST} levels")
        if opening == "{":
            return self._container(at, depth, "}")
        if opening == "[":
            return self._container(at, depth, "]")
        found = (_STRING if opening == '"' else _PLAIN).match(self._text, at)
        if found is None:
            raise self.broken(at, "a value is missing or broken")
        return Node(at, found.end(), json.loads(found[0]))

    def _container(self, start: int, depth: int, closing: str) -> Node:
        entries: list[Entry] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != closing:
            if entries and entries[-1].comma is None:
                raise self.broken(at, "a comma or a closing bracket is missing")
            entry = self._entry(at, depth, len(entries) if closing == "]" else None)
            entries.append(entry)
            at = self.skip(entry.node.end if entry.comma is None else entry.comma + 1)
        if closing == "]":
            return Node(start, at + 1, [entry.node.value for entry in entries], tuple(entries))
        value = {entry.key: entry.node.value for entry in entries}
        if len(value) < len(entries):
            raise self.broken(start, "a name stands twice in one object")
        return Node(start, at + 1, value, tuple(entries))

    def _entry(self, at: int, depth: int, number: int | None) -> Entry:
        key: Key
        start = at
        if number is None:
            found = _STRING.match(self._text, at)
            if found is None:
                raise self.broken(at, "a name in quotes is missing")
            key = json.loads(found[0])
            at = self.skip(found.end())
            if self._text[at : at + 1] != ":":
                raise self.broken(at, f"a colon is missing after {quoted(str(key))}")
            at = self.skip(at + 1)
        else:
            key = number
        node = self.value(at, depth + 1)
        after = self.skip(node.end)
        return Entry(key, start, node, after if self._text[after : after + 1] == "," else None)
