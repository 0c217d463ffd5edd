"""Where the parts of a YAML text stand, also of a text inside a text."""

from typing import Any

from waypost.dialects.text import Lines, Positions
from waypost.errors import At

# By container (its id()) and key: the offsets of the key and of the value.
Marks = dict[tuple[int, str | int], tuple[int, int]]
ROOT = (0, 0)


class YamlPositions(Positions):
    """Finds places by the marks that the exact reader kept."""

    def __init__(self, root: Any, marks: Marks, blocks: dict[str, int], lines: Lines) -> None:
        self._root = root
        self._marks = marks
        self._blocks = blocks
        self.lines = lines

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        if ROOT not in self._marks:
            return None
        offset, tree = self._marks[ROOT][1], self._root
        for step in at:
            found = self._marks.get((id(tree), step))
            if found is None:
                break
            offset = found[0] if key else found[1]
            tree = tree[step]
        return self.lines.place(offset)

    def inside(self, field: str, text: str, inner: "YamlPositions") -> "NestedPositions":
        """Positions of a root field's text that was read as YAML of its own."""
        header = self._blocks.get(field)
        first = None if header is None else self.lines.place(header)[0] + 1
        return NestedPositions(self, field, inner, first, self._indent(first, text))

    def _indent(self, first: int | None, text: str) -> int:
        """By how much a block text is indented: compare its first full line here and there."""
        inner = text.split("\n")
        for number, line in enumerate(inner, start=first or 0):
            if line:
                return max(0, len(self.lines.line(number) or "") - len(line))
        return 0


class NestedPositions(Positions):
    """Places in a text with another text inside one of its fields."""

    def __init__(
        self,
        outer: YamlPositions,
        field: str,
        inner: YamlPositions,
        first_line: int | None,
        indent: int,
    ) -> None:
        self._outer = outer
        self._field = field
        self._inner = inner
        self._first_line = first_line
        self._indent = indent

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        if len(at) < 2 or at[0] != self._field:
            return self._outer.find(at, key)
        return self.outward(self._inner.find(at[1:], key))

    def outward(self, place: tuple[int, int] | None) -> tuple[int, int] | None:
        """Turn a place inside the field's text into one of the whole text."""
        if place is None or self._first_line is None:
            return self._outer.find((self._field,))
        return self._first_line + place[0] - 1, place[1] + self._indent
