"""What compose fills in: identity, time, priorities, threads, defaults."""

import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

import waypost
from samples import AN_ID, BARE, NOTE, PEERS, composed, fields_of, refused
from schema_files import TYPES
from waypost.dialects import dialect as dialect_named
from waypost.dialects.message import Blanks

DEFERRED = {
    "source_type": "review",
    "source_ref": "PR 42",
    "risk_tier": "P3",
    "summary": "Uploads accept any file",
    "next_action": "Add an allowlist",
    "owner": "claude",
}
BLANKS = Blanks(now="2026-03-13T14:30:09Z", milliseconds=1773412209123, uuid=AN_ID, rand="a8f3")
ANSWERS = ["handoff_complete", "review_feedback", "review_addressed", "review_lgtm"]


def filled(dialect: str, fields: dict[str, Any], answering: Any = None) -> dict[str, Any]:
    """Compose with a clock and a chance of our own."""
    message = dialect_named(dialect).compose(fields, BLANKS, answering=answering)
    return dict(message.fields or {})


def test_an_oacp_message_gets_id_time_and_priority() -> None:
    made = filled("oacp", {**NOTE, "type": "notification"})
    assert made["id"] == "msg-20260313T1430Z-claude-a8f3"
    assert made["created_at_utc"] == "2026-03-13T14:30:09Z"
    assert made["priority"] == "P2"


def test_an_acp_message_gets_version_id_time_and_no_ref() -> None:
    made = filled("acp", {**PEERS, "kind": "ping"})
    assert (made["v"], made["id"], made["ts"]) == (1, AN_ID, BLANKS.milliseconds)
    assert (made["ref"], made["payload"]) == (None, {})


def test_an_agent_mail_message_gets_version_id_and_time() -> None:
    made = filled("agentmail", fields_of("agentmail", "status_update", "message_id", "timestamp"))
    assert made["message_id"] == "msg-" + AN_ID
    assert made["timestamp"] == BLANKS.now


def test_the_time_is_now_and_the_chance_is_fresh() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    one, other = composed("notification", NOTE), composed("notification", NOTE)
    assert one["id"] != other["id"] or one["created_at_utc"] != other["created_at_utc"]
    assert before <= datetime.fromisoformat(one["created_at_utc"]) <= datetime.now(UTC)


def test_new_uuids_are_of_version_four() -> None:
    assert UUID(composed("ping", PEERS)["id"]).version == 4
    made = composed("status_update", fields_of("agentmail", "status_update", "message_id"))
    assert UUID(made["message_id"].removeprefix("msg-")).version == 4


def test_the_random_end_of_an_id_is_four_letters_or_digits() -> None:
    ends = {composed("notification", NOTE)["id"].rpartition("-")[2] for _ in range(20)}
    assert all(re.fullmatch("[a-z0-9]{4}", end) for end in ends)
    assert len(ends) > 1


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
def test_what_the_caller_gives_is_never_replaced(dialect: str, type_name: str) -> None:
    given = fields_of(dialect, type_name)
    assert (
        composed(type_name, given, dialect=dialect)
        == waypost.parse(waypost.compose(type_name, given, dialect=dialect).raw).fields
    )
    made = composed(type_name, given, dialect=dialect)
    assert {key: made[key] for key in given if key != "payload"} == {
        key: value for key, value in given.items() if key != "payload"
    }


@pytest.mark.parametrize("tier", ["P2", "P3"])
def test_a_follow_up_takes_its_risk_tier(tier: str) -> None:
    made = composed("follow_up", {**NOTE, "body": {**DEFERRED, "risk_tier": tier}})
    assert made["priority"] == tier


def test_a_follow_up_takes_its_risk_tier_from_a_written_body_too() -> None:
    body = "".join(f"{key}: {value}\n" for key, value in DEFERRED.items())
    assert composed("follow_up", {**NOTE, "body": body})["priority"] == "P3"


def test_a_follow_up_takes_its_risk_tier_even_when_it_answers() -> None:
    parent = {"id": "msg-20260313T1400Z-codex-b2e1", "priority": "P0"}
    made = composed("follow_up", {**NOTE, "body": DEFERRED}, answering=parent)
    assert made["priority"] == "P3"


def test_another_priority_of_a_follow_up_is_kept_with_a_warning() -> None:
    fields = {**NOTE, "body": DEFERRED, "priority": "P1"}
    message = waypost.compose("follow_up", fields)
    assert (message.fields or {})["priority"] == "P1"
    assert [one.code for one in message.problems] == ["priority_not_risk_tier"]


@pytest.mark.parametrize("type_name", [*ANSWERS, "brainstorm_followup"])
def test_an_answer_takes_the_priority_of_what_it_answers(type_name: str) -> None:
    fields = fields_of("oacp", type_name, "priority")
    assert composed(type_name, fields, answering={"priority": "P0"})["priority"] == "P0"
    assert composed(type_name, fields)["priority"] == "P2"


@pytest.mark.parametrize("type_name", ["notification", "question", "task_request", "handoff"])
def test_anything_else_is_normal_whatever_it_answers(type_name: str) -> None:
    fields = fields_of("oacp", type_name, "priority")
    assert composed(type_name, fields, answering={"priority": "P0"})["priority"] == "P2"


def test_a_given_priority_is_kept_in_an_answer() -> None:
    fields = {**fields_of("oacp", "review_lgtm"), "priority": "P3"}
    assert composed("review_lgtm", fields, answering={"priority": "P0"})["priority"] == "P3"


