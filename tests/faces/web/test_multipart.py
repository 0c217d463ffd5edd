"""Forms with files are taken apart whole, bounded, and the same however they come."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from waypost.errors import TooLargeError, UsageError, WaypostError
from waypost.faces.web import multipart
from waypost.faces.web.multipart import Form, taken_apart

FIELD = b'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nhello\r\n'
END = b"--b--\r\n"
MIB = 1 << 20


def part(disposition: bytes, content: bytes = b"x") -> bytes:
    return b"--b\r\nContent-Disposition: " + disposition + b"\r\n\r\n" + content + b"\r\n"


def file(name: str, content: bytes = b"x") -> bytes:
    return part(f'form-data; name="files"; filename="{name}"'.encode(), content)


def take(chunks: Iterable[bytes], kind: bytes = b"multipart/form-data; boundary=b") -> Form:
    """What a request with these chunks as its body gives."""
    left = list(chunks)

    async def receive() -> dict[str, Any]:
        chunk = left.pop(0) if left else b""
        return {"type": "http.request", "body": chunk, "more_body": bool(left)}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", kind)]}
    return asyncio.run(taken_apart(Request(scope, receive)))


@given(st.integers(1, 60))
def test_a_form_is_the_same_in_pieces_of_any_size(size: int) -> None:
    content = b"one\r\n--not the end\r\n--\r\n\x00\xff"
    body = FIELD + file("päckchen.bin", content) + END
    form = take(body[at : at + size] for at in range(0, len(body), size))
    assert form.fields == {"text": ["hello"]}
    assert [(one.name, bytes(one.content)) for one in form.files] == [("päckchen.bin", content)]


def test_where_no_file_was_chosen_there_is_none() -> None:
    assert take([FIELD, file("", b""), END]).files == []
    (empty,) = take([FIELD, file("empty.txt", b""), END]).files
    assert (empty.name, empty.content) == ("empty.txt", b"")


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", r"C:\keys\passwd", r"..\passwd"]
)
def test_of_a_path_only_the_name_is_taken(path: str) -> None:
    (found,) = take([file(path), END]).files
    assert found.name == "passwd"


def test_of_a_file_that_is_too_large_little_more_than_the_limit_is_kept() -> None:
    form = take([FIELD, file("clip.mp4", bytes(30 * MIB)), END])
    assert form.fields == {"text": ["hello"]}
    assert [len(one.content) for one in form.files] == [8 * MIB + 1]
    assert not form.is_cut


def test_of_files_that_are_too_large_together_no_more_than_the_limit_is_kept() -> None:
    form = take([FIELD, *(file(f"{number}.bin", bytes(7 * MIB)) for number in range(30)), END])
    assert form.is_cut
    assert sum(len(one.content) for one in form.files) + len("hello") == 12 * MIB


@pytest.mark.parametrize(
    "chunks",
    [
        [part(b'form-data; name="text"', bytes(MIB + 1)), END],
        [*[part(b'form-data; name="text"', bytes(MIB))] * 13, END],
        [file("0.bin", bytes(7 * MIB)), file("1.bin", bytes(7 * MIB)), FIELD, END],
    ],
    ids=["a field", "all fields", "a field behind files"],
)
def test_a_text_is_never_cut_but_refused(chunks: list[bytes]) -> None:
    with pytest.raises(TooLargeError):
        take(chunks)


def test_what_nobody_would_wait_for_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multipart, "LONGEST_READ", 3 * MIB)
    with pytest.raises(TooLargeError):
        take([file("long.bin", bytes(MIB))] * 100)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"--b", END[:-4], FIELD, FIELD + file("cut.bin")[:-4], b"--c\r\n\r\n--c--\r\n",
        part(b"form-data") + END, part(b'attachment; name="a"') + END, b"--b\r\n\r\nx\r\n" + END,
        part(b'form-data; name="a"; filename="' + b"n" * 9000 + b'"') + END,
        part(b'form-data; name="\xff"') + END, part(b'form-data; name="text"', b"\xff") + END,
        FIELD * 301 + END, b"--b\r\n" + b"X: y\r\n" * 100 + b"\r\nx\r\n" + END,
        b"--b\r\nBad Header: x\r\n\r\nx\r\n" + END,
    ],
)  # fmt: skip
def test_what_is_no_form_is_refused_in_words(body: bytes) -> None:
    with pytest.raises(UsageError, match="form"):
        take([body])


@pytest.mark.parametrize("boundary", [b"", b"; boundary=", b"; boundary=" + b"b" * 999])
def test_a_form_without_a_good_boundary_is_refused(boundary: bytes) -> None:
    with pytest.raises(UsageError):
        take([FIELD, END], b"multipart/form-data" + boundary)


_PIECES = st.sampled_from(
    [FIELD, END, b"--b", b"\r\n", b"--", b"\r\n\r\n", b'Content-Disposition: form-data; name="a"',
     b'; filename="', b'"', b"\\", b"\xff", b"\x00", b";", b"=", b": ", b"text"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=30))
def test_any_bytes_are_a_form_or_refused(chunks: list[bytes]) -> None:
    try:
        form = take(chunks)
    except WaypostError:
        return
    assert all(isinstance(text, str) for texts in form.fields.values() for text in texts)
