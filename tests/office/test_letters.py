"""Letters from one to the other: sent once, listed in order, read, acknowledged, answered."""

from typing import Any

import pytest

from office_scene import MINUTE, NOON, TASK, Scene, caller, refusal


def test_a_letter_arrives_as_it_was_sent(scene: Scene) -> None:
    receipt = scene.send(text="Which port?\nThe docs say 8080.")
    (header,) = scene.office.inbox(caller("codex")).letters
    assert (header.id, header.sender, header.subject) == (receipt.id, "claude", "Which port?")
    letter = scene.office.read(caller("codex"), receipt.id)
    assert letter.fields["body"] == "Which port?\nThe docs say 8080."
    assert letter.message is not None
    assert letter.text.encode() == letter.message


def test_each_step_of_a_letter_is_told_when_it_happens(scene: Scene) -> None:
    receipt = scene.send()
    seen = [scene.states(receipt.id)["codex"]]
    for step in (
        lambda: scene.inbox(),
        lambda: scene.office.read(caller("codex"), receipt.id),
        lambda: scene.office.acknowledge(caller("codex"), receipt.id),
        lambda: scene.office.reply(caller("codex"), receipt.id, "8080"),
    ):
        step()
        seen.append(scene.states(receipt.id)["codex"])
    assert seen == ["stored", "handed_over", "read", "acknowledged", "done"]


def test_the_same_letter_twice_is_one(scene: Scene) -> None:
    first = scene.send(message_id="m-1")
    again = scene.send(message_id="m-1")
    assert (again.id, again.position, again.is_repeat) == (first.id, first.position, True)
    assert len(scene.inbox()) == 1


def test_other_content_under_the_same_id_is_refused(scene: Scene) -> None:
    scene.send(message_id="m-1")
    error = refusal(lambda: scene.send(message_id="m-1", text="Another"))
    assert (error["error"], error["message_id"]) == ("conflict", "m-1")
    assert scene.inbox() == ["Which port?"]


def test_what_the_office_fills_in_makes_no_difference_between_two_sends(scene: Scene) -> None:
    message_id = "msg-11111111-1111-4111-8111-111111111111"
    given: dict[str, Any] = {"type": "task_assignment", "content": TASK, "message_id": message_id}
    scene.send(**given)
    scene.clock.move(minutes=5)
    assert scene.send(**given).is_repeat


def test_two_senders_may_choose_the_same_id(scene: Scene) -> None:
    scene.send("claude", message_id="m-1")
    scene.send("gemini", message_id="m-1")
    assert len(scene.inbox()) == 2


def test_an_inbox_is_ordered_by_urgency_then_requests_then_time(scene: Scene) -> None:
    scene.send(text="first")
    scene.send(text="second")
    scene.send(text="request", type="task_request")
    scene.send(text="urgent", priority="urgent")
    scene.send(text="low", priority="P3")
    assert scene.inbox() == ["urgent", "request", "first", "second", "low"]


def test_an_inbox_comes_in_pages(scene: Scene) -> None:
    for number in range(5):
        scene.send(text=f"number {number}")
    first = scene.office.inbox(caller("codex"), limit=3)
    rest = scene.office.inbox(caller("codex"), limit=3, after=first.next)
    assert [one.subject[-1] for one in first.letters + rest.letters] == list("01234")
    assert (first.unread, rest.next) == (5, None)


def test_what_was_read_is_listed_only_when_asked_for(scene: Scene) -> None:
    receipt = scene.send()
    scene.office.read(caller("codex"), receipt.id)
    assert scene.inbox() == []
    assert scene.inbox(unread_only=False) == ["Which port?"]
    assert scene.office.inbox(caller("codex")).unread == 0


def test_what_is_done_leaves_the_inbox(scene: Scene) -> None:
    scene.office.done(caller("codex"), scene.send().id)
    assert scene.inbox(unread_only=False) == []


def test_peeking_is_not_reading(scene: Scene) -> None:
    receipt = scene.send()
    scene.office.read(caller("codex"), receipt.id, peek=True)
    assert scene.states(receipt.id) == {"codex": "stored"}


