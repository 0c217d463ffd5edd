"""How reviews and tasks stand, as the letters of their thread tell it."""

from typing import Any

import pytest

from office_scene import MINUTE, Scene, caller
from waypost.office.progress import Review, Task

DANA = caller("dana")
REQUEST = {"pr": "#61", "branch": "b", "diff_summary": "d"}
FOUND = {"findings_packet": "p.yaml", "round": 1, "blocking_count": 2}
ADDRESSED = {"commit_sha": "5e81f0c", "changes_summary": "c", "round": 1,
             "touched_files": ["a"], "addressed_finding_ids": ["f1"]}  # fmt: skip
LGTM = {"quality_gate_result": "pass", "merge_ready": True}
ASSIGNED = {"task_id": "bd-1", "description": "Sweep", "file_patterns": ["a"],
            "specification": {"acceptance_criteria": ["clean"]},
            "estimated_duration_minutes": 5}  # fmt: skip


def reviewed(scene: Scene, *steps: tuple[str, str, Any]) -> Review:
    """The review after some answers, each to the letter before."""
    last = scene.send("codex", "claude", type="review_request", content=REQUEST)
    thread = last.thread
    for who, kind, content in steps:
        said = {"text": content} if isinstance(content, str) else {"content": content}
        last = scene.office.reply(caller(who), last.id, type=kind, **said)
    (review,) = scene.office.progress(DANA, thread).reviews
    return review


ROUND = ("claude", "review_feedback", FOUND)
MENDED = ("codex", "review_addressed", ADDRESSED)


@pytest.mark.parametrize(
    ("steps", "turn", "rounds", "blocking"),
    [
        ([], "claude", 0, None),
        ([ROUND], "codex", 1, 2),
        ([ROUND, MENDED], "claude", 1, 2),
        ([ROUND, ("codex", "question", "Which cart?")], "claude", 1, 2),
        ([ROUND, MENDED, ("claude", "review_lgtm", LGTM)], "codex", 1, 0),
        ([ROUND, MENDED, ("codex", "review_request", REQUEST)], "claude", 1, 2),
    ],
)
def test_a_review_says_whose_turn_it_is(
    scene: Scene, steps: list[tuple[str, str, Any]], turn: str, rounds: int, blocking: int | None
) -> None:
    review = reviewed(scene, *steps)
    assert (review.turn, review.rounds, review.blocking) == (turn, rounds, blocking)


def test_two_reviewers_are_two_reviews(scene: Scene) -> None:
    asked = scene.send("codex", ["claude", "gemini"], type="review_request", content=REQUEST)
    scene.office.reply(caller("gemini"), asked.id, type="review_lgtm", content=LGTM)
    reviews = scene.office.progress(DANA, asked.thread).reviews
    assert [(one.reviewer, one.approved, one.turn) for one in reviews] == [
        ("claude", False, "claude"), ("gemini", True, "codex"),
    ]  # fmt: skip


def task(scene: Scene, thread: str) -> Task:
    (found,) = scene.office.progress(DANA, thread).tasks
    return found


@pytest.mark.parametrize(
    ("word", "state"),
    [("Done: swept", "done"), ("Failed: no broom", "failed"), ("Refused: not mine", "refused"),
     ("Partly done", "done in part"), ("Half of it is swept", "answered")],
)  # fmt: skip
def test_a_task_ends_with_the_word_that_its_answer_opens_with(
    scene: Scene, word: str, state: str
) -> None:
    sent = scene.send(type="task_request", text="Sweep")
    reply = scene.office.reply(caller("codex"), sent.id, text=word)
    found = task(scene, sent.thread)
    assert (found.state, found.waits, found.ended_by) == (state, "", reply.id)


def test_a_task_is_offered_then_taken_and_somebody_waits(scene: Scene) -> None:
    sent = scene.send(type="task_request", text="Sweep")
    assert task(scene, sent.thread).waits == "claude waits for codex to take it"
    scene.office.acknowledge(caller("codex"), sent.id)
    assert task(scene, sent.thread)[2] == "taken"
    assert task(scene, sent.thread).waits == "claude waits for codex to finish it"


def test_a_task_that_was_refused_keeps_nobody_waiting(scene: Scene) -> None:
    sent = scene.send(type="task_request", text="Sweep")
    scene.office.acknowledge(caller("codex"), sent.id, accepted=False)
    assert task(scene, sent.thread)[2:5] == ("refused", None, "")


def test_a_task_times_out_at_its_deadline(scene: Scene) -> None:
    due = "2026-11-19T12:10:00Z"
    sent = scene.send(type="task_assignment", content={**ASSIGNED, "deadline": due})
    assert task(scene, sent.thread).state == "offered"
    scene.clock.move(11)
    found = task(scene, sent.thread)
    assert (found.state, found.due_at) == ("timed out", scene.clock.now - MINUTE)


def test_what_its_sender_takes_back_is_no_task_any_more(scene: Scene) -> None:
    sent = scene.send(type="task_request", text="Sweep")
    scene.office.withdraw(caller("claude"), sent.id)
    assert task(scene, sent.thread).state == "taken back"


def test_progress_is_json_for_programs(scene: Scene) -> None:
    reviewed(scene, ROUND)
    sent = scene.send(type="task_request", text="Sweep")
    shown = scene.office.progress(DANA, sent.thread).to_json()
    assert shown["tasks"][0]["id"] == sent.id
    assert shown["reviews"] == []
