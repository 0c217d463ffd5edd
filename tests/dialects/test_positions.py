"""A place that is reported points at the value: reading on from there gives the value again."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

import waypost
from schema_files import TYPES, example
from strategies import any_json, any_yaml, messages, texts
from waypost.dialects.json_text import JsonPositions
from waypost.dialects.yaml_events import read_exact
from waypost.errors import At

FEEDBACK = example("oacp", "review_feedback").decode()
BODY = "body: |\n"


def places(value: Any, at: At = ()) -> list[tuple[At, Any]]:
    """Every place inside a value with what stands there."""
    entries: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        entries = enumerate(value)
    return [(at, value)] + [found for key, item in entries for found in places(item, (*at, key))]


def text_from(text: str, place: tuple[int, int]) -> str:
    line, column = place
    return "\n".join(text.split("\n")[line - 1 :])[column - 1 :]


@given(value=any_json, indent=st.sampled_from([None, 0, 3]))
def test_a_place_in_json_points_at_its_value(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\r", "\\r")
    positions = JsonPositions(text)
    for at, item in places(value):
        found = positions.find(at)
        assert found is not None
        assert repr(json.JSONDecoder().raw_decode(text_from(text, found))[0]) == repr(item)


@given(value=st.dictionaries(texts, any_json, min_size=1), indent=st.sampled_from([None, 2]))
def test_a_key_in_json_is_found_too(value: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    for key in value:
        found = JsonPositions(text).find((key,), key=True)
        assert found is not None
        assert text_from(text, found).startswith(json.dumps(key))


def yaml_from(text: str, place: tuple[int, int]) -> Any:
    """Read the YAML value that begins at a place: what follows with the same indentation."""
    line, column = place
    first, *rest = text.split("\n")[line - 1 :]
    kept = [" " * (column - 1) + first[column - 1 :]]
    is_block = first[column - 1 :].startswith(("|", ">"))
    edge = len(first) - len(first.lstrip(" ")) + 1 if is_block else column - 1
    for after in rest:
        if after.strip(" ") and len(after) - len(after.lstrip(" ")) < edge:
            break  # less indented: another value
        kept.append(after)
    return read_exact("\n".join(kept) + "\n").tree


@given(value=st.dictionaries(texts, any_yaml, min_size=1, max_size=4))
def test_a_place_in_flow_style_yaml_points_at_its_value(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=1)
    assume("\\ud" not in text)  # YAML has no escaped surrogate pairs
    reading = read_exact(text)
    for at, item in places(reading.tree):
        found = reading.positions.find(at)
        assert found is not None
        assert read_exact(json_at(text, found)).tree == item


def json_at(text: str, place: tuple[int, int]) -> str:
    rest = text_from(text, place)
    return rest[: json.JSONDecoder().raw_decode(rest)[1]]


@pytest.mark.parametrize("type_name", [type_name for name, type_name in TYPES if name == "oacp"])
@given(data=st.data())
def test_a_place_in_a_message_we_write_points_at_its_value(
    type_name: str, data: st.DataObject
) -> None:
    fields = data.draw(messages("oacp", type_name))
    text = waypost.compose(type_name, fields, dialect="oacp", allow_secrets=True).raw.decode()
    reading = read_exact(text)
    for at, item in places(reading.tree):
        found = reading.positions.find(at)
        assert found is not None
        assert yaml_from(text, found) == item


@given(data=st.data())
def test_a_place_inside_a_body_block_points_into_the_file(data: st.DataObject) -> None:
    fields = data.draw(messages("oacp", "handoff"))
    text = waypost.compose("handoff", fields, dialect="oacp", allow_secrets=True).raw.decode()
    body = read_exact(text).tree["body"]
    inner = read_exact(body)
    if BODY in text:
        positions = read_exact(text).positions.inside("body", body, inner.positions)
        for at, item in places(inner.tree)[1:]:
            found = positions.find(("body", *at))
            assert found is not None
            assert yaml_from(text, found) == item


def place_of(text: str, path: str) -> tuple[int | None, int | None]:
    """The place of the one problem at a path."""
    (problem,) = [one for one in waypost.parse(text, "oacp").problems if one.path == path]
    return problem.line, problem.column


def marked(text: str, mark: str = "@") -> tuple[str, tuple[int, int]]:
    """Take a mark out of a text; says where it stood, in lines as editors count them."""
    before, _, after = text.partition(mark)
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return before + after, (len(lines), len(lines[-1]) + 1)


WRONG = FEEDBACK.replace("round: 1", "round: @never")


@pytest.mark.parametrize(
    "text",
    [
        WRONG,
        WRONG.replace("\n", "\r\n"),
        WRONG.replace("# ", "").replace("id:", "# \u2028 \u2029 \x85\nid:", 1),
        "#\r#\r#\n" + WRONG,
        WRONG.replace(BODY, "body: |\n\n\n"),
        WRONG.replace(BODY, "body: |+ # said\n"),
        WRONG.replace(BODY, "body: |2\n"),
        WRONG.replace(BODY, "body:\n  |\n"),
        WRONG.replace(BODY, "body: &anchor |\n"),
        WRONG.replace(BODY, "body:\n"),
    ],
)
def test_a_wrong_number_in_a_body_is_shown_where_it_stands(text: str) -> None:
    text, place = marked(text)
    assert place_of(text, "body.round") == place


def test_a_block_with_indented_content_is_measured_right() -> None:
    head = FEEDBACK.partition(BODY)[0]
    body = "    findings_packet: x\n    round: @never\n    blocking_count: 0\n"
    text, place = marked(head + "body: |2\n" + body)
    assert place_of(text, "body.round") == place


def test_a_body_in_quotes_is_shown_where_it_begins() -> None:
    body = "findings_packet: x\nround: never\nblocking_count: 0\n"
    text, place = marked(FEEDBACK.partition(BODY)[0] + f"body: @{json.dumps(body)}\n")
    assert place_of(text, "body.round") == place


def test_what_is_missing_is_shown_where_its_holder_begins() -> None:
    text, place = marked("@" + FEEDBACK.replace("from: claude\n", ""))
    assert place_of(text, "from") == place


def test_an_unknown_field_is_shown_at_its_key() -> None:
    text, place = marked(FEEDBACK + "@colour: blue\n")
    assert place_of(text, "colour") == place


def test_a_key_given_twice_is_shown_at_the_second() -> None:
    text, place = marked(FEEDBACK + '@from: "gemini"\n')
    assert place_of(text, "from") == place


def test_a_flaw_of_yaml_inside_a_body_is_shown_in_the_file() -> None:
    text, place = marked(FEEDBACK.replace("  round: 1\n", "  round: 1\n  @round: 2\n"))
    assert place_of(text, "body.round") == place


def test_problems_come_in_the_order_of_the_text() -> None:
    text = FEEDBACK.replace("priority: P1", "priority: P9").replace("round: 1", "round: 0")
    found = waypost.parse(text.replace("from: claude", "from: ..")).problems
    assert [problem.path for problem in found] == ["from", "priority", "body.round"]
    assert yaml.safe_load(text)["priority"] == "P9"


SPOILT = ["..", "P9", "2026-02-30T00:00:00Z", '"a\\nb"', "'x y'", "[a, a]", "  P7  # said", "''"]
NOT_ITS_NAME = "20200101T0000Z_a_handoff.yaml"
HEADS = ["", "# said\n", "\n\n", "---\n", "#\r#\n", "# ä\u0301\n"]


@given(
    head=st.sampled_from(HEADS),
    ends=st.sampled_from(["\n", "\r\n"]),
    spoilt=st.dictionaries(
        st.sampled_from(["id", "from", "to", "priority", "created_at_utc", "channel", "colour"]),
        st.sampled_from(SPOILT),
        max_size=3,
    ),
)
def test_the_quick_way_and_the_exact_way_show_the_same_places(
    head: str, ends: str, spoilt: dict[str, str]
) -> None:
    text = head + "".join(f"{name}: {value}\n" for name, value in spoilt.items())
    kept = [line for line in FEEDBACK.splitlines(True) if line.partition(":")[0] not in spoilt]
    text = (text + "".join(kept)).replace("\n", ends)
    quick = waypost.parse(text, "oacp", name=NOT_ITS_NAME)
    exact = waypost.parse(text + "# &not-for-the-fast-reader\n", "oacp", name=NOT_ITS_NAME)
    assert quick.problems == exact.problems
