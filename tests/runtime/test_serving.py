"""What a running office meets: a port that comes free late, a full folder, a stop in between."""

import signal
import socket

import pytest

from faces.clients import story
from office_town import Town, caller
from waypost.agent import Agent
from waypost.errors import ConflictError
from waypost.runtime.serving import Address, listening

MANY = 400


def test_a_stop_in_the_middle_of_a_full_folder_loses_nothing(town: Town) -> None:
    town.add("claude")
    town.add("codex", "folder")
    town.start()
    town.until(lambda: town.inbox("codex").is_dir())
    town.end(signal.SIGTERM)
    for number in range(MANY):
        town.drop("newcomer", "codex", subject=f"News {number}")
    town.start()
    town.until(lambda: town.office.last() > 10)
    assert town.end(signal.SIGTERM) == 0
    town.start()
    town.until(lambda: town.office.inbox(caller("codex"), limit=1).unread == MANY)
    assert f"waypost_letters_total {MANY}\n" in town.metrics()


@story
async def test_an_agent_that_got_a_key_comes_online_once_the_port_is_free(town: Town) -> None:
    town.add("claude")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        town.where = {"quic": f"127.0.0.1:{port}"}
        town.start()
        town.add("helper", live=True)
        assert await town.soon(town.say, "waypost", "status", "--project", "shop")
    town.where["quic"] = f"127.0.0.1:{port}"
    async with town.peer(Agent("ada")) as me:
        town.befriend(me, "helper")
        await town.soon(town.until, lambda: "is_online" if _answers(port) else None)
        assert (await me.ping("helper")).agent_name == "helper"
    assert town.end(signal.SIGTERM) == 0


def _answers(port: int) -> bool:
    """Whether somebody has the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mine:
        try:
            mine.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def test_a_taken_port_is_told_in_plain_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConflictError) as refused:
            listening(Address("127.0.0.1", port))
    assert refused.value.details == f"127.0.0.1:{port}: address already in use"