def test_the_beginning_of_an_id_is_enough(scene: Scene) -> None:
    receipt = scene.send(type="task_assignment", content=TASK)
    assert scene.office.read(caller("codex"), receipt.id[4:12]).header.id == receipt.id


def test_an_id_that_could_be_several_is_refused_with_them(scene: Scene) -> None:
    for name in ("same-one", "same-two"):
        scene.send(message_id=name)
    error = refusal(lambda: scene.office.read(caller("codex"), "same"))
    assert "same-one, same-two" in error["hint"]


def test_a_letter_between_others_is_not_shown(scene: Scene) -> None:
    receipt = scene.send()
    error = refusal(lambda: scene.office.read(caller("gemini"), receipt.id))
    assert error["error"] == "not_found"
    assert scene.office.thread(caller("dana"), receipt.thread).letters[0].id == receipt.id


def test_a_refusal_stays_and_saying_the_opposite_is_a_conflict(scene: Scene) -> None:
    receipt = scene.send(acknowledge=True)
    codex = caller("codex")
    scene.office.acknowledge(codex, receipt.id, accepted=False, note="no time today")
    assert scene.office.read(codex, receipt.id).note == "no time today"
    assert scene.office.acknowledge(codex, receipt.id, accepted=False).state == "acknowledged"
    assert refusal(lambda: scene.office.acknowledge(codex, receipt.id))["error"] == "conflict"


def test_an_awaited_acknowledgement_becomes_overdue(scene: Scene) -> None:
    receipt = scene.send(acknowledge_minutes=30)
    assert not scene.office.read(caller("claude"), receipt.id).header.is_overdue
    scene.clock.move(minutes=31)
    assert scene.office.read(caller("claude"), receipt.id).header.is_overdue
    scene.office.acknowledge(caller("codex"), receipt.id)
    assert not scene.office.read(caller("claude"), receipt.id).header.is_overdue


def test_a_letter_that_was_not_handed_over_in_time_expires(scene: Scene) -> None:
    late, early = (scene.send(expires_minutes=10, text=text) for text in ("late", "early"))
    scene.send(text="no end")
    scene.office.read(caller("codex"), early.id)
    scene.clock.move(minutes=11)
    assert scene.states(late.id) == {"codex": "expired"}
    assert scene.inbox() == ["no end"]
    assert scene.states(late.id) == {"codex": "expired"}
    assert scene.states(early.id) == {"codex": "read"}


def test_a_thread_holds_what_was_said_in_order(scene: Scene) -> None:
    asked = scene.send(type="question", text="Which port?")
    scene.office.reply(caller("codex"), asked.id, "8080")
    said = scene.office.thread(caller("claude"), asked.thread).letters
    assert [one.subject for one in said] == ["Which port?", "8080"]
    assert said[1].reply_to == asked.id
    assert scene.office.thread(caller("codex"), asked.id[:8]).letters[0].id == asked.id


def test_a_task_is_the_thread_of_what_is_said_about_it(scene: Scene) -> None:
    task = scene.send(type="task_assignment", content=TASK)
    content = {"update_type": "progress", "status_summary": "half", "blockers": []}
    told = scene.office.reply(caller("codex"), task.id, type="status_update", content=content)
    assert (task.thread, told.thread) == ("bd-42", "bd-42")
    assert scene.office.read(caller("claude"), told.id).fields["task_id"] == "bd-42"


def test_the_base_fields_of_agent_mail_are_filled_in(scene: Scene) -> None:
    receipt = scene.send(type="task_assignment", content=TASK)
    fields = scene.office.read(caller("codex"), receipt.id).fields
    assert (fields["sender_id"], fields["version"]) == ("claude", "1.0.0")
    assert fields["timestamp"] == "2026-11-19T12:00:00Z"
    assert (fields["priority"], fields["message_id"]) == ("normal", receipt.id)


@pytest.mark.parametrize("field", ["sender_id", "from"])
def test_nobody_writes_in_anothers_name(scene: Scene, field: str) -> None:
    kind = "task_assignment" if field == "sender_id" else "question"
    content = {**TASK, field: "gemini"} if field == "sender_id" else {"body": "?", field: "gemini"}
    error = refusal(lambda: scene.send(type=kind, content=content))
    assert error["error"] == "not_authorized"


