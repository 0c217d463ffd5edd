"""Fields of knowledge and topics: which pattern holds for one, who covers one. Pure."""

import re
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


_DOMAIN = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,15}(\.\*)?")


def is_domain(name: str) -> bool:
    """Whether a text can name a field of knowledge, or all below it."""
    return _DOMAIN.fullmatch(name) is not None


def covers(pattern: str | None, name: str | None) -> bool:
    """Whether a pattern holds for a name; none holds for all, `family.*` for family and below."""
    if pattern is None or pattern == "*":
        return True
    if name is None:
        return False
    if pattern.endswith(".*"):
        stem = pattern[:-2]
        return name == stem or name.startswith(stem + ".")
    return name == pattern


def closest(handlers: Iterable[tuple[str | None, T]], name: str | None) -> T | None:
    """The handler with the longest pattern that holds for a name."""
    fitting = [(pattern, handler) for pattern, handler in handlers if covers(pattern, name)]
    best = max(fitting, key=lambda one: _weight(one[0]), default=None)
    return None if best is None else best[1]


def _weight(pattern: str | None) -> int:
    """The longer the closer; an exact pattern before one that ends with a star."""
    if pattern is None or pattern == "*":
        return -1
    return 2 * len(pattern.removesuffix(".*")) + (not pattern.endswith(".*"))


def not_handled(domain: str | None, known: Iterable[str]) -> str:
    """The sentence for a question of a domain that has no handler: it names those that have."""
    asked_for = f'"{domain[:100]}" is not handled here' if domain else "no domain is named"
    handled = ", ".join(known)
    return f"{asked_for}; {'handled are: ' + handled if handled else 'no questions are answered'}"


def reach(declared: Iterable[str], domain: str) -> int:
    """How much of a domain is covered by what an agent declares: 0 for not at all.

    Declaring `family` covers all below it, with or without the star.
    """
    stems = [name.removesuffix(".*") for name in declared]
    return max(
        (len(stem) for stem in stems if domain == stem or domain.startswith(stem + ".")), default=0
    )
