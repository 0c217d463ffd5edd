"""What comes from outside is checked here once: length, form, range."""

from collections.abc import Sequence

from waypost.dialects.secrets import find_secrets
from waypost.errors import SecretDetectedError, TooLargeError, UsageError

LONGEST_LINE = 200
LONGEST_TEXT = 16 * 1024
MOST_RECIPIENTS = 1000


def one_line(text: str | None, what: str, longest: int = LONGEST_LINE) -> str | None:
    """A text of one visible line, or None. Raises UsageError."""
    if text is None:
        return None
    if not text.strip() or not text.isprintable() or len(text) > longest:
        raise UsageError(f"{what} must be one line of 1 to {longest} characters")
    return text


def free_text(text: str | None, what: str, longest: int = LONGEST_TEXT) -> str:
    """A text of any form and bounded length that others will read.

    Raises UsageError, TooLargeError, SecretDetectedError.
    """
    if text is None:
        return ""
    if len(text) > longest:
        raise TooLargeError(f"{what} is longer than {longest:,} characters")
    if found := next(find_secrets(text), None):
        raise SecretDetectedError(f"{what} seems to hold {found.what}", hint="take it out")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"{what} holds half of a character") from error
    return text


def required_text(text: str | None, what: str, longest: int = LONGEST_TEXT) -> str:
    """A text that says something. Raises UsageError, TooLargeError, SecretDetectedError."""
    given = free_text(text, what, longest)
    if not given.strip():
        raise UsageError(f"{what} must say something")
    return given


def within(number: int, what: str, least: int, most: int) -> int:
    """A whole number in its range. Raises UsageError."""
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise UsageError(f"{what} must be a whole number from {least:,} to {most:,}")
    return number


def is_number(text: str) -> bool:
    """Whether a text from outside is a whole number that the database can hold."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def minutes(number: int | None, what: str, most: int = 366 * 24 * 60) -> int | None:
    """A length of time in minutes, or None. Raises UsageError."""
    return None if number is None else within(number, what, 1, most)


def names_of(to: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several as a bounded row of names. Raises UsageError."""
    names = (to,) if isinstance(to, str) else tuple(to)
    if len(names) > MOST_RECIPIENTS:
        raise UsageError(f"a letter goes to at most {MOST_RECIPIENTS:,} recipients at once")
    if not all(isinstance(name, str) for name in names):
        raise UsageError("recipients are named by text")
    return names
