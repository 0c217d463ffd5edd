"""What dialects say differently: urgency, times, threads, subjects, bodies."""

from typing import Any

import pytest

from bridges.pairs import AN_ID, KEYS, NOW, context, of, said
from waypost.bridge import fields as say
from waypost.bridge.losses import Reason
from waypost.bridge.translate import translate


def lost(source: Any, target: str, **more: Any) -> dict[str, Reason]:
    done = translate(source, target, context(target, **more))
    return {loss.path: loss.reason for loss in done.losses}


@pytest.mark.parametrize(
    ("priority", "word", "loss"),
    [
        ("P0", "urgent", None),
        ("P1", "normal", Reason.COARSER),
        ("P2", "normal", None),
        ("P3", "normal", Reason.COARSER),
    ],
)
def test_a_priority_is_said_as_well_as_can_be(
    priority: str, word: str, loss: Reason | None
) -> None:
    source = of("oacp", "task_request", priority=priority)
    assert said(source, "acp")["payload"]["priority"] == word
    assert lost(source, "acp").get("priority") is loss


def test_a_priority_that_nobody_can_say_is_lost_unless_it_is_normal() -> None:
    assert lost(of("oacp", "question", priority="P1"), "acp")["priority"] is Reason.NO_PLACE
    assert "priority" not in lost(of("oacp", "question", priority="P2"), "acp")


def test_a_query_waits_half_a_minute_when_it_does_not_say_how_long() -> None:
    source = of("acp", "query", payload={"question": "Which?"})
    assert said(source, "oacp")["expires_at"] == "2026-03-13T14:30:30Z"


def test_a_deadline_is_a_time_in_mail_and_a_wait_between_live_peers() -> None:
    task = of("oacp", "task_request", expires_at="2026-03-13T14:31:00Z")
    assert said(task, "acp")["payload"]["deadline_ms"] == 60_000
    assert said(task, "agentmail")["deadline"] == "2026-03-13T14:31:00Z"
    wait = of("acp", "delegate", payload={"task": "Count", "deadline_ms": 60_000})
    assert said(wait, "oacp")["expires_at"] == "2026-03-13T14:31:00Z"


def test_a_deadline_that_has_passed_or_has_no_place_is_lost() -> None:
    late = of("oacp", "task_request", expires_at="2026-03-13T14:30:00Z")
    assert "deadline_ms" not in said(late, "acp")["payload"]
    assert lost(late, "acp")["expires_at"] is Reason.UNFIT
    note = of("oacp", "notification", expires_at="2026-03-14T00:00:00Z")
    assert lost(note, "acp")["expires_at"] is Reason.ENVELOPE


def test_a_message_is_as_old_as_its_original() -> None:
    found = said(of("oacp", "task_request", created_at_utc="2026-01-01T00:00:01Z"), "acp")
    assert found["ts"] == 1_767_225_601_000
    assert said(of("acp", "query", ts=1_767_225_601_000), "oacp")["created_at_utc"] == (
        "2026-01-01T00:00:01Z"
    )


