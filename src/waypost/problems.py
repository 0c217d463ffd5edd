"""One thing that is wrong inside a message; how values are shown inside sentences. Pure."""

from functools import lru_cache
from typing import NamedTuple

ERROR = "error"
WARNING = "warning"

At = tuple[str | int, ...]
_LONGEST_PATH = 500


class Problem(NamedTuple):
    """One thing wrong with a message: `path` says where, `code` what, `hint` how to mend it."""

    at: At
    code: str
    message: str
    hint: str | None = None
    severity: str = ERROR
    line: int | None = None
    column: int | None = None

    @property
    def path(self) -> str:
        """The place as dotted text, list items by number; "" is the whole message."""
        return dotted(self.at)

    @property
    def is_error(self) -> bool:
        return self.severity == ERROR

    def to_json(self) -> dict[str, object]:
        """The problem as every door prints it; what isn't known is left out."""
        shown: dict[str, object] = {
            "severity": self.severity,
            "path": self.path,
            "code": self.code,
            "message": self.message,
        }
        for key in ("hint", "line", "column"):
            if (value := getattr(self, key)) is not None:
                shown[key] = value
        return shown


def dotted(at: At) -> str:
    """Write a place as a dotted path; a key that would read as several steps is quoted."""
    path = _dotted(at[:-1]) + _step(at[-1]) if at else ""
    return path if len(path) <= _LONGEST_PATH else path[: _LONGEST_PATH - 1] + "…"


@lru_cache(maxsize=16)
def _dotted(at: At) -> str:
    return "".join(_step(part) + "." for part in at)


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return str(part)
    plain = 0 < len(part) <= 200 and "." not in part and '"' not in part and part.isprintable()
    return part if plain else quoted(part, 200)


def quoted(value: object, limit: int = 60) -> str:
    """Show a value inside a sentence: short, on one line, with nothing a terminal would obey."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return '"' + visible(text).replace('"', '\\"') + '"'


def visible(text: str, keep: str = "") -> str:
    """Replace every character that a terminal or page would obey rather than show."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _escaped(c) for c in text)


def words_of(error: Exception) -> str:
    """What the system or a library says of a failure, as it stands inside a sentence."""
    said = (getattr(error, "strerror", None) or "").lower()  # "No such file or directory"
    return visible(said or str(error) or type(error).__name__)


def _escaped(character: str) -> str:
    number = ord(character)
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(number)
    return short or (f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}")
