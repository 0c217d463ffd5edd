"""The campaign of the cluster in its short form: three servers, three nodes, one round a fault."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import cluster
from stream_servers import Servers


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    made = Servers(tmp_path_factory.mktemp("servers"), 3)
    yield made
    made.close()


@pytest.mark.parametrize("fault", ["the leader killed", "a node killed"])
def test_whatever_dies_what_was_acknowledged_is_on_every_node_once(
    three: Servers, tmp_path: Path, fault: str
) -> None:
    stored, wrong = cluster.play(tmp_path, three, fault, writers=4, letters=10)
    assert wrong == []
    assert stored >= 80
