"""YAML where every scalar is text, fast: for the texts that hold nothing a fast reader misreads.

The Rust reader takes a good message at full speed, but it passes tags silently, turns plain `42`
and `true` into numbers and booleans, and knows no lines. So it serves only harmless texts; for
anything else it gives None, and `yaml_events` reads the text exactly. The two must agree.
"""

import re
from typing import Any

import ryaml

from waypost.dialects.text import MAX_DEPTH, may_nest_deeply

Tree = Any  # text, None, or lists and mappings of trees

# What the two readers may take differently: tags, anchors, aliases, merge keys, directives, nulls
# in capitals, numbers that aren't decimal, and the line breaks that only YAML 1.1 knows.
_MARKS = ("!", "&", "*", "<<", "%", "0x", "0o", "0b", "NULL", "Null")
_SUSPECT = re.compile(r"(?:^|[\s\[\]{},:?-])[!&*]|<<|^%|0[xob]|N(?:ull|ULL)", re.MULTILINE)
_STRANGE_CHARACTER = re.compile("[\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def read_fast(text: str, numbers_at: int = 0) -> dict[str, Tree] | None:
    """Parse a harmless mapping, or give None: then only the exact reader can tell.

    All scalars are text or None, but at the depth `numbers_at` (the root is 1) whole numbers and
    booleans may stand as such: the caller knows which fields ask for them.
    """
    if not _is_harmless(text):
        return None
    try:
        tree = ryaml.loads(text)  # type: ignore[attr-defined]
    except Exception:  # whatever is wrong, the exact reader says it better
        return None
    return tree if type(tree) is dict and _is_text(tree, numbers_at, 1) else None


def _is_harmless(text: str) -> bool:
    if not text.isascii() and _STRANGE_CHARACTER.search(text):
        return False
    if may_nest_deeply(text):  # the fast reader takes quadratic time in flow depth
        return False
    return not (any(mark in text for mark in _MARKS) and _SUSPECT.search(text))


def _is_text(tree: Tree, numbers_at: int, depth: int) -> bool:
    if depth > MAX_DEPTH:
        return False
    if type(tree) is list:
        values: Any = tree
    else:
        values = tree.values()
        if not all(type(key) is str for key in tree):
            return False
    for value in values:
        kind = type(value)
        if kind is str or value is None:
            continue
        if kind is dict or kind is list:
            if not _is_text(value, numbers_at, depth + 1):
                return False
        elif depth != numbers_at or kind not in (int, bool):
            return False
    return True
