"""Where agents listen, and whether they do."""

import subprocess
import sys
from pathlib import Path

import pytest

from waypost.carriers.keyring import Address, Peers, Presence, host_and_port, identity
from waypost.errors import UsageError


def agent(home: Path, name: str) -> Presence:
    identity(home, name)
    return Presence(home, name)


def test_agents_of_one_home_get_different_ports_and_keep_them(tmp_path: Path) -> None:
    kit, family = agent(tmp_path, "kit"), agent(tmp_path, "family")
    assert (kit.address(), kit.decide()) == (None, ("127.0.0.1", 7100))
    assert family.decide() == ("127.0.0.1", 7101)
    assert Presence(tmp_path, "kit").decide() == kit.address() == ("127.0.0.1", 7100)


def test_an_address_that_was_said_is_remembered(tmp_path: Path) -> None:
    kit = agent(tmp_path, "kit")
    kit.begin(("::1", 7200))
    kit.end()
    assert str(agent(tmp_path, "kit").decide()) == "[::1]:7200"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"host": "a"}', '{"host": "a", "port": 99999}'])
def test_a_damaged_note_is_decided_anew(tmp_path: Path, text: str) -> None:
    kit = agent(tmp_path, "kit")
    (tmp_path / "keys" / "kit.address.json").write_text(text)
    assert kit.decide() == ("127.0.0.1", 7100)


def test_a_process_that_was_killed_listens_no_more(tmp_path: Path) -> None:
    kit = agent(tmp_path, "kit")
    code = f"""if True:
        from pathlib import Path
        from waypost.carriers.keyring import Presence
        presence = Presence(Path({str(tmp_path)!r}), "kit")
        presence.begin(("127.0.0.1", 7100))
        print("listening", flush=True)
        input()"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert not kit.is_listening()
        process.stdout.readline()
        assert kit.is_listening()
        process.kill()
        process.wait()
        assert not kit.is_listening()


@pytest.mark.parametrize("text", ["", "7100", ":7100", "host", "host:x", "host:70000", "host:٣"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        host_and_port(text)


def test_any_address_is_told_to_others_as_one_of_this_machine() -> None:
    assert Address("127.0.0.1", 7).for_others() == ("127.0.0.1", 7)
    told = Address("0.0.0.0", 7).for_others()
    assert (told.port, told.host != "0.0.0.0") == (7, True)


def test_sightings_of_several_processes_are_kept_together(tmp_path: Path) -> None:
    me = identity(tmp_path, "kit")
    one, other = Peers(tmp_path, me), Peers(tmp_path, me)
    one.saw("ed25519.a", 1.0)
    other.saw("ed25519.a", 3.0)
    other.saw("ed25519.b", 2.0)
    for peers in (other, one):
        peers.save_notes()
    assert Peers(tmp_path, me).last_seen() == {"ed25519.a": 3.0, "ed25519.b": 2.0}


def test_a_damaged_note_of_sightings_is_no_obstacle(tmp_path: Path) -> None:
    peers = Peers(tmp_path, identity(tmp_path, "kit"))
    (tmp_path / "keys" / "kit.seen.json").write_text('{"seen": [1]}')
    assert peers.last_seen() == {}
