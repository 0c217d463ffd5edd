"""What a page is before it is written: its template and what is shown in it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from waypost.faces.web.query import Query
from waypost.office import Office
from waypost.office.callers import Caller


class Page(NamedTuple):
    """A template, the title of the page, and what it shows."""

    template: str
    title: str
    data: Mapping[str, Any]
    status: int = 200


class File(NamedTuple):
    """Bytes that a browser is to save, and under which name."""

    name: str
    data: bytes


Show = Callable[[Office, Caller, Query], "Page | File"]
Deed = Callable[[Office, Caller, Query], "Page | str"]  # a page, or where to go now