@pytest.mark.parametrize("left_out", [None, ""])
def test_a_priority_that_is_left_empty_is_filled_in_or_refused(left_out: Any) -> None:
    fields = {**NOTE, "priority": left_out}
    if left_out is None:
        assert composed("notification", fields)["priority"] == "P2"
    else:
        assert ("priority", "not_one_of") in refused("notification", fields)


def test_an_oacp_answer_joins_the_conversation() -> None:
    parent = fields_of("oacp", "review_request")
    made = composed("review_lgtm", _without_thread("review_lgtm"), answering=parent)
    assert made["parent_message_id"] == parent["id"]
    assert made["conversation_id"] == parent["conversation_id"]


def _without_thread(type_name: str) -> dict[str, Any]:
    return fields_of("oacp", type_name, "parent_message_id", "conversation_id")


def test_an_answer_to_a_message_without_conversation_has_none() -> None:
    made = composed("notification", NOTE, answering={"id": "msg-20260313T1400Z-codex-b2e1"})
    assert made["parent_message_id"] == "msg-20260313T1400Z-codex-b2e1"
    assert "conversation_id" not in made


def test_an_answer_keeps_the_thread_that_the_caller_names() -> None:
    thread = "conv-20260101-claude-009"
    parent = fields_of("oacp", "review_request")
    made = composed("notification", {**NOTE, "conversation_id": thread}, answering=parent)
    assert made["conversation_id"] == thread


def test_an_acp_answer_refers_to_what_it_answers() -> None:
    ping = composed("ping", PEERS)
    answer = fields_of("acp", "pong", "ref")
    assert composed("pong", answer, answering=ping)["ref"] == ping["id"]


def test_an_acp_answer_without_anything_to_refer_to_is_refused() -> None:
    assert refused("pong", fields_of("acp", "pong", "ref")) == [("ref", "wrong_type")]


def test_an_agent_mail_answer_is_about_the_same_task() -> None:
    task = fields_of("agentmail", "task_assignment")
    made = composed(
        "status_update", fields_of("agentmail", "status_update", "task_id"), answering=task
    )
    assert made["task_id"] == task["task_id"]


def test_acp_ids_are_written_with_their_prefix() -> None:
    made = composed("ping", PEERS)
    assert made["from"] == "ed25519." + BARE
    assert made["to"] == PEERS["to"]


@pytest.mark.parametrize("payload", [None, {}])
@pytest.mark.parametrize("kind", ["ping", "discover"])
def test_an_acp_payload_is_always_written_as_an_object(kind: str, payload: Any) -> None:
    assert composed(kind, {**PEERS, "payload": payload})["payload"] == {}
    assert b'"payload":{}' in waypost.compose(kind, PEERS).raw


@pytest.mark.parametrize(
    ("kind", "payload", "defaults"),
    [
        ("query", {"question": "?"}, {"max_tokens": 0, "deadline_ms": 30000}),
        ("delegate", {"task": "t"}, {"priority": "normal", "report_back": True}),
        ("notify", {"topic": "t"}, {"importance": "low"}),
    ],
)
def test_acp_payloads_get_the_defaults_of_their_schema(
    kind: str, payload: dict[str, Any], defaults: dict[str, Any]
) -> None:
    made = composed(kind, {**PEERS, "payload": payload})["payload"]
    assert made == {**payload, **defaults}
    kept = {name: made[name] for name in made} | {"extra": [1]}
    assert composed(kind, {**PEERS, "payload": kept})["payload"] == kept


def test_an_acp_response_and_error_get_theirs() -> None:
    answer = {**PEERS, "ref": AN_ID}
    error = {**answer, "payload": {"code": "timeout", "message": "Too late."}}
    assert composed("error", error)["payload"]["retryable"] is False
    response = {**answer, "payload": {"summary": "Yes."}}
    assert composed("response", response)["payload"]["truncated"] is False


@pytest.mark.parametrize(
    ("priority", "value"), [("urgent", 0), ("high", 1), ("normal", 2), ("low", 3)]
)
def test_either_priority_of_agent_mail_says_the_other(priority: str, value: int) -> None:
    task = fields_of("agentmail", "task_assignment", "priority", "priority_value")
    for given in ({"priority": priority}, {"priority_value": value}):
        made = composed("task_assignment", {**task, **given})
        assert (made["priority"], made["priority_value"]) == (priority, value)


def test_no_priority_in_agent_mail_is_normal() -> None:
    task = fields_of("agentmail", "task_assignment", "priority", "priority_value")
    made = composed("task_assignment", task)
    assert (made["priority"], made["priority_value"]) == ("normal", 2)


def test_priorities_of_agent_mail_that_disagree_are_refused() -> None:
    task = {**fields_of("agentmail", "task_assignment"), "priority": "low", "priority_value": 0}
    assert refused("task_assignment", task) == [("priority_value", "priority_disagrees")]


@pytest.mark.parametrize("odd", [9, -1, "2", True, None, [2]])
def test_an_odd_priority_value_is_refused_and_not_guessed_around(odd: Any) -> None:
    task = fields_of("agentmail", "task_assignment", "priority", "priority_value")
    found = refused("task_assignment", {**task, "priority_value": odd})
    assert [path for path, _ in found] == ["priority_value"]


def test_a_reservation_lasts_an_hour_unless_told() -> None:
    request = {"mode": "exclusive", "file_patterns": ["src/**"]}
    fields = fields_of("agentmail", "file_reservation", "reservation_request", "alternatives")
    made = composed("file_reservation", {**fields, "reservation_request": request})
    assert made["reservation_request"] == {**request, "duration_minutes": 60}
