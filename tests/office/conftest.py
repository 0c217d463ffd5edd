"""What every story of the office begins with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from office.worlds import Scene, scene_in


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "home") as made:
        yield made
