"""What can go wrong, in one place: the problems of a message, and the errors of a call.

A *problem* is one thing that is wrong inside a message: where, which kind, a sentence, a hint.
An *error* ends a call. Every error carries the one form that all doors print:

    WaypostError                    code              whose fault        exit
    ├── UsageError                  usage             the caller's       2
    ├── NotFoundError               not_found         the caller's       3
    │   └── UnknownRecipientError   unknown_recipient the caller's       3
    ├── ConflictError               conflict          the caller's       1
    │   └── AlreadyThereError       conflict          the caller's       3
    ├── InvalidMessageError         invalid_format    the writer's       5
    │   ├── UnknownTypeError        unknown_type      the writer's       5
    │   ├── VersionMismatchError    version_mismatch  the writer's       5
    │   ├── TooLargeError           too_large         the writer's       5
    │   └── SecretDetectedError     secret_detected   the writer's       5
    ├── UnreadableError             unreadable        the world's        1
    ├── KeyFileError                bad_key           the owner's        4
    └── LinkError                   link              the network's      6
        ├── UnreachableError        unreachable       the network's      6
        ├── NotTrustedError         not_trusted       either end's       4
        ├── TimedOutError           timeout           the peer's         6
        ├── LostError               lost              the network's      6
        └── BusyError               busy              the load's         6

This file knows nothing of dialects, files or terminals.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import ClassVar, NamedTuple

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


def _escaped(character: str) -> str:
    number = ord(character)
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(number)
    return short or (f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}")


class WaypostError(Exception):
    """A call ended in a failure that its caller can understand and mend."""

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        details: str,
        *,
        hint: str | None = None,
        retryable: bool | None = None,
        problems: Iterable[Problem] = (),
        message_id: str | None = None,
    ) -> None:
        self.details = visible(details)
        super().__init__(self.details)
        self.hint = hint
        self.retryable = retryable
        self.problems = tuple(problems)
        self.message_id = message_id

    def to_json(self) -> dict[str, object]:
        """The one error form, with only what there is to say."""
        shown: dict[str, object] = {"error": self.code, "details": self.details}
        for key in ("hint", "retryable", "message_id"):
            if (value := getattr(self, key)) is not None:
                shown[key] = value
        if self.problems:
            shown["problems"] = [problem.to_json() for problem in self.problems]
        return shown


class UsageError(WaypostError):
    """The command or call was put together wrongly."""

    code = "usage"
    exit_code = 2


class NotFoundError(WaypostError):
    """What was asked for isn't there."""

    code = "not_found"
    exit_code = 3


class UnknownRecipientError(NotFoundError):
    """Nobody of that name has a mailbox."""

    code = "unknown_recipient"


class ConflictError(WaypostError):
    """Something else stands where this should go."""

    code = "conflict"


class AlreadyThereError(ConflictError):
    """What should be made is there already."""

    exit_code = 3


class InvalidMessageError(WaypostError):
    """The message breaks the rules of its dialect; `problems` lists every way in which it does."""

    code = "invalid_format"
    exit_code = 5


class UnknownTypeError(InvalidMessageError):
    """No dialect, or not this one, has a message type of that name."""

    code = "unknown_type"


class VersionMismatchError(InvalidMessageError):
    """The message is written in a version of its dialect that isn't spoken here."""

    code = "version_mismatch"


class TooLargeError(InvalidMessageError):
    """The message is longer than any may be."""

    code = "too_large"


class SecretDetectedError(InvalidMessageError):
    """The message would carry a key, token or password to others."""

    code = "secret_detected"


class UnreadableError(WaypostError):
    """The operating system did not let us read or write something."""

    code = "unreadable"


class KeyFileError(WaypostError):
    """A key of ours can't be used as it lies there: others could read it, or it is damaged."""

    code = "bad_key"
    exit_code = 4


class LinkError(WaypostError):
    """A live peer could not be reached, or not to the end."""

    code = "link"
    exit_code = 6


class UnreachableError(LinkError):
    """Nobody answers at the peer's address."""

    code = "unreachable"


class NotTrustedError(LinkError):
    """One of the two ends doesn't know the other's key."""

    code = "not_trusted"
    exit_code = 4


class TimedOutError(LinkError):
    """The answer did not come within the deadline."""

    code = "timeout"


class LostError(LinkError):
    """The link broke, or the exchange was cut off, before the answer was there."""

    code = "lost"


class BusyError(LinkError):
    """There is as much under way on this link as it may carry; a little later it can be less."""

    code = "busy"
