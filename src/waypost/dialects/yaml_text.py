"""YAML where every scalar is text, fast: for the texts that hold nothing a fast reader misreads.

The Rust reader takes a good message at full speed, but it passes tags silently, turns plain `42`
and `true` into numbers and booleans, and knows no lines. So it serves only harmless texts; for
anything else it gives None, and `yaml_events` reads the text exactly. The two must agree.
"""

import re
from functools import cache
from typing import Any

import ryaml

from waypost.dialects.text import MAX_DEPTH, brackets
from waypost.errors import At

Tree = Any  # text, None, or lists and mappings of trees

# What the two readers may take differently, where it begins a word: tags, anchors, aliases, nulls
# and booleans in capitals, numbers that aren't plain digits. Each search begins with its own mark,
# which is what makes it fast.
_BEFORE = r"(?<![^\s\[\]{},:?-]%s)"
_WORDS = ("!", "&", "*", "0x", "0o", "0b", "Null", "NULL", "True", "TRUE", "False", "FALSE")
_SUSPECTS = {word: re.escape(word) + _BEFORE % re.escape(word) for word in _WORDS}
_SUSPECTS["+"] = r"[+](?=[0-9.])" + _BEFORE % "[+]"
_SUSPECTS["-0"] = r"-0(?<![^\s\[\]{},:?]-0)"
_SUSPECTS["<<"] = "<<"  # a merge key
_SUSPECTS["%"] = "(?m)^%"  # a directive
_compiled = cache(re.compile)  # a process that meets no mark compiles nothing
_MANY_BRACKETS = 1000  # the fast reader takes quadratic time in flow depth
# The line breaks that only YAML 1.1 knows, and what only one reader refuses.
_STRANGE_CHARACTER = re.compile("[\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class _UnsureError(Exception):
    """The fast reader gave something whose text as written is not known."""


def read_fast(text: str) -> dict[str, Tree] | None:
    """Parse a harmless mapping, or give None: then only the exact reader can tell."""
    if not _is_harmless(text):
        return None
    try:
        tree = ryaml.loads(text)  # type: ignore[attr-defined]
        return _as_written(tree, 1) if type(tree) is dict else None
    except Exception:  # whatever is wrong, the exact reader says it better
        return None


def _is_harmless(text: str) -> bool:
    if not text.isascii() and _STRANGE_CHARACTER.search(text):
        return False
    if brackets(text) > _MANY_BRACKETS:
        return False
    for mark, suspect in _SUSPECTS.items():
        if mark in text and _compiled(suspect).search(text):
            return False
    return True


def _as_written(tree: Tree, depth: int) -> Tree:
    """Turn plain whole numbers and booleans back into the text that stood there."""
    if depth > MAX_DEPTH:
        raise _UnsureError
    in_mapping = type(tree) is dict
    entries: Any = tree.items() if in_mapping else enumerate(tree)
    for key, value in entries:
        kind = type(value)
        if in_mapping and type(key) is not str:
            raise _UnsureError
        if kind is str or value is None:
            continue
        if kind is dict or kind is list:
            _as_written(value, depth + 1)
        elif kind is bool or kind is int:
            tree[key] = str(value).lower()
        else:
            raise _UnsureError
    return tree


def quick_place(text: str, at: At, key: bool, value: Tree) -> tuple[int, int] | None:
    """Find a field of the root by its line alone, where that leaves no doubt."""
    if len(at) != 1 or not isinstance(value, str) or "\r" in text:
        return None
    mark, lines = f"\n{at[0]}: ", "\n" + text
    start = lines.find(mark)
    if start < 0 or lines.find(mark, start + 1) >= 0:
        return None
    written = lines[start + len(mark) :].partition("\n")[0]
    if written.strip(" \t").strip("\"'") != value:
        return None
    column = len(mark) + len(written) - len(written.lstrip(" "))
    return lines.count("\n", 0, start) + 1, 1 if key else column
