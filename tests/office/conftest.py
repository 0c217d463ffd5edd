"""What every story of the office begins with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from office.worlds import Scene, scene_in


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "home") as made:
        yield made


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One office for many examples, with two letters in it."""
    with scene_in(tmp_path_factory.mktemp("office") / "home") as made:
        made.send(text="for codex")
        made.send(to="gemini", text="for gemini alone")
        yield made
