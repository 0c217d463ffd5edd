"""Telling the dialect of a message: by its type first, then by its fields, then by guessing."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import waypost
from schema_files import TYPES, example
from strategies import any_json, texts
from waypost.dialects.detect import detect, guess
from waypost.errors import UsageError

TYPE_FIELDS = {"oacp": "type", "acp": "kind", "agentmail": "type"}


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_the_type_alone_tells_the_dialect(dialect: str, type_name: str) -> None:
    assert detect({TYPE_FIELDS[dialect]: type_name}) == dialect


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_without_its_type_the_other_fields_tell(dialect: str, type_name: str) -> None:
    fields = dict(waypost.parse(example(dialect, type_name), dialect).fields or {})
    del fields[TYPE_FIELDS[dialect]]
    assert detect(fields) == dialect


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_the_type_counts_more_than_fields_of_another_dialect(dialect: str, type_name: str) -> None:
    strangers = {
        "v": 1,
        "payload": {},
        "ts": 1,
        "sender_id": "a",
        "message_id": "b",
        "version": "1",
    }
    assert detect({**strangers, TYPE_FIELDS[dialect]: type_name}) == dialect


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_a_cut_off_message_is_taken_for_what_it_was(dialect: str, type_name: str) -> None:
    whole = example(dialect, type_name).decode().rstrip()
    cut = whole[:-1] if dialect != "oacp" else whole + '\nchannel: "no end'
    message = waypost.parse(cut)
    assert message.dialect == dialect
    assert not message.valid
    assert [p.code for p in message.problems if not p.is_error] == ["dialect_guessed"]


def test_kind_speaks_before_type() -> None:
    assert detect({"kind": "ping", "type": "notification"}) == "acp"
    assert detect({"kind": "sort of", "type": "notification"}) == "oacp"


def test_a_message_that_tells_nothing_is_oacp() -> None:
    assert detect({}) == detect({"hello": "world"}) == "oacp"


def test_a_misspelt_type_is_told_by_the_other_fields() -> None:
    text = example("agentmail", "status_update").replace(b'"status_update"', b'"status_updat"')
    (problem,) = waypost.parse(text).problems
    assert (problem.path, problem.code) == ("type", "unknown_type")
    assert problem.hint == 'did you mean "status_update"?'


def test_a_misspelt_kind_is_told_likewise() -> None:
    text = example("acp", "ping").replace(b'"ping"', b'"pin"')
    (problem,) = waypost.parse(text).problems
    assert (problem.path, problem.code) == ("kind", "unknown_type")
    assert problem.hint == 'did you mean "ping"?'


def test_a_caller_may_name_the_dialect() -> None:
    message = waypost.parse(example("acp", "ping"), "agentmail")
    assert message.dialect == "agentmail"
    assert not message.valid


def test_an_unknown_dialect_is_the_callers_mistake() -> None:
    with pytest.raises(UsageError) as refusal:
        waypost.parse(b"{}", "agent-mail")
    assert refusal.value.hint == 'did you mean "agentmail"?'


@pytest.mark.parametrize("odd", [None, 1, ["ping"], {"ping": 1}, "", " ping", "ping\n", "\ud800"])
def test_an_odd_type_neither_matches_nor_breaks(odd: Any) -> None:
    assert detect({"kind": odd, "type": odd}) == "oacp"


@given(fields=st.dictionaries(texts, any_json))
def test_any_fields_are_of_some_dialect(fields: dict[str, Any]) -> None:
    assert detect(fields) in TYPE_FIELDS


@given(data=st.binary(max_size=60) | texts.map(lambda text: text.encode()))
def test_any_bytes_give_a_message_and_never_an_exception(data: bytes) -> None:
    message = waypost.parse(data)
    assert message.raw == data
    assert message.valid == all(problem.severity == "warning" for problem in message.problems)


@given(value=any_json)
def test_any_json_gives_a_message_and_never_an_exception(value: Any) -> None:
    message = waypost.parse(json.dumps(value))
    assert message.problems
    assert message.fields is None or message.dialect in TYPE_FIELDS


@given(text=texts)
def test_a_guess_is_always_a_dialect(text: str) -> None:
    assert guess(text) in TYPE_FIELDS
    assert waypost.parse(text).fields is not None or waypost.parse(text).problems
