"""What the journeys begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from journeys.office_town import Town, town_in


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_in(tmp_path) as made:
        yield made
