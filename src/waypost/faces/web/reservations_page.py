"""Who holds which files: the patterns as a tree of directories, and where holders meet."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice, takewhile
from typing import NamedTuple

from waypost.dialects.agentmail.overlap import beginning, overlap
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.reserving import Reservation

_OPEN = frozenset("*?[]{},")
_ROWS = 50
_MOST_PAIRS = 20_000  # how many pairs of patterns are compared for the list of meetings
_MOST_MEETINGS = 20


class Leaf(NamedTuple):
    """A pattern in the tree: how it is written below its directory, and who holds it."""

    name: str
    pattern: str
    held: Reservation


class Branch(NamedTuple):
    """A directory, how deep it is, and the patterns that begin in it."""

    path: str
    depth: int
    name: str
    leaves: tuple[Leaf, ...]


class Meeting(NamedTuple):
    """A path that two holders both may have: who, by which patterns."""

    path: str
    one: Reservation
    one_pattern: str
    other: Reservation
    other_pattern: str


def reservations(office: Office, caller: Caller, query: Query) -> Page:
    """Who holds which files."""
    path = query.get("path")
    every = office.reservations(caller, path or None)
    begin = int(query.get("after")) if query.get("after").isdecimal() else 0
    shown = sorted(every, key=lambda one: (one.patterns, one.id))[begin : begin + _ROWS]
    following = str(begin + _ROWS) if len(every) > begin + _ROWS else None
    data = {"held": shown, "path": path, "tree": tree(shown), "all": len(every)}
    return Page("reservations", "Reservations", {
        **data, "next": following, "meetings": list(meetings(every)),
    })  # fmt: skip


def tree(held: Sequence[Reservation]) -> list[Branch]:
    """The directories in which patterns begin, each after those that it lies in."""
    leaves: dict[tuple[str, ...], list[Leaf]] = {}
    for one in held:
        for pattern in one.patterns:
            folder = _folder(pattern)
            name = pattern.removeprefix("".join(f"{part}/" for part in folder))
            leaves.setdefault(folder, []).append(Leaf(name or pattern, pattern, one))
    folders = {folder[:end] for folder in leaves for end in range(1, len(folder) + 1)}
    return [
        Branch("/".join(folder), len(folder), folder[-1] if folder else "",
               tuple(sorted(leaves.get(folder, ()), key=lambda leaf: leaf.pattern)))
        for folder in sorted(folders | set(leaves))
    ]  # fmt: skip


def _folder(pattern: str) -> tuple[str, ...]:
    """The directories that a pattern names before anything in it is open."""
    folders = pattern.split("/")[:-1]
    return tuple(takewhile(lambda part: not _OPEN & set(part), folders))


def meetings(held: Sequence[Reservation]) -> Iterator[Meeting]:
    """Where patterns of different holders meet; compared and told in bounds."""
    flat = [(beginning(pattern), pattern, one) for one in held for pattern in one.patterns]
    told = 0
    for (start, pattern, one), (begin, theirs, other) in islice(combinations(flat, 2), _MOST_PAIRS):
        if told >= _MOST_MEETINGS:
            return
        may_meet = start.startswith(begin) or begin.startswith(start)
        if one.holder != other.holder and may_meet and (path := overlap(pattern, theirs)):
            told += 1
            yield Meeting(path, one, pattern, other, theirs)
