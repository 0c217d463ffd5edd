"""Every story of the office is told twice: over the journal of one machine, and over a stream."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from office_scene import Scene, scene_in
from stream_servers import Servers


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """One server, for all the streams of a run."""
    made = Servers(tmp_path_factory.mktemp("servers"), 1)
    yield made
    made.close()


@pytest.fixture
def embedded_scene(tmp_path: Path) -> Iterator[Scene]:
    """One over the journal of one machine alone, for what only that one promises."""
    with scene_in(tmp_path / "embedded") as made:
        yield made


@pytest.fixture(params=["sqlite", "jetstream"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """An office with a few agents in it."""
    journal = None
    if request.param == "jetstream":
        journal = request.getfixturevalue("servers").address()
    with scene_in(tmp_path / "home", journal) as made:
        yield made
