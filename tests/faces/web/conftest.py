"""A running server with a story in it, and browsers that are logged in."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from faces.clients import Served, served
from faces.web import story, work
from waypost.faces.web.passes import Passes
from waypost.office import Office, open_office


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server with the story, for all the tests of a file."""
    home = tmp_path_factory.mktemp("town") / "home"
    with open_office(home) as office:
        story.tell(office)
    with served(home) as server:
        yield server


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, work.Work]]:
    """A server with more in it, all of which happened before it ran: it has nothing to carry."""
    home = tmp_path_factory.mktemp("busy") / "home"
    with open_office(home) as office:
        story.tell(office)
        told = work.tell(office)
    with served(home) as server:
        yield server, told


@pytest.fixture(scope="module")
def office(town: Served) -> Iterator[Office]:
    """The same office through another door."""
    with open_office(town.home) as opened:
        yield opened


@pytest.fixture
def dana(town: Served) -> Iterator[httpx.Client]:
    """A person's browser, as far as it needs no scripts."""
    with httpx.Client(base_url=town.url, follow_redirects=True, timeout=30) as client:
        assert client.get("/enter/" + link(town.home)).status_code == 200
        yield client


def link(home: Path, person: str = "dana") -> str:
    """What `waypost open` would print the end of."""
    return Passes(str(home)).link(person, story.PROJECT)
