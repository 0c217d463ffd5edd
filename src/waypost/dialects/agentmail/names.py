"""What one name in a file pattern matches, and a name that two of them share.

A name is what stands between two slashes of a path: never empty, never `.` or `..`. In a pattern
it is a row of tokens: one character of some ranges, or a star. Whether two rows share a name is
decided without trying names: for every place in the one row there is a number whose bits are the
places in the other from where both can come to their ends. So the lengths bound the work.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

Ranges = tuple[tuple[int, int], ...]  # of code points: sorted, apart, both ends within
Token = Ranges | None
STAR = None
ANY: Ranges = ((1, ord("/") - 1), (ord("/") + 1, 0x10FFFF))
_TOKEN = re.compile(r"\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)
_READABLE = "xabcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+,=@~ "
_DOT = ord(".")
_NAMED = 3  # dots that a name began with so far: 0, 1, 2, or this: it is a name by now


class Name(NamedTuple):
    """One name of a pattern, and the text that all it matches begins and ends with."""

    tokens: tuple[Token, ...]
    leading: str
    trailing: str

    @property
    def literal(self) -> str | None:
        """The only name that it matches, or None when there may be more."""
        return self.leading if len(self.leading) == len(self.tokens) else None


def literal_name(text: str) -> Name:
    """The name that is just this text, whatever stands in it."""
    return Name(tuple(((ord(char), ord(char)),) for char in text), text, text)


@lru_cache(maxsize=8192)
def read_name(text: str) -> Name:
    """Read a name of a sound pattern, without braces."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "*":
            if not tokens or tokens[-1] is not STAR:
                tokens.append(STAR)
        elif token == "?":
            tokens.append(ANY)
        elif len(token) > 1:
            tokens.append(read_set(token))
        else:
            tokens.append(((ord(token), ord(token)),))
    return Name(tuple(tokens), _text(tokens), _text(tokens[::-1])[::-1])


def _text(tokens: list[Token]) -> str:
    """The characters up to the first place where there may be several."""
    fixed = takewhile(lambda token: token is not None and _is_one(token), tokens)
    return "".join(chr(token[0][0]) for token in fixed if token)


def read_set(token: str) -> Ranges:
    """Read a set in brackets, with them; gives no ranges when nothing can match it."""
    inside = token[1:-1]
    negated = inside[:1] in ("!", "^") and bool(inside)
    inside = inside[negated:]
    ranges: list[tuple[int, int]] = []
    at = 0
    while at < len(inside):
        first = last = ord(inside[at])
        if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            last = ord(inside[at + 2])
            at += 2
        at += 1
        if last < first:
            return ()
        ranges.append((first, last))
    if not ranges:
        return ()
    return common(ANY, _all_but(ranges) if negated else _tidy(ranges))


def _tidy(ranges: list[tuple[int, int]]) -> Ranges:
    tidy: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if tidy and first <= tidy[-1][1] + 1:
            tidy[-1] = (tidy[-1][0], max(last, tidy[-1][1]))
        else:
            tidy.append((first, last))
    return tuple(tidy)


def _all_but(ranges: list[tuple[int, int]]) -> Ranges:
    rest: list[tuple[int, int]] = []
    begin = 0
    for first, last in _tidy(ranges):
        if begin < first:
            rest.append((begin, first - 1))
        begin = last + 1
    return (*rest, (begin, 0x10FFFF)) if begin <= 0x10FFFF else tuple(rest)


def common(left: Ranges, right: Ranges) -> Ranges:
    """The characters that are in both."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        first, last = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if first <= last:
            found.append((first, last))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def _is_one(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def _has(ranges: Ranges, point: int) -> bool:
    return any(first <= point <= last for first, last in ranges)


class SharedName:
    """The search for a name that two names of patterns share; counts its `steps`."""

    def __init__(self, left: Name, right: Name) -> None:
        self._left, self._right = left.tokens, right.tokens
        self.steps = 0
        self._stars = 0  # the places on the right where a star stands, as bits
        self._ones: dict[int, int] = {}  # by character: the places where just it stands
        self._sets: dict[Ranges, int] = {}  # by ranges: the places where they stand
        for at, token in enumerate(self._right):
            if token is None:
                self._stars |= 1 << at
            elif _is_one(token):
                self._ones[token[0][0]] = self._ones.get(token[0][0], 0) | 1 << at
            else:
                self._sets[token] = self._sets.get(token, 0) | 1 << at

    def find(self) -> str | None:
        """Give a name that both match, or None."""
        ends = self._ends()
        waiting = [(0, 0, 0, "")]
        seen: set[tuple[int, int, int]] = set()
        while waiting:
            i, j, dots, text = waiting.pop()
            if (i, j, dots) in seen or not ends[i] >> j & 1:
                continue
            if i == len(self._left) and j == len(self._right) and dots == _NAMED:
                return text
            self.steps += 1
            seen.add((i, j, dots))
            waiting += self._moves(i, j, dots, text)
        return None

    def _ends(self) -> list[int]:
        """By place on the left: the places on the right from where both can end, as bits."""
        row = 1 << len(self._right)
        row |= row >> 1 & self._stars
        rows = [row]
        masks: dict[Ranges, int] = {}
        for token in reversed(self._left):
            self.steps += 1
            if token is None:
                row = (1 << row.bit_length()) - 1
            else:
                if token not in masks:
                    masks[token] = self._places(token)
                row = row >> 1 & masks[token] | row & self._stars
                row |= row >> 1 & self._stars
            rows.append(row)
        return rows[::-1]

    def _places(self, ranges: Ranges) -> int:
        """The places on the right that share a character with the ranges, as bits."""
        self.steps += len(self._sets)
        places = sum(mask for others, mask in self._sets.items() if common(ranges, others))
        if _is_one(ranges):
            return places | self._ones.get(ranges[0][0], 0)
        self.steps += len(self._ones)
        return places | sum(mask for one, mask in self._ones.items() if _has(ranges, one))

    def _moves(self, i: int, j: int, dots: int, text: str) -> list[tuple[int, int, int, str]]:
        """The ways on, the best one last. A star is left as soon as the name is one."""
        left = self._left[i] if i < len(self._left) else ()
        right = self._right[j] if j < len(self._right) else ()
        leave = [(i + 1, j, dots, text)] if left is None else []
        leave += [(i, j + 1, dots, text)] if right is None else []
        go_on = (i + (left is not None), j + (right is not None))
        if go_on == (i, j) and dots == _NAMED:
            return leave
        shared = common(ANY if left is None else left, ANY if right is None else right)
        take = [(*go_on, next_dots, text + char) for next_dots, char in _characters(shared, dots)]
        return take + leave if dots == _NAMED else leave + take


def _characters(ranges: Ranges, dots: int) -> Iterator[tuple[int, str]]:
    """What the next character may be, as few as decide it, and the dots that are counted then."""
    if _has(ranges, _DOT):
        yield min(dots + 1, _NAMED), "."
    if char := _pick(ranges):
        yield _NAMED, char


def _pick(ranges: Ranges) -> str | None:
    """A character that is no dot, one that reads well if there is one."""
    for char in _READABLE:
        if _has(ranges, ord(char)):
            return char
    points = (point for first, last in ranges for point in (first, last) if point != _DOT)
    return next(map(chr, points), None)