@pytest.mark.parametrize("created", ["1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
def test_a_time_that_the_target_cannot_write_is_now(created: str) -> None:
    source = of("oacp", "task_request", created_at_utc=created)
    assert said(source, "acp")["ts"] == NOW
    assert lost(source, "acp")["created_at_utc"] is Reason.UNFIT


def test_parts_of_a_second_are_told_as_lost_where_they_are() -> None:
    assert lost(of("acp", "query", ts=NOW + 1), "oacp")["ts"] is Reason.COARSER
    fine = of("agentmail", "status_update", timestamp="2026-03-13T14:30:00.1234Z")
    assert lost(fine, "acp")["timestamp"] is Reason.COARSER


def test_a_task_id_is_the_threads() -> None:
    source = of("oacp", "task_request", conversation_id="conv-20260313-claude-007")
    assert said(source, "agentmail")["task_id"] == "conv-20260313-claude-007"
    assert said(source, "agentmail", thread="shop-14")["task_id"] == "shop-14"
    alone = of("acp", "delegate")
    assert said(alone, "agentmail")["task_id"] == (alone.fields or {})["id"]


def test_a_thread_that_is_no_line_of_text_is_lost() -> None:
    source = of("agentmail", "status_update", task_id="one\ntwo")
    assert "conversation_id" not in said(source, "oacp")
    assert lost(source, "oacp")["task_id"] is Reason.UNFIT


def test_a_reply_refers_to_what_its_reader_knows() -> None:
    source = of("acp", "response")
    assert said(source, "oacp", "question")["parent_message_id"] == AN_ID
    assert lost(source, "oacp")["ref"] is Reason.UNFIT
    assert "ref" not in lost(source, "oacp", answers="question")


def test_a_peer_gets_a_message_of_its_own_and_mail_goes_to_all() -> None:
    source = of("oacp", "question", to=["codex", "gemini"])
    assert lost(source, "acp")["to"] is Reason.ENVELOPE
    around = context("oacp")._replace(recipients=("codex", "gemini"))
    found = translate(of("acp", "query"), "oacp", around).message.fields or {}
    assert found["to"] == ["codex", "gemini"]


def test_participants_are_those_at_the_ends() -> None:
    assert said(of("acp", "query"), "agentmail")["participants"] == ["claude", "codex"]
    assert (said(of("oacp", "question"), "acp")["from"], KEYS[0]) == (KEYS[0], KEYS[0])


def test_a_structured_body_keeps_its_fields() -> None:
    context_of_task = said(of("oacp", "handoff"), "acp")["payload"]["context"]
    assert context_of_task["context_bundle"]["files_touched"] == ["src/middleware/auth.ts"]
    asked = said(of("oacp", "handoff"), "agentmail")
    assert asked["success_criteria"] == context_of_task["definition_of_done"]


def test_what_has_no_field_stands_in_lines_below_the_text() -> None:
    payload = {"task": "Count them", "context": {"shelf": 4, "open": True, "sizes": [1.5, None]}}
    assert said(of("acp", "delegate", payload=payload), "oacp")["body"] == (
        'Count them\n\nshelf: 4\nopen: true\nsizes:\n  - "1.5"\n  - "null"'
    )


def test_a_reservation_is_asked_for_where_no_office_reserves() -> None:
    found = said(of("agentmail", "file_reservation"), "oacp")
    assert found["type"] == "question"
    assert found["subject"].startswith("File reservation: I'm building the wish list")
    assert '"src/wishlist/**/*.ts"' in found["body"]


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("\n  \nFirst\nSecond", "First"),
        ("one\u2028two", "one"),
        ("x" * 200, "x" * 200),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_a_subject_is_the_first_line_that_says_something(text: str, subject: str) -> None:
    assert say.subject(text) == subject


@pytest.mark.parametrize(
    ("title", "text", "whole"),
    [
        ("Hi", "Hi\nthere", "Hi\nthere"),
        ("Hi", "there", "Hi\n\nthere"),
        (None, "there", "there"),
        ("Hi", None, "Hi"),
    ],
)
def test_a_title_is_said_once(title: str | None, text: str | None, whole: str) -> None:
    assert say.joined(title, text) == whole


def test_what_nests_too_deeply_for_its_place_is_lost_and_the_rest_is_said() -> None:
    deep: Any = "found"
    for _ in range(61):
        deep = [deep]
    source = of("agentmail", "status_update", more=deep, other=1)
    assert lost(source, "acp") == {"task_id": Reason.ENVELOPE}
    source = of("agentmail", "status_update", more=[deep], other=1)
    assert lost(source, "acp") == {"task_id": Reason.ENVELOPE, "more": Reason.UNFIT}
    assert said(source, "acp")["payload"]["data"]["other"] == 1


def test_what_does_not_fit_where_its_name_belongs_takes_its_whole_path() -> None:
    source = of("oacp", "handoff", body=(of("oacp", "handoff").fields or {})["body"] | {"epic": []})
    assert said(source, "agentmail")["metadata"]["body.epic"] == []
