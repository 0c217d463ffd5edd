"""A file is replaced as a whole, and only if it is still what was read."""

from pathlib import Path

import pytest

from waypost.errors import ConflictError, UsageError
from waypost.setup.disk import Disk


def test_a_change_by_somebody_else_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    disk = Disk(str(tmp_path))
    disk.read("a.json")
    (tmp_path / "a.json").write_text('{"new": 1}')
    with pytest.raises(ConflictError) as told:
        disk.write("a.json", "[]")
    assert told.value.retryable
    assert (tmp_path / "a.json").read_text() == '{"new": 1}'


def test_what_isn_t_text_is_refused_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{\n\xff}")
    with pytest.raises(UsageError, match="line 2"):
        Disk(str(tmp_path)).read("a.json")
