"""A value goes into settings and out again, and nothing else moves."""

from typing import Any

import pytest
from hypothesis import given
from written import settings

from waypost.errors import UsageError
from waypost.setup.json_edits import JsonText

WAY = ("mcpServers", "waypost")
OURS = {"command": "waypost", "args": ["mcp", "--agent", "claude"]}


def of(text: str) -> JsonText:
    return JsonText(text, "settings.json")


def order(value: Any) -> Any:
    """A value in which the order of names counts."""
    if isinstance(value, dict):
        return [(key, order(inner)) for key, inner in value.items()]
    return [order(inner) for inner in value] if isinstance(value, list) else value


@given(settings())
def test_everything_else_keeps_its_value_and_order(written: tuple[str, dict[str, Any]]) -> None:
    text, value = written
    after = of(text).put(WAY, OURS).value()
    assert after["mcpServers"].pop("waypost") == OURS
    if "mcpServers" not in value:
        assert after.pop("mcpServers") == {}
    assert order(after) == order(value)


@given(settings())
def test_taking_it_out_gives_back_every_byte(written: tuple[str, dict[str, Any]]) -> None:
    text, value = written
    back = of(text).put(WAY, OURS).drop(WAY)
    if value and value.get("mcpServers") != {}:  # an empty one says nothing, and may go along
        assert back.text == text


@given(settings())
def test_a_comment_is_never_lost(written: tuple[str, dict[str, Any]]) -> None:
    text, _ = written
    after = of(text).put(WAY, OURS).text
    for mark in ("/* why */", "// note", "// , } ]"):
        assert after.count(mark) == text.count(mark)


def test_the_comment_beside_the_last_entry_stays_beside_it() -> None:
    after = of('{\n  "theme": "dark" // for the night\n}\n').put(("a",), 1).text
    assert after == '{\n  "theme": "dark", // for the night\n  "a": 1\n}\n'


def test_what_is_added_is_indented_as_the_rest() -> None:
    after = of('{\n\t"mcpServers": {\n\t\t"x": {}\n\t}\n}').put(WAY, {"command": "w"}).text
    assert '\n\t\t"waypost": {\n\t\t\t"command": "w"\n\t\t}\n\t}' in after


def test_a_text_of_one_line_stays_one() -> None:
    assert of('{"a": 1}').put(("b",), [1, {}]).text == '{"a": 1, "b": [1, {}]}'


def test_one_of_two_items_goes_and_the_other_stays() -> None:
    text = of('{"hooks": {"Stop": [{"command": "a"}, {"command": "b"}]}}')
    assert text.drop(("hooks", "Stop", 1)).text == '{"hooks": {"Stop": [{"command": "a"}]}}'
    assert text.drop(("hooks", "Stop", 0)).value() == {"hooks": {"Stop": [{"command": "b"}]}}


def test_the_last_entry_takes_its_empty_containers_along() -> None:
    assert of('{"a": 1, "hooks": {"Stop": [2]}}').drop(("hooks", "Stop", 0)).text == '{"a": 1}'
    assert of('{"hooks": {"Stop": [2]}}\n').drop(("hooks", "Stop", 0)).text == ""


BROKEN = {
    '{\n"a": 1\n"b": 2}': "line 3: a comma",
    '{\n\n"a" 1}': "line 3: a colon",
    '{"a": tru}': "line 1: a value",
    '{"a": 1}\n}': "line 2: something follows",
    '{\n"a": 1, "a": 2}': "a name stands twice",
    '{"a": "\n"}': "a value is missing",
    "{a: 1}": "a name in quotes",
    "": "",
    "[" * 100: "over 64 levels",
    '{"a": [1}': "a comma or a closing bracket",
    "{": "a name in quotes",
}


@pytest.mark.parametrize("text", [text for text in BROKEN if text])
def test_a_broken_text_is_refused_with_the_line(text: str) -> None:
    with pytest.raises(UsageError, match=BROKEN[text]) as told:
        of(text).put(WAY, OURS)
    assert "nothing was changed" in str(told.value.hint)


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": "none"}', "[]", "3"])
def test_something_else_in_the_place_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="isn't an object"):
        of(text).put(WAY, OURS)
