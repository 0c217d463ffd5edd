"""Which paths a file pattern matches, and whether two patterns share one.

Decided exactly: a pattern is read as an automaton, and two of them are walked together. What can be
told from the text that a pattern begins and ends with is told without a walk, so comparing one
pattern with ten thousand others that live in other folders costs next to nothing.

`./`, `//` and the like mean nothing in a path; a pattern that ends in a slash names all that is
below a folder. `folder/**` also matches `folder` itself, since `**` may be no directory at all.
"""

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from waypost.dialects.agentmail.names import Name, SharedName, literal_name, read_name
from waypost.dialects.agentmail.patterns import expand, flaw
from waypost.errors import UsageError, quoted

_ANY_NAME = read_name("*")
_ANY_PATH = "x"
Row = tuple[Name | None, ...]  # the names of a pattern without braces; None is `**`
Place = tuple[int, int]  # in two rows at once


class _Plain(NamedTuple):
    """A pattern without braces, and what every path that it matches begins and ends with."""

    names: Row
    beginning: str
    ending: str


def overlap(left: str, right: str) -> str | None:
    """Give a path that both patterns match, or None when there is none.

    Raises UsageError when one of them is no sound pattern.
    """
    return Comparison().shared(left, right)


def matches(pattern: str, path: str) -> bool:
    """Tell whether a relative path is one that the pattern matches; nothing in the path is special.

    Raises UsageError when the pattern isn't sound.
    """
    names = [name for name in path.split("/") if name not in ("", ".")]
    if path.startswith("/") or ".." in names or not names:
        return False
    return Comparison().matches(pattern, names)


def beginning(pattern: str) -> str:
    """The text that every path begins with which the pattern matches.

    Two patterns can only meet if one's beginning begins with the other's.
    Raises UsageError when the pattern isn't sound.
    """
    texts = [plain.beginning for plain in _read(pattern)]
    first, last = min(texts, default=""), max(texts, default="")
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(char for char, _ in same)


@lru_cache(maxsize=16384)
def _read(pattern: str) -> tuple[_Plain, ...]:
    if wrong := flaw(pattern):
        raise UsageError(
            f"the pattern {quoted(pattern)} {wrong}",
            hint="write it relative to the project, like src/**/*.ts",
        )
    return tuple(_read_plain(text) for text in dict.fromkeys(expand(pattern)) if text)


def _read_plain(text: str) -> _Plain:
    *folders, last = text.split("/")
    if last in ("", "."):
        last = "**"
    names: list[Name | None] = []
    for name in (*folders, last):
        if name == "**":
            if names[-1:] != [None]:
                names.append(None)
        elif name not in ("", "."):
            names.append(read_name(name))
    return _plain(tuple(names))


def _plain(names: Row) -> _Plain:
    return _Plain(
        names,
        "/".join(_literal_part(names, "leading")),
        "/".join(reversed(_literal_part(names[::-1], "trailing"))),
    )


def _literal_part(names: Row, edge: str) -> list[str]:
    """The texts of the first names, as far as they can only be one."""
    texts: list[str] = []
    for name in names:
        if name is None:
            break
        texts.append(getattr(name, edge))
        if name.literal is None:
            break
    return texts


def _may_meet(left: _Plain, right: _Plain) -> bool:
    begin, other = left.beginning, right.beginning
    if not (begin.startswith(other) or other.startswith(begin)):
        return False
    return left.ending.endswith(right.ending) or right.ending.endswith(left.ending)


class Comparison:
    """The walk through two patterns at once; counts its `steps`, which their lengths bound."""

    def __init__(self) -> None:
        self.steps = 0
        self._names: dict[tuple[int, int], str | None] = {}

    def shared(self, left: str, right: str) -> str | None:
        """Give a path that both patterns match, or None."""
        return self._shared(_read(left), _read(right))

    def matches(self, pattern: str, names: list[str]) -> bool:
        """Tell whether the pattern matches the path of these names."""
        path = _plain(tuple(literal_name(name) for name in names))
        return self._shared(_read(pattern), (path,)) is not None

    def _shared(self, left: tuple[_Plain, ...], right: tuple[_Plain, ...]) -> str | None:
        for one in left:
            for other in right:
                if _may_meet(one, other):
                    path = self._walk(one.names, other.names)
                    if path is not None:
                        return path
        return None

    def _walk(self, left: Row, right: Row) -> str | None:
        """Search from place to place in both rows at once, the shortest way to both ends."""
        end = len(left), len(right)
        came: dict[Place, tuple[Place, str | None]] = {(0, 0): ((0, 0), None)}
        waiting = deque([(0, 0)])
        while waiting and end not in came:
            place = waiting.popleft()
            for to, name in self._moves(left, right, place):
                self.steps += 1
                if to not in came:
                    came[to] = place, name
                    waiting.append(to)
        return _path(came, end) if end in came else None

    def _moves(self, left: Row, right: Row, place: Place) -> Iterator[tuple[Place, str | None]]:
        i, j = place
        if i < len(left) and left[i] is None:
            yield (i + 1, j), None
        if j < len(right) and right[j] is None:
            yield (i, j + 1), None
        if i < len(left) and j < len(right):
            one, other = left[i], right[j]
            name = self._name(one or _ANY_NAME, other or _ANY_NAME)
            if name is not None:
                yield (i + (one is not None), j + (other is not None)), name

    def _name(self, left: Name, right: Name) -> str | None:
        if left.literal is not None and right.literal is not None and left.literal != right.literal:
            return None
        key = id(left), id(right)  # both live as long as this comparison
        if key not in self._names:
            search = SharedName(left, right)
            self._names[key] = search.find()
            self.steps += search.steps
        return self._names[key]


def _path(came: dict[Place, tuple[Place, str | None]], place: Place) -> str:
    names: list[str] = []
    while place != (0, 0):
        place, name = came[place]
        if name is not None:
            names.append(name)
    return "/".join(reversed(names)) or _ANY_PATH
