"""What OACP writes, every reader reads back: ours, PyYAML (YAML 1.1) and ruamel.yaml (1.2)."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

import waypost
from schema_files import TYPES
from strategies import ODD_WORDS, any_yaml, lines, messages, says_something, texts
from waypost.dialects import dialect, yaml_text
from waypost.dialects.oacp import emitter
from waypost.dialects.yaml_events import read_exact
from waypost.errors import InvalidMessageError

OACP_TYPES = [type_name for name, type_name in TYPES if name == "oacp"]
NOTE = {"from": "claude", "to": "codex", "subject": "Hello", "body": "Are you there?"}
BLOCKS = "a\nb", "a\nb\n", "a\n\n b", "a\n  b: |\n    c", "a\n---\nb", "# a\n# b", "- a\n- b\n"


def note(**fields: Any) -> waypost.Message:
    return waypost.compose("notification", {**NOTE, **fields}, allow_secrets=True)


def read_by_pyyaml(text: str) -> Any:
    return yaml.safe_load(text)


def read_by_ruamel(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def read_by_us_exactly(text: str) -> Any:
    reading = read_exact(text)
    assert reading.problems == []
    return reading.tree


def read_by_us_fast(text: str) -> Any:
    tree = yaml_text.read_fast(text)
    return read_by_us_exactly(text) if tree is None else tree


READERS = [read_by_pyyaml, read_by_ruamel, read_by_us_exactly, read_by_us_fast]
Reader = Callable[[str], Any]


@pytest.mark.parametrize("read", READERS)
@given(body=texts.filter(says_something), subject=lines.filter(says_something))
def test_every_reader_gets_the_very_text(read: Reader, body: str, subject: str) -> None:
    message = note(body=body, subject=subject)
    tree = read(message.raw.decode())
    assert (tree["body"], tree["subject"]) == (body, subject)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("body", [*filter(says_something, ODD_WORDS), *BLOCKS])
def test_odd_words_and_block_texts_stay_what_they_are(read: Reader, body: str) -> None:
    raw = note(body=body, context_keys=[body, body + "\n"]).raw.decode()
    assert read(raw)["body"] == body
    assert read(raw)["context_keys"] == [body, body + "\n"]


@pytest.mark.parametrize("type_name", OACP_TYPES)
@given(data=st.data())
def test_every_type_is_read_alike_by_all(type_name: str, data: st.DataObject) -> None:
    wanted = data.draw(messages("oacp", type_name))
    message = waypost.compose(type_name, wanted, dialect="oacp", allow_secrets=True)
    fields = dict(message.fields or {})
    for read in (read_by_pyyaml, read_by_ruamel):
        tree = read(message.raw.decode())
        if isinstance(fields["body"], dict):
            tree["body"] = read(tree["body"])
        assert tree == fields


@given(body=st.dictionaries(texts, any_yaml, min_size=1, max_size=4))
def test_a_mapping_as_free_body_is_written_as_text_that_holds_it(body: dict[str, Any]) -> None:
    text = (note(body=body).fields or {})["body"]
    wanted = dialect("oacp").prepare({"body": body})[0]["body"]
    assert read_by_pyyaml(text) == read_by_ruamel(text) == wanted
    assert read_by_us_fast(text) == wanted


@given(text=texts)
@example("\ufffe\uffff\ufeff\x7f\x85\u2028")
def test_a_quoted_text_is_one_line_that_needs_no_special_reader(text: str) -> None:
    quoted = emitter.quote(text)
    assert yaml.safe_load(quoted) == text
    assert re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", quoted) is None


@given(character=st.characters(codec="utf-8"))
def test_any_character_survives_alone_and_in_company(character: str) -> None:
    for body in (f"a{character}b", f"{character}a", f"a\n{character}b\n{character}"):
        raw = note(body=body).raw.decode()
        assert {read(raw)["body"] for read in READERS} == {body}


def test_text_of_several_lines_is_written_for_human_eyes() -> None:
    raw = note(body="First line: ok\n\n  * point # one\nLast line\n").raw.decode()
    assert "body: |\n  First line: ok\n\n    * point # one\n  Last line\n" in raw


def test_text_without_a_last_line_end_keeps_being_without() -> None:
    assert "body: |-\n  one\n  two\n" in note(body="one\ntwo").raw.decode()


@pytest.mark.parametrize("body", [" led by a space\nx", "\nled by nothing\n", "a\tb\nc", "a\n \nb"])
def test_text_that_a_block_would_change_is_quoted(body: str) -> None:
    raw = note(body=body).raw.decode()
    assert 'body: "' in raw
    assert yaml.safe_load(raw)["body"] == body


def test_an_ordinary_message_is_one_for_the_fast_reader() -> None:
    raw = note(body="Dear codex,\n\nthe build is green again.\n").raw.decode()
    assert yaml_text.read_fast(raw) == read_by_pyyaml(raw)


def test_fields_come_in_the_order_of_the_envelope() -> None:
    raw = note(conversation_id="conv-20260313-claude-001", note="kept").raw.decode()
    keys = list(yaml.safe_load(raw))
    assert keys[:4] == ["id", "from", "to", "type"]
    assert keys[-2:] == ["conversation_id", "note"]


@given(text=texts, odd=st.characters(categories=["Cs"]))
def test_half_a_character_is_refused_with_a_problem(text: str, odd: str) -> None:
    with pytest.raises(InvalidMessageError) as refusal:
        note(body=text + odd)
    assert [(p.path, p.code) for p in refusal.value.problems] == [("body", "lone_surrogate")]


def test_half_a_character_is_found_wherever_it_is() -> None:
    fields = {**NOTE, "subject": "a\ud800", "context_keys": ["fine", "\udfff"]}
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose("notification", fields)
    found = {p.path for p in refusal.value.problems if p.code == "lone_surrogate"}
    assert found == {"subject", "context_keys.1"}