def test_every_problem_of_a_message_is_told_at_once(scene: Scene) -> None:
    error = refusal(lambda: scene.send(type="task_assignment", content={"task_id": ""}))
    paths = {problem["path"] for problem in error["problems"]}
    assert {"task_id", "description", "specification", "file_patterns"} <= paths


def test_a_secret_is_refused_and_never_repeated(scene: Scene) -> None:
    secret = "ghp_" + "a1B2" * 10
    error = refusal(lambda: scene.send(text=f"use {secret}"))
    assert error["error"] == "secret_detected"
    assert secret not in str(error)
    assert scene.send(text=f"use {secret}", allow_secrets=True).position > 0


def test_a_coordination_request_reaches_all_participants(scene: Scene) -> None:
    content = {"request_type": "sync", "participants": ["codex", "gemini", "claude"],
               "coordination_topic": "release"}  # fmt: skip
    receipt = scene.send(to=[], type="coordination_request", content=content)
    assert receipt.to == ("codex", "gemini")
    assert scene.inbox("gemini") == ["release"]


def test_an_unknown_type_is_refused_and_stands_in_the_journal(scene: Scene) -> None:
    error = refusal(lambda: scene.send(type="hand_off", content={}, message_id="m-1"))
    assert (error["error"], error["message_id"]) == ("unknown_type", "m-1")
    (deed,) = scene.office.log(caller("claude"), kind="message.refused")
    assert (deed.actor, deed.data["error"], deed.data["id"]) == ("claude", "unknown_type", "m-1")
    assert any('"type":"hand_off"' in line.replace(" ", "") for line in scene.office.export())


def test_a_blocking_report_reaches_the_people(scene: Scene) -> None:
    content = {"task_id": "bd-1", "severity": "blocking",
               "error": {"code": "X", "message": "stuck"},
               "reproduction_steps": [], "needs_human_intervention": False}  # fmt: skip
    scene.send(type="error_report", content=content)
    assert scene.inbox("dana", people=True) == ["stuck"]
    assert refusal(lambda: scene.inbox("codex", people=True))["error"] == "not_authorized"


def test_a_broadcast_is_one_letter_to_everyone_else(scene: Scene) -> None:
    receipt = scene.send(to="*", text="lunch")
    assert receipt.to == ("codex", "gemini", "dana")
    assert [scene.inbox(name) for name in receipt.to] == [["lunch"]] * 3
    assert scene.inbox("claude") == []


def test_a_list_with_one_unknown_name_reaches_nobody(scene: Scene) -> None:
    error = refusal(lambda: scene.send(to=["codex", "gemni"]))
    assert (error["error"], error["hint"]) == ("unknown_recipient", 'did you mean "gemini"?')
    assert scene.inbox("codex") == []


def test_a_reply_to_ones_own_letter_goes_where_that_went(scene: Scene) -> None:
    sent = scene.send(to=["codex", "gemini"])
    assert scene.office.reply(caller("claude"), sent.id, "or 8081?").to == ("codex", "gemini")


def test_a_short_beginning_of_an_id_names_no_letter(scene: Scene) -> None:
    receipt = scene.send()
    error = refusal(lambda: scene.office.read(caller("codex"), receipt.id[:3]))
    assert "4 characters" in error["hint"]


def test_a_structured_letter_without_a_subject_is_called_by_its_type(scene: Scene) -> None:
    body = {"issue": "#38", "pr": "#42", "branch": "auth", "tests_run": True, "next_owner": "codex"}
    scene.send(type="handoff_complete", content=body)
    assert scene.inbox() == ["handoff complete"]


def test_a_letter_needs_recipients_and_words(scene: Scene) -> None:
    assert refusal(lambda: scene.send(to=[]))["error"] == "usage"
    assert refusal(lambda: scene.send(text=None))["error"] == "usage"


def test_times_come_from_the_clock_of_the_office(scene: Scene) -> None:
    receipt = scene.send(expires_minutes=10)
    header = scene.office.read(caller("codex"), receipt.id).header
    assert (header.sent_at, header.expires_at) == (NOON, NOON + 10 * MINUTE)
