"""What a file pattern of a reservation may look like; `overlap` says what it matches.

Patterns are relative and separated by `/`. `**` stands for any number of directories, `*` and `?`
stay within one, `[…]` is one character of a set, `{a,b}` one of several texts.
"""

import re

from waypost.dialects.agentmail.names import read_set

MAX_EXPANSIONS = 64
MAX_LENGTH = 4096  # the longest path there is; what the braces stand for counts together
MAX_SLASHES = 512
_TOKEN = re.compile(r"\[[!^]?\]?[^\]/]*\]|[\[{},]|[^\[{},]+")


def flaw(pattern: str) -> str | None:
    """Say what is wrong with a pattern, or None."""
    if not pattern.strip():
        return "must not be blank"
    if len(pattern) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH:,} characters"
    if not pattern.isprintable():
        return "must not hold control characters"
    if "\\" in pattern:
        return "must use / between directories"
    if wrong := _bracket_flaw(pattern):
        return wrong
    texts = expand(pattern)
    if sum(map(len, texts)) > MAX_LENGTH or sum(text.count("/") for text in texts) > MAX_SLASHES:
        return (
            f"is longer than {MAX_LENGTH:,} characters or {MAX_SLASHES} folders, braces spelled out"
        )
    for text in texts:
        if text.startswith("/") or re.match(r"[A-Za-z]:", text):
            return "must be relative"
        if ".." in text.split("/"):
            return "must not leave the project by .."
    return None


def expand(pattern: str) -> list[str]:
    """Write out the braces of a sound pattern: `a.{c,h}` is `a.c` and `a.h`."""
    done: list[list[str]] = [[]]  # by open brace: the finished alternatives
    open_texts: list[list[str]] = [[""]]  # by open brace: the texts of the present alternative
    for token in _TOKEN.findall(pattern):
        if token == "{":
            done.append([])
            open_texts.append([""])
        elif token == "," and len(done) > 1:
            done[-1] += open_texts[-1]
            open_texts[-1] = [""]
        elif token == "}" and len(done) > 1:
            endings = done.pop() + open_texts.pop()
            open_texts[-1] = [text + ending for text in open_texts[-1] for ending in endings]
        else:
            open_texts[-1] = [text + token for text in open_texts[-1]]
    return open_texts[0]


def _bracket_flaw(pattern: str) -> str | None:
    """Read the braces; counts how many plain patterns they stand for."""
    stack: list[tuple[int, int]] = []  # of the open braces: alternatives so far, the present one
    product = 1
    for match in _TOKEN.finditer(pattern):  # lazily: the first flaw ends it
        token = match[0]
        if token == "[":
            return "has a [ without its ]"
        if token[0] == "[" and not read_set(token):
            return "has a set in brackets that nothing matches"
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
