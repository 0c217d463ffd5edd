"""Agents announce themselves in the local network, and others see the token to enrol."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from zeroconf.asyncio import AsyncServiceInfo

from waypost.carriers.keyring import Address, identity, read_token
from waypost.carriers.lan import SERVICE, Suggestion, _read, announced, suggestions
from waypost.errors import UnreadableError, UsageError

EVERYWHERE = Address("0.0.0.0", 7100)


def announcement(port: int = 7100, **properties: Any) -> AsyncServiceInfo:
    return AsyncServiceInfo(
        SERVICE, f"x.{SERVICE}", port=port, addresses=[bytes([192, 0, 2, 9])], properties=properties
    )


def read(**announced: Any) -> Suggestion | None:
    return _read(announcement(**announced))


KEY = "7q0VG90Nt7Us5W1gTdCkFPK8Bf5IyMl04XuLg4smOFk"


def test_an_announcement_becomes_a_suggestion() -> None:
    found = read(key=KEY, name="family")
    assert found is not None
    assert (found.name, found.token) == ("family", f"waypost://{KEY}@192.0.2.9:7100")
    assert found.id == read_token(found.token).id


@pytest.mark.parametrize(
    "announced",
    [{}, {"key": ""}, {"key": "short"}, {"key": b"\xff" * 43}, {"key": KEY, "port": 0}],
)
def test_what_says_too_little_is_left_out(announced: dict[str, Any]) -> None:
    assert read(**announced) is None


def test_a_name_is_short_and_harmless() -> None:
    found = read(key=KEY, name="\x1b[31m" + "x" * 200)
    assert found is not None
    assert found.name.startswith("\\u001b[31mx")
    assert len(found.name) == 64


def test_who_is_announced_is_found(tmp_path: Path) -> None:
    me = identity(tmp_path, "family")

    async def story() -> list[Suggestion]:
        async with announced(me, EVERYWHERE):
            found: list[Suggestion] = []
            while me.id not in [one.id for one in found]:
                found = await suggestions(0.5)
            return found

    try:
        found = asyncio.run(asyncio.wait_for(story(), 20))
    except (UsageError, UnreadableError) as no_network:
        pytest.skip(f"there is no network here: {no_network}")
    assert (me.id, "family") in [(one.id, one.name) for one in found]


def test_what_only_this_machine_can_reach_is_not_announced(tmp_path: Path) -> None:
    async def story() -> None:
        async with announced(identity(tmp_path, "family"), Address("127.0.0.1", 7100)):
            pass

    with pytest.raises(UsageError, match="nobody else"):
        asyncio.run(story())


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    with pytest.raises(UsageError) as failure:
        asyncio.run(suggestions(0.1))
    assert "waypost[lan]" in str(failure.value.hint)
