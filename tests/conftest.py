"""Offices for stories, and how much property tests try: little in a normal run, much if asked.

`HYPOTHESIS_PROFILE=deep` tries twenty times as many examples. Where CI is set, every run tries
the same ones.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

if TYPE_CHECKING:
    from office_scene import Scene
    from office_town import Town
    from stream_servers import Servers

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile(
    "quick",
    deadline=None,
    max_examples=30,
    derandomize="CI" in os.environ,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=_SLOW_IS_FINE,
)
settings.register_profile("deep", settings.get_profile("quick"), max_examples=600)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Servers]":
    """One server of streams, for all journals of a run."""
    from stream_servers import Servers

    made = Servers(tmp_path_factory.mktemp("servers"), 1)
    yield made
    made.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every story of the office itself is told over both engines of its journal."""
    if "journal" in metafunc.fixturenames and metafunc.definition.path.parent.name == "office":
        metafunc.parametrize("journal", ["sqlite", "jetstream"], indirect=True)


@pytest.fixture
def journal(request: pytest.FixtureRequest) -> str | None:
    """Where a scene has its journal: in its home, or on a server."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return None
    address: str = request.getfixturevalue("servers").address()
    return address


@pytest.fixture
def scene(tmp_path: Path, journal: str | None) -> "Iterator[Scene]":
    """An office with a few agents in it."""
    from office_scene import scene_in

    with scene_in(tmp_path / "home", journal) as made:
        yield made


@pytest.fixture
def embedded_scene(tmp_path: Path) -> "Iterator[Scene]":
    """One over the journal of one machine, for what only that one promises."""
    from office_scene import scene_in

    with scene_in(tmp_path / "embedded") as made:
        yield made


@pytest.fixture(scope="module")
def shared_scene(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Scene]":
    """One office for many examples, with two letters in it."""
    from office_scene import scene_in

    with scene_in(tmp_path_factory.mktemp("office") / "home") as made:
        made.send(text="for codex")
        made.send(to="gemini", text="for gemini alone")
        yield made


@pytest.fixture
def town(tmp_path: Path) -> "Iterator[Town]":
    """A town with an office, whose server isn't started yet."""
    from office_town import town_in

    with town_in(tmp_path) as made:
        yield made
