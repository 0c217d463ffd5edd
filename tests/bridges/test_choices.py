"""A reply is translated by what it answers, and nobody claims what nobody said."""

from typing import Any

import pytest

from bridges.pairs import AN_ID, context, of, said
from waypost.bridge.losses import Reason
from waypost.bridge.translate import translate
from waypost.errors import InvalidMessageError, NoTranslationError

COMPLETION = {"files_modified": ["a.py"], "test_results": {}, "errors_encountered": []}


def note(subject: str, body: Any = "It is so.\n") -> Any:
    return of("oacp", "notification", subject=subject, body=body)


@pytest.mark.parametrize(
    ("subject", "answers", "kind", "payload"),
    [
        ("Tokens", "query", "response", {}),
        ("Done: merged", "query", "response", {}),
        ("Done: merged", "delegate", "result", {"status": "completed"}),
        ("done", "delegate", "result", {"status": "completed"}),
        ("Done with the first half", "delegate", "notify", {"topic": "progress"}),
        ("Partly done: no docs", "delegate", "result", {"status": "partial"}),
        ("Failed", "delegate", "result", {"status": "failed", "error": "Failed\n\nIt is so.\n"}),
        ("Accepted", "delegate", "ack", {"accepted": True}),
        ("Refused: no time", "delegate", "ack", {"accepted": False}),
        ("Accepted", "cancel", "ack", {"accepted": True}),
        ("Half way", "delegate", "notify", {"topic": "progress"}),
        ("Done: merged", "notify", "notify", {"topic": "notification"}),
        ("Done: merged", None, "notify", {"topic": "notification"}),
    ],
)
def test_a_notification_is_what_it_answers(
    subject: str, answers: str | None, kind: str, payload: dict[str, Any]
) -> None:
    found = said(note(subject), "acp", answers)
    assert (found["kind"], found["payload"] | payload) == (kind, found["payload"])
    assert found["ref"] == (None if kind == "notify" else AN_ID)


def test_who_takes_back_its_own_task_cancels_it() -> None:
    found = said(note("Cancelled: plans changed"), "acp", "delegate", own=True)
    assert (found["kind"], found["ref"]) == ("cancel", AN_ID)
    assert found["payload"]["reason"].startswith("Cancelled: plans changed")
    assert said(note("Cancelled: plans changed"), "acp", "delegate")["kind"] == "notify"


def test_nobody_ends_a_task_of_its_own_by_saying_done() -> None:
    assert said(note("Done"), "acp", "delegate", own=True)["kind"] == "notify"


def test_progress_names_the_delegation() -> None:
    data = said(note("Half way"), "acp", "delegate")["payload"]["data"]
    assert data == {"delegation": AN_ID, "text": "Half way\n\nIt is so.\n"}


@pytest.mark.parametrize(
    ("status", "opening", "priority"),
    [("completed", "Done", "P2"), ("partial", "Partly done", "P2"), ("failed", "Failed", "P1")],
)
def test_a_result_says_in_words_how_it_went(status: str, opening: str, priority: str) -> None:
    found = said(of("acp", "result", payload={"status": status, "outcome": "Six"}), "oacp")
    assert (found["subject"], found["priority"]) == (f"{opening}: Six", priority)


FINDINGS = {"findings_packet": "packets/1.yaml", "round": 1, "blocking_count": 2}
APPROVAL = {"quality_gate_result": "pass", "merge_ready": True}
WHOLE = {"issue": "#1", "pr": "#2", "branch": "main", "tests_run": True, "next_owner": "claude"}


@pytest.mark.parametrize(
    ("answers", "status", "data", "kind"),
    [
        ("review_request", "partial", FINDINGS, "review_feedback"),
        ("review_addressed", "completed", APPROVAL, "review_lgtm"),
        ("handoff", "completed", WHOLE, "handoff_complete"),
        ("review_request", "completed", FINDINGS, "notification"),
        ("review_request", "partial", {"round": 1}, "notification"),
        ("review_request", "partial", FINDINGS | {"round": "first"}, "notification"),
        ("task_request", "completed", WHOLE, "notification"),
    ],
)
def test_an_answer_takes_its_special_form_only_when_all_that_demands_was_given(
    answers: str, status: str, data: dict[str, Any], kind: str
) -> None:
    payload = {"status": status, "outcome": "Read it", "data": data}
    found = said(of("acp", "result", payload=payload), "oacp", answers)
    assert found["type"] == kind
    assert kind == "notification" or found["body"] == data


def test_a_completion_is_claimed_only_with_files_and_test_results() -> None:
    done = translate(of("acp", "result"), "agentmail", context("agentmail"))
    fields = done.message.fields or {}
    assert (fields["type"], fields["update_type"]) == ("status_update", "milestone")
    (loss,) = [loss for loss in done.losses if loss.reason is Reason.DEMANDED]
    assert (loss.path, "files_modified" in loss.sentence) == ("kind", True)


def test_a_completion_is_one_when_they_were_given() -> None:
    payload = {"status": "failed", "outcome": "Stuck", "data": COMPLETION | {"bay": 2}}
    found = said(of("acp", "result", payload=payload), "agentmail")
    assert (found["type"], found["status"]) == ("task_completion", "blocked")
    assert {key: found[key] for key in COMPLETION} == COMPLETION
    assert found["metadata"] == {"bay": 2}


def test_a_type_can_be_asked_for_and_is_refused_where_it_would_need_inventing() -> None:
    source = of("acp", "result")
    with pytest.raises(NoTranslationError, match="was not given"):
        translate(source, "agentmail", context("agentmail"), only="task_completion")
    with pytest.raises(NoTranslationError, match="never becomes") as refusal:
        translate(source, "agentmail", context("agentmail"), only="task_assignment")
    assert refusal.value.hint == "it may become task_completion, status_update"


@pytest.mark.parametrize("kind", ["hello", "ping", "pong", "discover", "capabilities"])
def test_what_the_runtime_answers_never_becomes_a_letter(kind: str) -> None:
    with pytest.raises(NoTranslationError, match="never becomes a letter"):
        translate(of("acp", kind), "oacp", context("oacp"))


def test_a_message_that_is_not_valid_is_refused_with_its_problems() -> None:
    source = of("acp", "query", payload={})
    with pytest.raises(InvalidMessageError) as refusal:
        translate(source, "oacp", context("oacp"))
    assert refusal.value.problems == source.problems
