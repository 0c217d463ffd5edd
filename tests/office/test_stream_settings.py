"""What a shared journal is checked for before anybody's mail is trusted to it."""

import asyncio
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js.api import StorageType, StreamConfig

from office_scene import caller, refusal
from stream_servers import Servers, stream_of
from waypost.office.journal.address import address_of
from waypost.office.office import open_office


def made(address: str, **settings: Any) -> None:
    """Make an office's stream as somebody else would."""

    async def make() -> None:
        client = await nats.connect(address.rpartition("/")[0])
        subject = f"waypost.{address.rpartition('/')[2]}.events"
        config = StreamConfig(name=stream_of(address), subjects=[subject], **settings)
        await client.jetstream().add_stream(config)
        await client.close()

    asyncio.run(make())


WRONG = {
    "in memory": {"storage": StorageType.MEMORY},
    "with a limit": {"max_msgs": 10},
    "that forgets": {"max_age": 3600},
}


@pytest.mark.parametrize("settings", WRONG.values(), ids=WRONG)
def test_a_stream_that_could_lose_mail_is_refused(
    servers: Servers, tmp_path: Path, settings: dict[str, Any]
) -> None:
    address = servers.address()
    made(address, **settings)
    error = refusal(lambda: open_office(tmp_path / "home", journal=address))
    assert (error["error"], "isn't kept as mail needs it" in error["details"]) == ("usage", True)


def test_a_server_that_answers_before_it_syncs_is_refused(tmp_path: Path) -> None:
    lazy = Servers(tmp_path, 1, syncs=False)
    address = lazy.address(options=f"?monitor={lazy.monitor(0)}")
    error = refusal(lambda: open_office(tmp_path / "home", journal=address))
    lazy.close()
    assert (error["error"], "sync_interval" in error["hint"]) == ("usage", True)


def test_what_can_not_be_seen_is_a_warning(servers: Servers, tmp_path: Path) -> None:
    with open_office(tmp_path / "home", journal=servers.address()) as office:
        assert "sync" in " ".join(office.desk.journal.warnings)
    seen = servers.address(options=f"?monitor={servers.monitor(0)}")
    with open_office(tmp_path / "other", journal=seen) as office:
        (warning,) = office.desk.journal.warnings
    assert "one copy" in warning
    gone = servers.address(options="?monitor=http://127.0.0.1:1")
    with open_office(tmp_path / "third", journal=gone) as office:
        assert "doesn't tell" in office.desk.journal.warnings[0]


def test_more_copies_than_servers_are_refused(servers: Servers, tmp_path: Path) -> None:
    address = servers.address(options="?replicas=3")
    error = refusal(lambda: open_office(tmp_path / "home", journal=address))
    assert error["error"] == "usage"


def test_servers_that_take_too_little_are_refused(tmp_path: Path) -> None:
    small = Servers(tmp_path, 1, more="max_payload: 65536")
    error = refusal(lambda: open_office(tmp_path / "home", journal=small.address()))
    small.close()
    assert (error["error"], "max_payload" in error["hint"]) == ("usage", True)


def test_a_journal_lets_in_whom_it_knows(tmp_path: Path) -> None:
    strict = Servers(tmp_path, 1, more='authorization { user: "way", password: "post" }')
    address = strict.address()
    error = refusal(lambda: open_office(tmp_path / "home", journal=address, patience=3))
    known = address.replace("nats://", "nats://way:post@", 1)
    with open_office(tmp_path / "home", journal=known) as office:
        assert office.register(caller("claude")).is_new
    strict.close()
    assert error["error"] == "not_authorized"


def test_an_office_of_its_own_does_not_become_a_node(servers: Servers, tmp_path: Path) -> None:
    with open_office(tmp_path / "home") as office:
        office.register(caller("claude"))
    error = refusal(lambda: open_office(tmp_path / "home", journal=servers.address()))
    assert (error["error"], "of its own" in error["details"]) == ("usage", True)


def test_a_node_of_one_journal_does_not_follow_another(servers: Servers, tmp_path: Path) -> None:
    with open_office(tmp_path / "home", journal=servers.address()) as office:
        office.register(caller("claude"))
    error = refusal(lambda: open_office(tmp_path / "home", journal=servers.address()))
    assert (error["error"], "another journal" in error["details"]) == ("usage", True)


def test_an_address_shows_nothing_that_is_secret() -> None:
    address = address_of("tls://user:hunter2@a:1,b/team?creds=/x&replicas=3")
    assert str(address) == "tls://a:1,b/team"
    assert address.servers == ["tls://user:hunter2@a:1", "tls://user:hunter2@b"]
