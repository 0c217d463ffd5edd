"""What a request asks for: a query or a form as text, bounded, the first of each name."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request

from waypost.errors import TooLargeError, UsageError
from waypost.faces.api import whole_body
from waypost.faces.doorkeeper import LARGEST_BODY
from waypost.faces.web.multipart import KIND, MOST_PARTS, Upload, taken_apart

Fields = Mapping[str, list[str]]


class Query:
    """Named texts that somebody gave, and the files that came with them."""

    def __init__(
        self, fields: Fields, files: Sequence[Upload] = (), *, is_cut: bool = False
    ) -> None:
        self.fields = fields
        self.files = files
        self._is_cut = is_cut

    def get(self, name: str) -> str:
        """A text without what stands around it; empty when it wasn't given."""
        return self.fields.get(name, [""])[0].strip()

    def typed(self, name: str) -> str:
        """A text just as it was typed, with lines that end as ours do."""
        return self.fields.get(name, [""])[0].replace("\r\n", "\n")

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

    def attachments(self) -> list[dict[str, Any]]:
        """The files, as a letter's arguments name them. Raises TooLargeError."""
        if self._is_cut:
            raise TooLargeError(
                f"the files have more than {LARGEST_BODY >> 20} MiB together",
                hint="send some of them in a letter of their own",
            )
        return [{"name": one.name, "data": bytes(one.content)} for one in self.files]

    def cursor(self) -> str | None:
        """Where the page begins."""
        return self.get("after") or None


def query_of(request: Request) -> Query:
    """The query of an address."""
    return Query(_parsed(request.url.query))


async def form_of(request: Request) -> Query:
    """The form that was sent. Raises UsageError, TooLargeError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == KIND:
        form = await taken_apart(request)
        return Query(form.fields, form.files, is_cut=form.is_cut)
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("a form was expected")
    try:
        return Query(_parsed((await whole_body(request)).decode("ascii")))
    except UnicodeDecodeError as error:
        raise UsageError("the form isn't encoded as forms are") from error


def _parsed(text: str) -> Fields:
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=MOST_PARTS, errors="strict")
    except ValueError as error:  # too many fields, or bytes that are no UTF-8
        raise UsageError("the form holds too much, or isn't UTF-8") from error
