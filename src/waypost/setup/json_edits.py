"""Putting values into a JSON text and taking them out, by splices: the rest keeps its bytes.

Comments, trailing commas, indentation and line ends stay as they are, and are followed by what
is added. A container that an edit leaves empty is taken out too, since it says nothing.
"""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from waypost.errors import UsageError
from waypost.setup.json_tree import Entry, Key, Node, read

_INDENTED = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class JsonText(NamedTuple):
    """A text of JSON with comments; an empty text stands for no file."""

    text: str
    name: str  # for refusals

    def value(self) -> Any:
        """What it says, as Python values. Raises UsageError when it can't be read."""
        return self._root().value if self.text.strip() else {}

    def get(self, path: Sequence[Key]) -> Any:
        """The value at a path, or None."""
        node = self._root() if self.text.strip() else None
        for key in path:
            entry = node.child(key) if node else None
            node = entry.node if entry else None
        return node.value if node else None

    def put(self, path: Sequence[Key], value: Any) -> "JsonText":
        """With the value at the path; whatever is missing on the way is made.

        Raises UsageError when something else stands on the way.
        """
        if not self.text.strip():
            return JsonText(_shown(_nested(path, value), "  ", "") + "\n", self.name)
        node = self._root()
        for depth, key in enumerate(path):
            if not isinstance(node.value, list if isinstance(key, int) else dict):
                kind = "a list" if isinstance(key, int) else "an object"
                raise UsageError(
                    f"{_dotted(path[:depth])} in {self.name} isn't {kind}",
                    hint="mend it, then do it again; nothing was changed",
                )
            entry = node.child(key)
            if entry is None:
                return self._insert(node, key, _nested(path[depth + 1 :], value))
            node = entry.node
        return self._splice([(node.start, node.end, self._shown_at(value, node.start))])

    def drop(self, path: Sequence[Key]) -> "JsonText":
        """Without the value at the path, and without the containers that it leaves empty."""
        if self.get(path) is None:
            return self
        holders = [self._root()]
        for key in path[:-1]:
            entry = holders[-1].child(key)
            assert entry is not None
            holders.append(entry.node)
        depth = len(holders) - 1
        while depth >= 0 and self._holds_only_one(holders[depth]):
            depth -= 1
        if depth < 0:
            return JsonText("", self.name)
        entry = holders[depth].child(path[depth])
        assert entry is not None
        return self._remove(holders[depth], entry)

    def _root(self) -> Node:
        return read(self.text, self.name)

    def _holds_only_one(self, node: Node) -> bool:
        """Whether nothing would be left in a container, no comment either, without its entry."""
        if len(node.entries or ()) != 1:
            return False
        entry = (node.entries or ())[0]
        end = entry.node.end if entry.comma is None else entry.comma + 1
        around = self.text[node.start + 1 : entry.start] + self.text[end : node.end - 1]
        return not around.strip()

    def _insert(self, node: Node, key: Key, value: Any) -> "JsonText":
        last = node.entries[-1] if node.entries else None
        end = node.end - 1
        begin = node.start + 1 if last is None else last.node.end
        place = begin + len(self.text[begin:end].rstrip())
        comma = [(begin, begin, ",")] if last is not None and last.comma is None else []
        trail = "," if last is not None and last.comma is not None else ""
        name = "" if isinstance(key, int) else json.dumps(key, ensure_ascii=False) + ": "
        if self._in_one_line(node, last, place):
            space = " " if last is not None else ""
            return self._splice(
                [*comma, (place, place, f"{space}{name}{json.dumps(value)}{trail}")]
            )
        outer = self._indent_at(node.start)
        inner = outer + self._unit() if last is None else self._indent_at(last.start)
        text = "\n" + inner + name + _shown(value, self._unit(), inner) + trail
        if last is None and "\n" not in self.text[place:end]:
            text += "\n" + outer
        return self._splice([*comma, (place, place, self._ends(text))])

    def _in_one_line(self, node: Node, last: Entry | None, place: int) -> bool:
        """Whether what is added should go on beside what is there."""
        if last is None:
            return "\n" not in self.text.strip() and self.text.strip() != "{}"
        has_comment = "/" in self.text[last.node.end : place]
        return not has_comment and "\n" not in self.text[node.start : place]

    def _remove(self, node: Node, entry: Entry) -> "JsonText":
        entries = node.entries or ()
        number = entries.index(entry)
        end = entry.node.end if entry.comma is None else entry.comma + 1
        begin = len(self.text[: entry.start].rstrip())
        comma = entries[number - 1].comma if number else None
        gap = self.text[node.start if comma is None else comma : entry.start]
        if "//" in gap and self.text[end : end + 1] not in "\r\n":
            begin = entry.start  # what follows must not slip behind a comment
        if comma is None or entry.comma is not None:
            return self._splice([(begin, end, "")])
        return self._splice([(comma, comma + 1, ""), (begin, end, "")])

    def _splice(self, splices: Iterable[tuple[int, int, str]]) -> "JsonText":
        parts, at = [], 0
        for start, end, new in splices:
            parts += [self.text[at:start], new]
            at = end
        return JsonText("".join([*parts, self.text[at:]]), self.name)

    def _shown_at(self, value: Any, at: int) -> str:
        return self._ends(_shown(value, self._unit(), self._indent_at(at)))

    def _ends(self, text: str) -> str:
        return text.replace("\n", "\r\n") if "\r\n" in self.text else text

    def _indent_at(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip())]

    def _unit(self) -> str:
        found = _INDENTED.search(self.text)
        return found[1] if found else "  "


def _shown(value: Any, unit: str, indent: str) -> str:
    text = json.dumps(value, indent=unit, ensure_ascii=False)
    return text.replace("\n", "\n" + indent)


def _nested(path: Sequence[Key], value: Any) -> Any:
    for key in reversed(path):
        value = [value] if isinstance(key, int) else {key: value}
    return value


def _dotted(path: Sequence[Key]) -> str:
    return ".".join(map(str, path)) or "what stands"
