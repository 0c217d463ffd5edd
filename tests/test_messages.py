"""The public face: parse and check what others wrote, refuse to compose what is bad."""

import pytest

import waypost
from samples import AN_ID, NOTE, PEERS, composed, fields_of, refused
from schema_files import TYPES, example
from waypost.errors import InvalidMessageError, UnknownTypeError, UsageError


def test_a_bad_message_is_refused_with_every_problem() -> None:
    found = refused("notification", {"from": "..", "to": [], "subject": " ", "body": "x"})
    assert set(found) == {("from", "bad_name"), ("to", "empty_list"), ("subject", "blank_field")}


def test_the_first_problem_is_the_headline() -> None:
    with pytest.raises(InvalidMessageError, match=r"^from is not a name: \"\.\.\", and 1 more$"):
        waypost.compose("notification", {**NOTE, "from": "..", "subject": ""})


def test_warnings_alone_refuse_nothing() -> None:
    message = waypost.compose("notification", {**NOTE, "colour": "blue"})
    assert [(one.code, one.severity) for one in message.problems] == [("unknown_field", "warning")]
    assert (message.fields or {})["colour"] == "blue"


def test_prose_is_read_where_fields_are_wanted_but_not_sent() -> None:
    fields = {**fields_of("oacp", "review_lgtm"), "body": "Looks good to me"}
    assert refused("review_lgtm", fields) == [("body", "text_body")]
    (warning,) = waypost.check(fields)
    assert (warning.code, warning.severity) == ("text_body", "warning")
    (error,) = waypost.check(fields, sending=True)
    assert (error.code, error.severity) == ("text_body", "error")


def test_a_handoff_goes_to_exactly_one() -> None:
    fields = {**fields_of("oacp", "handoff"), "to": ["codex", "gemini"]}
    assert ("to", "point_to_point") in refused("handoff", fields)


def test_an_approval_that_contradicts_itself_is_not_sent() -> None:
    body = {"quality_gate_result": "fail", "merge_ready": True}
    found = refused("review_lgtm", {**NOTE, "body": body})
    assert found == [("body.merge_ready", "merge_ready_but_failed")]


def test_an_acp_request_refers_to_nothing() -> None:
    assert refused("ping", {**PEERS, "ref": AN_ID}) == [("ref", "unexpected_ref")]


def test_a_message_too_large_to_be_read_is_not_written() -> None:
    assert ("", "too_large") in refused("notification", {**NOTE, "body": "x" * (1 << 20)})
    big = {"topic": "t", "data": "x" * (1 << 20)}
    assert ("", "too_large") in refused("notify", {**PEERS, "payload": big})


def test_an_unknown_type_is_refused_with_the_near_ones() -> None:
    with pytest.raises(UnknownTypeError) as refusal:
        waypost.compose("review_requested", NOTE)
    assert refusal.value.hint is not None
    assert '"review_request"' in refusal.value.hint


def test_a_type_of_another_dialect_is_unknown_to_the_named_one() -> None:
    with pytest.raises(UnknownTypeError):
        waypost.compose("ping", NOTE, dialect="oacp")


def test_an_unknown_dialect_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(UsageError, match="no dialect is called"):
        waypost.compose("ping", NOTE, dialect="smoke")


def test_a_refusal_names_the_message_it_is_about() -> None:
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose("notification", {**NOTE, "id": "msg-1", "subject": ""})
    assert refusal.value.message_id == "msg-1"


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_text_and_bytes_are_read_alike(dialect: str, type_name: str) -> None:
    raw = example(dialect, type_name)
    assert waypost.parse(raw.decode()) == waypost.parse(raw)


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_checking_what_was_read_finds_nothing_new(dialect: str, type_name: str) -> None:
    assert waypost.check(fields_of(dialect, type_name)) == []


def test_a_file_name_that_contradicts_is_told() -> None:
    raw = example("oacp", "question")
    assert waypost.parse(raw, name="question.yaml").problems == ()
    (warning,) = waypost.parse(raw, name="20200101T0000Z_nobody_handoff.yaml").problems
    assert (warning.code, warning.path, warning.severity) == ("file_name", "", "warning")


def test_half_a_character_in_a_str_is_told_not_raised() -> None:
    codes = {one.code for one in waypost.parse('{"kind": "\ud800"}').problems}
    assert codes == {"not_utf8", "dialect_guessed"}


def test_python_values_count_as_yaml_would_write_them() -> None:
    fields = {**fields_of("oacp", "review_feedback"), "related_pr": 42}
    body = {"findings_packet": "f", "round": "2", "blocking_count": 0}
    assert waypost.check({**fields, "body": body, "to": ("codex", "gemini")}) == []
    assert composed("review_feedback", {**fields, "body": body})["body"]["round"] == 2


def test_the_public_names_are_there_and_no_others() -> None:
    assert all(getattr(waypost, name) for name in waypost.__all__)
    with pytest.raises(AttributeError, match="no attribute 'send_all'"):
        _ = waypost.send_all
