"""What a request asks for: a query or a form as text, bounded, the first of each name."""

from collections.abc import Mapping
from urllib.parse import parse_qs

from starlette.requests import Request

from waypost.errors import UsageError
from waypost.faces.api import whole_body

LONGEST_FIELD = 1 << 20
_MOST_FIELDS = 300
Fields = Mapping[str, list[str]]


class Query:
    """Named texts that somebody gave."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields

    def get(self, name: str) -> str:
        """A text without what stands around it; empty when it wasn't given."""
        return self.fields.get(name, [""])[0].strip()

    def all(self, name: str) -> list[str]:
        """Every text of a name that says something."""
        return [text.strip() for text in self.fields.get(name, ()) if text.strip()]

    def has(self, name: str) -> bool:
        """Whether a box is ticked."""
        return bool(self.get(name))

    def number(self, name: str, usual: int, most: int) -> int:
        """A whole number from 1 to `most`. Raises UsageError."""
        text = self.get(name)
        if not text:
            return usual
        if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
            raise UsageError(f"{name} must be a whole number from 1 to {most}")
        return int(text)

    def cursor(self) -> str | None:
        """Where the page begins."""
        return self.get("after") or None


def query_of(request: Request) -> Query:
    """The query of an address."""
    return Query(_parsed(request.url.query))


async def form_of(request: Request) -> Query:
    """The form that was sent. Raises UsageError, TooLargeError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("a form was expected")
    try:
        return Query(_parsed((await whole_body(request)).decode("ascii")))
    except UnicodeDecodeError as error:
        raise UsageError("the form isn't encoded as forms are") from error


def _parsed(text: str) -> Fields:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError as error:  # too many fields, or bytes that are no UTF-8
        raise UsageError("the form holds too much, or isn't UTF-8") from error
