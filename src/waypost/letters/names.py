"""The names of agents and projects, and what to suggest for one that isn't known. Pure."""

import re
from collections.abc import Iterable

NAME_RULE = (
    "a name has 1 to 64 letters, digits, dots, dashes and underscores, "
    "begins with a letter or digit, and has no two dots in a row"
)
_NAME = re.compile(r"(?!.*[.][.])[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def is_name(text: str) -> bool:
    """Tell whether a text may name an agent or a project."""
    return _NAME.fullmatch(text) is not None


def near_names(text: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Find the known names that the writer of `text` most likely meant, best first."""
    from difflib import get_close_matches

    by_fold: dict[str, str] = {}
    for name in known:
        by_fold.setdefault(_fold(name), name)
    wanted = _fold(text[:100])
    near = get_close_matches(wanted, by_fold, n=limit, cutoff=0.6)
    return [by_fold[fold] for fold in near]


def did_you_mean(text: str, known: Iterable[str]) -> str | None:
    """Phrase the nearest names as a hint, or None when nothing is near."""
    near = [f'"{name}"' for name in near_names(text, known)]
    if not near:
        return None
    return "did you mean " + " or ".join(near) + "?"


def _fold(text: str) -> str:
    return text.casefold().replace("-", "_").replace(" ", "_")
