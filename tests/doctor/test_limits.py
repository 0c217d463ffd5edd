"""The system's limits on watching folders are told before they are met."""

import sys
from pathlib import Path

import pytest

from waypost.doctor import watching

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


def limits(folder: Path, watches: str) -> str:
    """A folder as the system shows its limits."""
    (folder / "max_user_watches").write_text(watches)
    return str(folder)


def test_more_folders_than_may_be_watched_are_a_finding(tmp_path: Path) -> None:
    (found,) = watching.check(300, limits(tmp_path, "299\n"))
    assert "299" in found.message
    assert "max_user_watches=" in found.hint


@pytest.mark.parametrize("told", ["300\n", "", "many"])
def test_enough_or_unknown_is_none(tmp_path: Path, told: str) -> None:
    assert list(watching.check(300, limits(tmp_path, told))) == []
