"""What a file pattern of a reservation may look like.

Patterns are relative and separated by `/`. `**` stands for any number of directories, `*` and `?`
stay within one, `[…]` is one character of a set, `{a,b}` one of several texts.
"""

import re

MAX_EXPANSIONS = 64
_TOKEN = re.compile(r"\[[!^]?\]?[^\]/]*\]|[\[{},]|[^\[{},]+")


def flaw(pattern: str) -> str | None:
    """Say what is wrong with a pattern, or None."""
    if not pattern.strip():
        return "must not be blank"
    if pattern.startswith("/") or re.match(r"[A-Za-z]:", pattern):
        return "must be relative"
    if "\\" in pattern:
        return "must use / between directories"
    if ".." in re.split(r"[/{},]", pattern):
        return "must not leave the project by .."
    return _bracket_flaw(pattern)


def _bracket_flaw(pattern: str) -> str | None:
    """Read the braces; counts how many plain patterns they stand for."""
    stack: list[tuple[int, int]] = []  # of the open braces: alternatives so far, the present one
    product = 1
    for token in _TOKEN.findall(pattern):
        if token == "[":
            return "has a [ without its ]"
        if token == "{":
            stack.append((0, product))
            product = 1
        elif token == "," and stack:
            total, before = stack.pop()
            stack.append((total + product, before))
            product = 1
        elif token == "}" and stack:
            total, before = stack.pop()
            product = before * (total + product)
        if product > MAX_EXPANSIONS:
            return f"stands for more than {MAX_EXPANSIONS} patterns"
    return "has a { without its }" if stack else None
