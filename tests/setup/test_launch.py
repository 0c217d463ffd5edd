"""The words that start us tomorrow, too."""

from pathlib import Path

import pytest

from waypost.errors import NotFoundError, UsageError
from waypost.setup.launch import find_launch


def program(folder: Path) -> str:
    """Put a program `waypost` beside a Python; gives the Python."""
    folder.mkdir(parents=True)
    (folder / "waypost").write_text("#!/bin/sh\n")
    (folder / "waypost").chmod(0o755)
    return str(folder / "python")


def test_a_lasting_folder_of_the_path_gives_the_bare_name(tmp_path: Path) -> None:
    program(tmp_path / "bin")
    python = program(tmp_path / "venv")
    found = find_launch({"PATH": f"{tmp_path}/venv:{tmp_path}/bin"}, python)
    assert found == ("waypost", True)


def test_an_activated_environment_doesn_t_last(tmp_path: Path) -> None:
    python = program(tmp_path / "venv")
    found = find_launch({"PATH": f"{tmp_path}/venv:/nowhere"}, python)
    assert found == (str(tmp_path / "venv" / "waypost"), False)


def test_a_cache_is_refused(tmp_path: Path) -> None:
    python = program(tmp_path / "uv" / "archive-v0" / "x" / "bin")
    with pytest.raises(UsageError) as told:
        find_launch({"PATH": "/nowhere"}, python)
    assert "uv tool install" in str(told.value.hint)


def test_without_a_program_there_is_nothing_to_name(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        find_launch({"PATH": ""}, str(tmp_path / "python"))
