"""Who writes to whom as a picture: names on a circle, letters as lines between them."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from waypost.office.glancing import Pair

_MOST_NAMES = 24
_WIDTH, _HEIGHT, _RADIUS = 760.0, 520.0, 190.0
_THINNEST, _THICKEST = 1.2, 9.0


class Place(NamedTuple):
    """A name and where it stands."""

    name: str
    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str


class Line(NamedTuple):
    """A line from one to another, as a path, and how many letters it stands for."""

    path: str
    width: float
    pair: Pair
    is_both_ways: bool


class Picture(NamedTuple):
    """All that is drawn, and how many names had no place."""

    width: float
    height: float
    places: tuple[Place, ...]
    lines: tuple[Line, ...]
    left_out: int


def drawn(pairs: Sequence[Pair]) -> Picture:
    """The picture of the busiest."""
    loads: dict[str, int] = {}
    for pair in pairs:
        for name in (pair.sender, pair.to):
            loads[name] = loads.get(name, 0) + pair.letters
    busiest = sorted(loads, key=lambda name: (-loads[name], name))
    names = sorted(busiest[:_MOST_NAMES])
    places = {name: _place(name, number, len(names)) for number, name in enumerate(names)}
    most = max((pair.letters for pair in pairs), default=1)
    ways = {(pair.sender, pair.to) for pair in pairs}
    lines = tuple(
        Line(_path(places[one.sender], places[one.to]), _width(one.letters, most), one,
             (one.to, one.sender) in ways)
        for one in pairs
        if one.sender in places and one.to in places
    )  # fmt: skip
    return Picture(_WIDTH, _HEIGHT, tuple(places.values()), lines, len(busiest) - len(names))


def _place(name: str, number: int, of: int) -> Place:
    angle = 2 * math.pi * number / of - math.pi / 2
    cosine, sine = math.cos(angle), math.sin(angle)
    x, y = _WIDTH / 2 + _RADIUS * cosine, _HEIGHT / 2 + _RADIUS * sine
    anchor = "middle" if abs(cosine) < 0.3 else "start" if cosine > 0 else "end"
    label = x + 18 * cosine, y + 22 * sine + 5
    return Place(name, round(x, 1), round(y, 1), round(label[0], 1), round(label[1], 1), anchor)


def _path(start: Place, end: Place) -> str:
    """A curve that bends to its own side, so that both directions can be seen."""
    if start == end:
        return f"M {start.x} {start.y} q -30 -46 0 -46 q 30 0 0 46"
    middle_x, middle_y = (start.x + end.x) / 2, (start.y + end.y) / 2
    bend_x = middle_x + (_WIDTH / 2 - middle_x) * 0.3 - (end.y - start.y) * 0.14
    bend_y = middle_y + (_HEIGHT / 2 - middle_y) * 0.3 + (end.x - start.x) * 0.14
    return f"M {start.x} {start.y} Q {bend_x:.1f} {bend_y:.1f} {end.x} {end.y}"


def _width(letters: int, most: int) -> float:
    return round(_THINNEST + (_THICKEST - _THINNEST) * math.sqrt(letters / most), 1)
