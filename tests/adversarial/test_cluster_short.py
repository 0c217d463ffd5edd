"""The campaign of the cluster in its short form: three servers, three nodes, one round a fault."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import cluster, office_audit
from office_scene import refusal
from stream_servers import Servers, stream_of
from waypost.office.callers import Caller
from waypost.office.calls import call
from waypost.office.office import open_office


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


def test_without_a_majority_writing_ends_in_time_reading_is_marked_and_all_goes_on(
    three: Servers, tmp_path: Path
) -> None:
    address = three.address()
    me = Caller("claude", "shop")
    with open_office(tmp_path / "home", journal=address, patience=3) as office:
        office.register(me)
        leader = three.leader(stream_of(address))
        for number in {0, 1, 2} - {leader}:
            three.signal(number, signal.SIGKILL)
        error = refusal(lambda: office.send(me, "claude", text="now", message_id="m-1"))
        assert (error["error"], error["retryable"]) == ("timeout", True)
        while "stale" not in call(office, "inbox", me, {}):
            office.wait(office.last(), 0.1)
        for number in {0, 1, 2} - {leader}:
            three.start(number)
        three.wait_until_ready()
    with open_office(tmp_path / "home", journal=address, patience=30) as office:
        office.send(me, "claude", text="now", message_id="m-1")
        assert "stale" not in call(office, "inbox", me, {})
    assert office_audit.wrong(tmp_path / "home", ["m-1"], journal=address) == []
