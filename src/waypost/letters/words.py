"""What strangers wrote, in lines of our own: short enough to read, and harmless to copy. Pure."""

import re

from waypost.errors import visible

_PLAIN_WORD = re.compile(r"[A-Za-z0-9@%+=:,./_-]+")


def word(text: str) -> str:
    """Write a text as one word of a command, which a shell takes for nothing else."""
    if _PLAIN_WORD.fullmatch(text):
        return text
    return "'" + visible(text).replace("'", "'\\''") + "'"


def size(number: int) -> str:
    """A number of bytes, for people."""
    if number < 1024:
        return f"{number} byte" + ("" if number == 1 else "s")
    return f"{number / (1 << 20):.1f} MiB" if number >= 1 << 20 else f"{number / 1024:.0f} KiB"


def brief(text: str, limit: int = 200) -> str:
    """Show a text inside a line: as it is, but for what is too much and what is obeyed."""
    return visible(text if len(text) <= limit else text[: limit - 1] + "…")
