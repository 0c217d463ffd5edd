"""Files are read whole and bounded, and nothing that isn't one is waited for."""

import os
import threading
from pathlib import Path

import pytest

from waypost.carriers.folders.reading import read_file
from waypost.dialects.text import MAX_BYTES
from waypost.errors import Problem


def code_of(path: Path | str) -> str:
    told = read_file(str(path))
    assert isinstance(told, Problem)
    return told.code


def test_a_file_is_read_to_its_last_byte(tmp_path: Path) -> None:
    for data in (b"", b"\x00\xff\r\n", b"x" * MAX_BYTES):
        (tmp_path / "a.yaml").write_bytes(data)
        assert read_file(str(tmp_path / "a.yaml")) == data


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"x" * (MAX_BYTES + 1))
    assert code_of(tmp_path / "a.yaml") == "too_large"


def test_a_file_that_claims_to_be_endless_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.yaml"
    path.touch()
    os.truncate(path, 1 << 40)
    assert code_of(path) == "too_large"


def test_what_is_no_file_is_said_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.yaml").mkdir()
    assert [code_of(tmp_path / name) for name in ("pipe.yaml", "folder.yaml")] == ["not_a_file"] * 2
    assert code_of("/dev/zero") == "not_a_file"


def test_what_is_not_there_is_told_from_what_cannot_be_read(tmp_path: Path) -> None:
    os.symlink("nowhere", tmp_path / "dangling.yaml")
    os.symlink("round.yaml", tmp_path / "round.yaml")
    (tmp_path / "file").write_text("")
    assert code_of(tmp_path / "dangling.yaml") == "not_found"
    assert code_of(tmp_path / "round.yaml") == "unreadable"
    assert code_of(tmp_path / "file" / "below.yaml") == "unreadable"


@pytest.mark.parametrize("size", [10, 100_000, MAX_BYTES + 5])
def test_a_stream_is_read_to_its_end_or_the_limit(size: int) -> None:
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb", buffering=0) as pipe:
            try:
                pipe.write(b"x" * size)
            except BrokenPipeError:
                return

    writer = threading.Thread(target=write)
    writer.start()
    told = read_file(f"/dev/fd/{reading}")
    os.close(reading)
    writer.join()
    assert told == b"x" * size if size <= MAX_BYTES else code_is(told, "too_large")


def code_is(told: bytes | Problem, code: str) -> bool:
    return isinstance(told, Problem) and told.code == code
