"""Forms with files: taken apart while they come, and no more of them kept than is taken elsewhere.

What a form holds beyond that is read and dropped, so that whoever sent it gets the form back, with
what was typed in it, instead of a broken connection.
"""

import logging
from typing import NamedTuple

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from waypost.errors import TooLargeError, UsageError
from waypost.faces.doorkeeper import LARGEST_BODY, too_large
from waypost.office.attachments import LARGEST

KIND = "multipart/form-data"
LONGEST_READ = 256 << 20
LONGEST_FIELD = 1 << 20
MOST_PARTS = 300
# What is wrong with a form is told to whoever sent it, and is no news for the log.
logging.getLogger("python_multipart").addHandler(logging.NullHandler())
_BROKEN = "the form isn't put together as forms are"


class Upload(NamedTuple):
    """A file that somebody chose; of one that is too large, as much as shows that it is."""

    name: str
    content: bytes | bytearray


class Form(NamedTuple):
    """What a form held. `is_cut`: its files have more together than one request may have."""

    fields: dict[str, list[str]]
    files: list[Upload]
    is_cut: bool


async def taken_apart(request: Request) -> Form:
    """A form with files. Raises UsageError, TooLargeError."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared[:12]) > LONGEST_READ:
        raise too_large()
    _, options = parse_options_header(request.headers.get("content-type"))
    read = 0
    try:
        parts = _Parts(options.get(b"boundary", b""))
        async for chunk in request.stream():
            read += len(chunk)
            if read > LONGEST_READ:
                raise too_large()
            parts.take(chunk)
    except FormParserError as error:
        raise UsageError(_BROKEN) from error
    except UnicodeDecodeError as error:
        raise UsageError("the form isn't UTF-8") from error
    return parts.form()


class _Parts:
    """The parts of a form, one after the other."""

    def __init__(self, boundary: bytes) -> None:
        """Raises UsageError, FormParserError."""
        if not boundary:
            raise UsageError(_BROKEN)
        self._form = Form({}, [], False)
        self._parts = 0
        self._kept = 0
        self._is_whole = False
        self._headers: dict[bytes, bytes] = {}
        self._header, self._said = b"", b""
        self._name, self._file = "", ""
        self._is_file = self._is_cut = False
        self._data = bytearray()
        self._parser = MultipartParser(boundary, {
            "on_part_begin": self._begin, "on_header_field": self._header_named,
            "on_header_value": self._header_told, "on_header_end": self._header_over,
            "on_headers_finished": self._know, "on_part_data": self._keep,
            "on_part_end": self._finish, "on_end": self._end,
        })  # fmt: skip

    def take(self, chunk: bytes) -> None:
        """Take what came next. Raises UsageError, TooLargeError, FormParserError, UnicodeError."""
        self._parser.write(chunk)

    def form(self) -> Form:
        """All that came. Raises UsageError when it isn't the whole."""
        if not self._is_whole:
            raise UsageError("the form ends too early", hint="send it again")
        return self._form._replace(is_cut=self._is_cut)

    def _begin(self) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise UsageError(f"the form has more than {MOST_PARTS} parts")
        self._headers, self._data = {}, bytearray()

    def _header_named(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _header_told(self, data: bytes, start: int, end: int) -> None:
        self._said += data[start:end]

    def _header_over(self) -> None:
        self._headers[self._header.lower()] = self._said
        self._header, self._said = b"", b""

    def _know(self) -> None:
        kind, options = parse_options_header(self._headers.get(b"content-disposition"))
        if kind != b"form-data" or b"name" not in options:
            raise UsageError(_BROKEN)
        self._name = options[b"name"].decode()
        self._is_file = b"filename" in options
        self._file = options.get(b"filename", b"").decode()

    def _keep(self, data: bytes, start: int, end: int) -> None:
        room = LARGEST + 1 - len(self._data) if self._is_file else LONGEST_FIELD - len(self._data)
        left = LARGEST_BODY - self._kept
        if not self._is_file and end - start > min(room, left):
            raise TooLargeError(f"a field of a form has at most {LONGEST_FIELD >> 20} MiB")
        kept = data[start : min(end, start + room)]
        if len(kept) > left:
            self._is_cut, kept = True, kept[:left]
        self._kept += len(kept)
        self._data += kept

    def _finish(self) -> None:
        if not self._is_file:
            self._form.fields.setdefault(self._name, []).append(self._data.decode())
        elif self._file or self._data:  # a browser sends a nameless nothing where none was chosen
            name = self._file.replace("\\", "/").rpartition("/")[2]
            self._form.files.append(Upload(name, self._data))

    def _end(self) -> None:
        self._is_whole = True
