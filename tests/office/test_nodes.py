"""The nodes of one journal: who is there, and that one at most carries for those who aren't."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stream_servers import Servers
from waypost.errors import NotFoundError
from waypost.office.callers import Caller
from waypost.office.journal.company import Company
from waypost.office.office import Office, open_office

_PATIENCE = 60.0
ADA = Caller("ada", "my-app")


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came so far"
        threading.Event().wait(0.02)


def company(office: Office) -> Company:
    return office.desk.journal.company


def join(office: Office) -> None:
    company(office).join(lambda: {"tree": "one"}, lambda: None)


@pytest.fixture
def offices(servers: Servers, tmp_path: Path) -> Iterator[list[Office]]:
    """Four homes of one new office."""
    address = servers.address()
    with ExitStack() as stack:
        yield [
            stack.enter_context(open_office(tmp_path / name, journal=address, node=name))
            for name in ("n0", "n1", "n2", "n3")
        ]


def test_of_nodes_that_race_one_holds_the_lease(offices: list[Office]) -> None:
    begin = threading.Barrier(len(offices))

    def race(office: Office) -> None:
        begin.wait()
        join(office)

    threads = [threading.Thread(target=race, args=(office,)) for office in offices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    def holders() -> list[Office]:
        return [office for office in offices if company(office).carries(None)]

    until(holders)
    left = list(offices)
    while left:  # each that leaves is followed by one of the others, and by one only
        until(holders)
        (holder,) = holders()
        assert sum(one.carries_rest for one in company(holder).standing().nodes) == 1
        company(holder).leave()
        assert not company(holder).carries(None)
        assert not company(holder).carries(company(holder).me)
        left.remove(holder)
        until(lambda: holders() or not left)


def test_who_lives_at_a_node_that_is_there_is_carried_for_by_it_alone(
    offices: list[Office],
) -> None:
    first, second = map(company, offices[:2])
    join(offices[0])
    until(lambda: first.carries(None))
    join(offices[1])
    until(lambda: second.carries("n1"))
    assert not first.carries("n1")
    assert not second.carries("n0")
    assert not second.carries(None)
    assert first.carries("nobody")
    assert first.shares_folders("n1")
    assert not first.shares_folders("n3")


def test_a_mailbox_in_a_folder_lives_where_it_was_made_until_it_moves(
    offices: list[Office],
) -> None:
    here, there = offices[:2]
    join(there)
    here.register(ADA, carrier="folder")
    here.register(ADA._replace(agent="bob"))
    assert [one.node for one in here.agents(ADA)][1:] == ["n0", None]
    there.wait(0, _PATIENCE)
    until(lambda: there.last() == here.last())
    there.register(ADA, carrier="folder", description="Again.")
    assert there.agents(ADA)[1].node == "n0"
    with pytest.raises(NotFoundError):
        there.move(ADA, "ada", "elsewhere")
    there.move(ADA, "ada", "n1")
    assert there.cluster(ADA).to_json()["agents"][0]["node"] == "n1"


def test_a_home_keeps_the_name_that_it_was_given(servers: Servers, tmp_path: Path) -> None:
    address = servers.address()
    names = []
    for node in (None, None, "east", None):
        with open_office(tmp_path / "home", journal=address, node=node) as office:
            names.append(company(office).me)
    assert names[0] == names[1]
    assert names[2:] == ["east", "east"]


def test_an_office_of_one_machine_is_one_node(tmp_path: Path) -> None:
    with open_office(tmp_path / "home") as office:
        office.register(ADA, carrier="folder")
        assert (company(office).me, company(office).carries("anyone")) == (None, True)
        assert office.cluster(ADA).to_json() == {
            "node": None, "nodes": [], "servers": [], "agents": [],
        }  # fmt: skip
