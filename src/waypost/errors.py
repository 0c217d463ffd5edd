"""What can go wrong, in one place: the problems of a message, and the errors of a call.

A *problem* is one thing that is wrong inside a message: where, which kind, a sentence, a hint.
An *error* ends a call. Every error carries the one form that all doors print:

    WaypostError                    code              whose fault        exit
    ├── UsageError                  usage             the caller's       2
    ├── NotFoundError               not_found         the caller's       3
    │   └── UnknownRecipientError   unknown_recipient the caller's       3
    ├── ConflictError               conflict          the caller's       1
    │   ├── AlreadyThereError       conflict          the caller's       3
    │   └── FilesHeldError          conflict          the holder's       7
    ├── NotAllowedError             not_authorized    the caller's       4
    ├── OfficeBusyError             busy              the load's         1
    ├── InvalidMessageError         invalid_format    the writer's       5
    │   ├── UnknownTypeError        unknown_type      the writer's       5
    │   ├── VersionMismatchError    version_mismatch  the writer's       5
    │   ├── TooLargeError           too_large         the writer's       5
    │   └── SecretDetectedError     secret_detected   the writer's       5
    ├── NoTranslationError          no_translation    the caller's       5
    ├── UnreadableError             unreadable        the world's        1
    ├── KeyFileError                bad_key           the owner's        4
    ├── LinkError                   link              the network's      6
    │   ├── UnreachableError        unreachable       the network's      6
    │   ├── NotTrustedError         not_trusted       either end's       4
    │   ├── TimedOutError           timeout           the peer's         6
    │   ├── LostError               lost              the network's      6
    │   └── BusyError               busy              the load's         6
    └── PeerError                   peer_error        the peer's         1
        ├── RefusedError            refused           the peer's choice  6
        ├── OverloadedError         overloaded        the load's         6
        ├── NotAuthorizedError      not_authorized    the caller's       4
        ├── UnknownDomainError      unknown_domain    the caller's       3
        ├── PeerNotFoundError       peer_not_found    the caller's       3
        ├── TaskCancelledError      cancelled         the caller's wish  6
        └── PeerFailedError         internal          the peer's         1

This file knows nothing of dialects, files or terminals.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

from waypost.problems import ERROR as ERROR
from waypost.problems import WARNING as WARNING
from waypost.problems import At as At
from waypost.problems import Problem as Problem
from waypost.problems import dotted as dotted
from waypost.problems import quoted as quoted
from waypost.problems import visible as visible
from waypost.problems import words_of as words_of


class WaypostError(Exception):
    """A call ended in a failure that its caller can understand and mend."""

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1
    shown: ClassVar[tuple[str, ...]] = ("hint", "retryable", "message_id")

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
        told = ((key, getattr(self, key)) for key in self.shown)
        shown.update((key, value) for key, value in told if value not in (None, []))
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


class FilesHeldError(ConflictError):
    """Another agent holds files that the caller wants; says who, which, how long and why.

    `alternatives` are what can be had instead, each a pattern, a mode and a note.
    """

    exit_code = 7
    shown = (*WaypostError.shown, "conflicts", "alternatives")

    def __init__(
        self,
        details: str,
        *,
        conflicts: Iterable[dict[str, object]] = (),
        alternatives: Iterable[dict[str, object]] = (),
        **more: Any,
    ) -> None:
        super().__init__(details, **more)
        self.conflicts = list(conflicts)
        self.alternatives = list(alternatives)


class NotAllowedError(WaypostError):
    """The caller didn't prove who it is, or may not do this."""

    code = "not_authorized"
    exit_code = 4


class OfficeBusyError(WaypostError):
    """The office is locked by another process, or too much wants to change the same thing."""

    code = "busy"


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


class NoTranslationError(WaypostError):
    """The message doesn't become a letter in that dialect, or not one of the type asked for."""

    code = "no_translation"
    exit_code = 5


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


class PeerError(WaypostError):
    """A live peer answered with an error, or with what is no answer."""

    code = "peer_error"


class RefusedError(PeerError):
    """The peer doesn't do what it was asked. A handler raises it to refuse."""

    code = "refused"
    exit_code = 6

    def __init__(
        self, details: str, *, wire_code: str = "refused", retryable: bool = False, **more: Any
    ) -> None:
        super().__init__(details, retryable=retryable, **more)
        self.wire_code = wire_code


class OverloadedError(PeerError):
    """The peer has as much to do as it can."""

    code = "overloaded"
    exit_code = 6


class NotAuthorizedError(PeerError):
    """The peer doesn't let us ask for this."""

    code = "not_authorized"
    exit_code = 4


class UnknownDomainError(PeerError):
    """The peer handles other fields of knowledge than the one asked for."""

    code = "unknown_domain"
    exit_code = 3


class PeerNotFoundError(PeerError):
    """The peer knows nobody of the name that was meant."""

    code = "peer_not_found"
    exit_code = 3


class TaskCancelledError(PeerError):
    """The task was called off before it was done."""

    code = "cancelled"
    exit_code = 6


class PeerFailedError(PeerError):
    """Something broke at the peer while it answered."""

    code = "internal"
