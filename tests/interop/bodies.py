"""Texts that are hard to carry: the ones found by hand, and any number of generated ones."""

import random
from collections.abc import Iterator
from itertools import pairwise

from strategies import ODD_WORDS

HOSTILE = (
    "  indented\nless",
    "\tbegins with a tab",
    "a\tb",
    "x\n\ty",
    "a\rb",
    "a\r\nb\r\n",
    "\x1b[31mred\x1b[0m",
    "a\0b",
    "a\x85b",
    "a\u2028b",
    "a\u2029b",
    "a\x0bb\x0cc",
    "\x7f",
    "\x80",
    "\uffff",
    "\ufeffmarked",
    "\u202eright to left",
    '"quoted"',
    "'quoted'",
    "\\n is no line end",
    "---",
    "--- a\nb",
    "a\n---\nb",
    "a\n...\nb",
    "key: value",
    "from: mallory\nto: all",
    "- a\n- b",
    "# no comment",
    "a # b",
    "[a",
    "{a",
    "&a",
    "*a",
    "!t",
    "%d",
    "@x",
    "`x`",
    "| x",
    "> x",
    "? a",
    "<<: *a",
    "null",
    "~",
    "yes",
    "42",
    "1e3",
    "2026-03-13",
    " x",
    "x ",
    "x  \ny",
    "x\n \ny",
    "x\n",
    "x\n\n",
    "\nx",
    "\n\nx\n",
    "e\u0301 \U0001f600 \U0010ffff \ud7ff",
    "a\n" * 300,
)
_EDGES = (0, 0x20, 0x7F, 0x100, 0xD800, 0xE000, 0x10000, 0x110000)
_RANGES = [(low, high) for low, high in pairwise(_EDGES) if low != 0xD800]
_JOINTS = ("", " ", "\n", "\n\n", "\n  ", "\t", "\r\n", ": ", " #", "\n- ")


def generated(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Pairs of a subject and a body; the same ones for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        yield _text(chance, chance.randint(1, 3), (" ",)), _text(chance, chance.randint(1, 9))


def _text(chance: random.Random, pieces: int, joints: tuple[str, ...] = _JOINTS) -> str:
    return "".join(_piece(chance) + chance.choice(joints) for _ in range(pieces))


def _piece(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.3:
        return chance.choice(ODD_WORDS)
    if kind < 0.5:
        return chance.choice(HOSTILE[:56])
    low, high = chance.choice(_RANGES)
    return "".join(chr(chance.randrange(low, high)) for _ in range(chance.randint(1, 8)))
