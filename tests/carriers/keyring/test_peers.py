"""Enrolled peers live in one file, which many processes may change and watch."""

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from waypost.carriers.keyring import Peers, agent_id, identity, token_of
from waypost.errors import ConflictError, KeyFileError, NotFoundError, UsageError


def key(number: int) -> bytes:
    return bytes([number]) * 32


def token(number: int, port: int = 7100) -> str:
    return token_of(key(number), "127.0.0.1", port)


def peers_of(home: Path) -> Peers:
    return Peers(home, identity(home, "kit"))


def test_an_enrolled_peer_is_found_by_name_key_and_id(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    family = peers.add(token(1), "family")
    assert peers.all() == [family]
    assert peers.by_key(key(1)) == peers.by_id(agent_id(key(1))) == family
    for word in ("family", family.id, family.id.removeprefix("ed25519."), family.id[:14]):
        assert peers.find(word) == family


def test_who_is_enrolled_is_known_to_the_next_process(tmp_path: Path) -> None:
    family = peers_of(tmp_path).add(token(1), "family")
    assert peers_of(tmp_path).all() == [family]
    assert (tmp_path / "keys" / "kit.peers.json").stat().st_mode & 0o777 == 0o600


def test_enrolling_twice_is_harmless_and_renews_the_address(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    first = peers.add(token(1), "family")
    assert peers.add(token(1)) == first
    assert peers.add(token(1, port=7200)).port == 7200
    assert [(peer.name, peer.port) for peer in peers.all()] == [("family", 7200)]


def test_a_peer_without_a_name_gets_one_from_its_id(tmp_path: Path) -> None:
    peer = peers_of(tmp_path).add(token(1))
    assert peer.name == "peer-" + agent_id(key(1))[8:16]


def test_a_name_belongs_to_one_peer(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    peers.add(token(1), "family")
    with pytest.raises(ConflictError, match='"family"'):
        peers.add(token(2), "Family")


def test_nobody_enrols_itself_or_a_name_that_is_none(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    with pytest.raises(UsageError, match="own token"):
        peers.add(token_of(identity(tmp_path, "kit").public_key))
    with pytest.raises(UsageError, match="can't name a peer"):
        peers.add(token(1), "*")


def test_an_unknown_peer_is_told_with_the_near_names(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    peers.add(token(1), "family")
    with pytest.raises(NotFoundError) as caught:
        peers.find("famly")
    assert caught.value.hint == 'did you mean "family"?'


def test_a_revocation_is_seen_by_others_when_they_look(tmp_path: Path) -> None:
    peers, others = peers_of(tmp_path), peers_of(tmp_path)
    peers.add(token(1), "family")
    assert others.refresh()
    assert not others.refresh()
    peers.remove("family")
    assert others.refresh()
    assert others.by_key(key(1)) is None


def enrol(home: Path, number: int) -> None:
    peers_of(home).add(token(number), f"peer{number}")


def test_many_processes_enrol_at_once_and_none_is_forgotten(tmp_path: Path) -> None:
    identity(tmp_path, "kit")
    with ProcessPoolExecutor(8, mp_context=get_context("fork")) as pool:
        list(pool.map(enrol, [tmp_path] * 40, range(40)))
    assert len(peers_of(tmp_path).all()) == 40


@pytest.mark.parametrize("text", ["", "[]", "{", '{"peers": [1]}', '{"peers": [{"name": "a"}]}'])
def test_a_damaged_list_is_told_and_what_was_known_stays(tmp_path: Path, text: str) -> None:
    peers = peers_of(tmp_path)
    family = peers.add(token(1), "family")
    (tmp_path / "keys" / "kit.peers.json").write_text(text)
    assert not peers.refresh()
    assert peers.all() == [family]
    with pytest.raises(KeyFileError, match="damaged"):
        peers_of(tmp_path)


def test_a_list_that_others_may_write_is_refused(tmp_path: Path) -> None:
    peers_of(tmp_path).add(token(1), "family")
    (tmp_path / "keys" / "kit.peers.json").chmod(0o660)
    with pytest.raises(KeyFileError, match="enrol themselves"):
        peers_of(tmp_path)


def test_strangers_are_noted_until_they_are_enrolled(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    for second in (1.0, 2.0):
        peers.knocked(key(1), "10.0.0.9", second)
    peers.save_notes()
    (knock,) = peers_of(tmp_path).knocks()
    assert (knock.id, knock.host, knock.times, knock.last) == (agent_id(key(1)), "10.0.0.9", 2, 2.0)
    peers.add(token(1))
    assert peers_of(tmp_path).knocks() == []


def test_knocks_are_bounded_whoever_knocks(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    for number in range(1000):
        peers.knocked(number.to_bytes(32, "big"), "10.0.0.9", float(number))
        if number % 100 == 0:
            peers.save_notes()
    peers.save_notes()
    assert [knock.last for knock in peers.knocks()] == [float(n) for n in range(999, 967, -1)]


def test_a_damaged_note_of_knocks_is_no_obstacle(tmp_path: Path) -> None:
    peers = peers_of(tmp_path)
    (tmp_path / "keys" / "kit.knocks.json").write_text(json.dumps({"knocks": [1, {"key": 2}]}))
    assert peers.knocks() == []
