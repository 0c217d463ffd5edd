"""What a listing remembers of a folder: whatever stands there, the listing is right."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands.desk import Desk, desk

__all__ = ["desk"]
MANY = 40  # so many are worth remembering


@pytest.fixture
def saved(desk: Desk) -> Path:
    """The saved cache of an inbox of many."""
    for number in range(MANY):
        desk.drop(f"{number}.yaml", id=f"msg-{number}")
    desk.rows()
    return desk.project / "agents" / "codex" / ".cache" / "inbox.json"


@pytest.mark.parametrize("damage", [b"", b"{", b"[" * 100_000, b"\xff", b"[]", b'{"version": 1}'])
def test_a_damaged_cache_is_made_anew(desk: Desk, saved: Path, damage: bytes) -> None:
    good = desk.rows()
    saved.write_bytes(damage)
    assert desk.rows() == good


PLACES: list[Callable[[list[Any], Any], None]] = [
    lambda entry, value: entry.__setitem__(0, value),
    lambda entry, value: entry.__setitem__(3, value),
    lambda entry, value: entry.__setitem__(4, value),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [5, [1], [[1, 2]], "x", {"a": 1}])
def test_an_entry_that_is_none_is_read_from_its_file(
    desk: Desk, saved: Path, place: Callable[[list[Any], Any], None], value: Any
) -> None:
    state = json.loads(saved.read_text())
    for entry in state["entries"].values():
        place(entry, value)
    saved.write_text(json.dumps(state))
    assert len(desk.say("inbox", "--agent", "codex", "--json").objects[0]["agents"]) == 1


def test_no_link_in_its_place_is_followed(desk: Desk, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    saved.unlink()
    saved.symlink_to(tmp_path / "precious")
    assert len(desk.rows()) == MANY
    assert (tmp_path / "precious").read_text() == "mine"
