"""Our hooks go into any settings and out again, and nobody else's move."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import settings

from waypost.errors import UsageError
from waypost.setup.clients import CLAUDE, CLIENTS, CURSOR, Client
from waypost.setup.hooks import commands, with_hooks
from waypost.setup.json_edits import JsonText

OTHERS = st.sampled_from([
    {"command": "say done"},
    {"hooks": [{"type": "command", "command": "echo waypost notices"}]},
    {"matcher": "startup", "hooks": []},
    "odd",
    None,
])  # fmt: skip


@st.composite
def with_others(draw: st.DrawFn, client: Client) -> dict[str, Any]:
    """Settings with hooks of other people."""
    value: dict[str, Any] = {"theme": "dark", "hooks": {"Other": [1]}}
    for event in client.events:
        if draw(st.booleans()):
            value["hooks"][event.name] = draw(st.lists(OTHERS, min_size=1, max_size=3))
    return value


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
@given(st.data(), st.sampled_from([None, 1, "\t"]))
def test_the_hooks_of_others_stay_and_undo_gives_back_every_byte(
    client: Client, data: st.DataObject, indent: str | int | None
) -> None:
    value = data.draw(with_others(client))
    before = JsonText(json.dumps(value | {"version": 1}, indent=indent), "settings.json")
    ours = commands(client, "waypost", ["--agent", "x"])
    after = with_hooks(client, before, ours)
    assert with_hooks(client, after, ours) == after
    said = after.value()
    for event in client.events:
        assert ours[event.name] in json.dumps(said["hooks"][event.name].pop())
    kept = {name: entries for name, entries in said["hooks"].items() if entries}
    assert {**said, "hooks": kept} == value | {"version": 1}
    assert with_hooks(client, after, {}) == before


@given(settings())
def test_settings_of_any_shape_are_kept_or_refused(written: tuple[str, dict[str, Any]]) -> None:
    text, value = written
    try:
        after = with_hooks(CLAUDE, JsonText(text, "f"), commands(CLAUDE, "waypost", [])).value()
    except UsageError:
        assert not isinstance(value.get("hooks", {}), dict)
        return
    assert {key: one for key, one in after.items() if key != "hooks"} == {
        key: one for key, one in value.items() if key != "hooks"
    }


def test_cursor_s_file_gets_its_version_and_goes_with_its_last_hook() -> None:
    made = with_hooks(CURSOR, JsonText("", "hooks.json"), commands(CURSOR, "waypost", []))
    assert made.value()["version"] == 1
    assert with_hooks(CURSOR, made, {}).text == ""
