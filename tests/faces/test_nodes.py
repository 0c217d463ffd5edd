"""`waypost mcp` over the home of a node: it follows the shared journal as a server does."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from faces.clients import over_streams, served, story
from stream_servers import Servers


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    made = Servers(tmp_path_factory.mktemp("servers"), 1)
    yield made
    made.close()


def node(home: Path, address: str) -> Path:
    """The home of a node whose settings name the journal."""
    home.mkdir()
    (home / "config.toml").write_text(f'[office]\njournal = "{address}"\n')
    return home


def test_a_letter_from_another_node_wakes_and_is_pushed(journal: Servers, tmp_path: Path) -> None:
    address = journal.address()
    here, there = (node(tmp_path / name, address) for name in ("here", "there"))
    with served(here):  # beside which the program follows the journal itself
        across(here, there)


@story
async def across(here: Path, there: Path) -> None:
    async with over_streams(here, "dev") as dev, over_streams(there, "lead") as lead:
        async with dev.client.listen(resource_subscriptions=["mail://inbox"]) as news:
            waiting = asyncio.create_task(dev.do("wait_for_mail", seconds=600))
            sent = await lead.do("send_message", to=["dev"], text="Over there?")
            assert (await waiting)["letters"][0]["id"] == sent["id"]
            assert getattr(await anext(aiter(news)), "uri", None) == "mail://inbox"
        await dev.do("reserve_files", patterns=["src/**"])
        refused = await lead.refused("reserve_files", patterns=["src/a.py"])
        assert refused["conflicts"][0]["holder"] == "dev"
