"""What the stories of the doors begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from faces.clients import Served, served
from waypost.office import Office, open_office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with open_office(tmp_path / "home") as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One running server for the stories of a file; each takes agents and projects of its own."""
    with served(tmp_path_factory.mktemp("served") / "home") as running:
        yield running
