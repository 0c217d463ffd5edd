"""Where the parts of a YAML text stand, also of a text inside a text."""

from typing import Any

from waypost.dialects.text import Positions
from waypost.errors import At

# By container (its id()) and key: the marks of the key and of the value.
Marks = dict[tuple[int, str | int], tuple[Any, Any]]


def place(mark: Any) -> tuple[int, int]:
    """Turn the parser's mark into line and column, from 1."""
    return mark.line + 1, mark.column + 1


class YamlPositions(Positions):
    """Finds places by the marks that the exact reader kept."""

    def __init__(self, root: Any, marks: Marks, blocks: dict[str, int], text: str) -> None:
        self._root = root
        self._marks = marks
        self._blocks = blocks
        self._text = text

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        marks = self._marks
        shown = marks.get((0, 0))
        if shown is None:
            return None
        mark, tree = shown[1], self._root
        for step in at:
            found = marks.get((id(tree), step))
            if found is None:
                break
            mark = found[0] if key else found[1]
            tree = tree[step]
        return place(mark)

    def inside(self, field: str, inner: "YamlPositions") -> "NestedPositions":
        """Positions of a root field's text that was read as YAML of its own."""
        return NestedPositions(self, field, inner)

    def first_line_of(self, field: str) -> int | None:
        """The line on which the content of a root field's block text begins."""
        return self._blocks.get(field)

    def indent_of(self, line: int) -> int:
        """How many spaces a line begins with."""
        shown = self._text.split("\n")[line - 1]
        return len(shown) - len(shown.lstrip(" "))


class NestedPositions(Positions):
    """Places in a text with another text inside one of its fields."""

    def __init__(self, outer: YamlPositions, field: str, inner: YamlPositions) -> None:
        self._outer = outer
        self._field = field
        self._inner = inner

    def find(self, at: At, key: bool = False) -> tuple[int, int] | None:
        first = self._outer.first_line_of(self._field)
        if at[:1] != (self._field,) or len(at) < 2 or first is None:
            return self._outer.find(at[:1] if at[:1] == (self._field,) else at, key)
        found = self._inner.find(at[1:], key)
        indent = self._outer.indent_of(first)
        return (first + found[0] - 1, found[1] + indent) if found else None
