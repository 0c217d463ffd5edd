"""Key files are made once, kept private, and explained when they can't be used."""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from waypost.carriers.keyring import agent_id, identity, local_names
from waypost.errors import ConflictError, KeyFileError, NotFoundError, UsageError


def key_file(home: Path, name: str = "kit") -> Path:
    return home / "keys" / f"{name}.key"


def public_key(home: Path) -> bytes:
    return identity(home, "kit").public_key


def test_a_key_is_made_on_first_use_and_stays(tmp_path: Path) -> None:
    first, second = identity(tmp_path, "kit"), identity(tmp_path, "kit")
    assert first.id == second.id == agent_id(first.public_key)
    assert first.public_key == second.public_key
    assert len(first.id) == len("ed25519.") + 32


def test_a_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    identity(tmp_path, "kit")
    assert key_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert key_file(tmp_path).parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir(tmp_path / "keys") == ["kit.key"]


def test_many_processes_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ProcessPoolExecutor(8, mp_context=get_context("fork")) as pool:
        keys = set(pool.map(public_key, [tmp_path] * 24))
    assert len(keys) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_could_read_is_refused(tmp_path: Path, mode: int) -> None:
    identity(tmp_path, "kit")
    key_file(tmp_path).chmod(mode)
    with pytest.raises(KeyFileError) as caught:
        identity(tmp_path, "kit")
    assert "chmod 600" in (caught.value.hint or "")
    assert caught.value.exit_code == 4


@pytest.mark.parametrize("content", [b"", b"no key", b"\xff" * 9000])
def test_a_damaged_key_is_told_and_never_replaced(tmp_path: Path, content: bytes) -> None:
    identity(tmp_path, "kit")
    key_file(tmp_path).write_bytes(content)
    with pytest.raises(KeyFileError, match="holds no Ed25519 key"):
        identity(tmp_path, "kit")
    assert key_file(tmp_path).read_bytes() == content


@pytest.mark.parametrize("name", ["", "../kit", "a b", "a..b", "x" * 65])
def test_a_name_that_can_name_no_agent_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        identity(tmp_path, name)


def test_names_that_differ_only_in_case_are_refused(tmp_path: Path) -> None:
    identity(tmp_path, "kit")
    with pytest.raises(ConflictError, match='"kit"'):
        identity(tmp_path, "Kit")


def test_a_key_that_should_be_there_is_missed_by_near_names(tmp_path: Path) -> None:
    identity(tmp_path, "family")
    with pytest.raises(NotFoundError) as caught:
        identity(tmp_path, "famly", create=False)
    assert caught.value.hint == 'did you mean "family"?'
    assert local_names(tmp_path) == ["family"]


def test_a_key_never_shows_in_a_text(tmp_path: Path) -> None:
    assert "private" not in repr(identity(tmp_path, "kit"))
