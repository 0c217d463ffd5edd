"""Reviews by other tools: broken packets, prose, odd rounds, clocks that differ."""

import os
from pathlib import Path
from typing import Any

import pytest
from reviewers import Pair, body, finding, pair, refusal

from waypost.mailbox.reviews import find_reviews

__all__ = ["pair"]
PACKET = "packets/review/theirs.yaml"
FINDINGS = "findings:\n- {id: F-1, severity: P1, blocking: yes, summary: x}\n"


def alien(pair: Pair, kind: str, text: str, *, at: str = "10:05", **more: str) -> None:
    """A message that another tool left: from claude or codex, as its type has it."""
    sender, to = ("codex", "claude")
    if kind in ("review_request", "review_addressed"):
        sender, to = to, sender
    fields = {
        "id": f"alien-{kind}-{at}",
        "from": sender,
        "to": to,
        "type": kind,
        "priority": "P1",
        "created_at_utc": f"2026-03-13T{at}:00Z",
        "subject": kind,
        "conversation_id": "review-pr-42",
        **more,
    }
    head = "".join(f'{name}: "{value}"\n' for name, value in fields.items() if value)
    indented = "".join(f"  {line}\n" for line in text.splitlines())
    pair.drop(f"x_{sender}_{kind}_{at.replace(':', '')}.yaml", f"{head}body: |\n{indented}")


def asked(pair: Pair) -> None:
    alien(pair, "review_request", 'pr: "42"\nbranch: b\ndiff_summary: d', at="10:00")


def told(pair: Pair, **more: Any) -> None:
    """Feedback that names their packet, but for what is said."""
    fields = {"findings_packet": PACKET, "round": 1, "blocking_count": 1} | more
    alien(pair, "review_feedback", "\n".join(f"{key}: {value}" for key, value in fields.items()))


def written(pair: Pair, text: str) -> None:
    (pair.folder / PACKET).write_text(text)


def test_their_packet_counts(pair: Pair) -> None:
    asked(pair)
    written(pair, FINDINGS.replace("yes", "true"))
    told(pair)
    assert (pair.open_ids(), pair.review().turn) == (["F-1"], "claude")
    assert body(pair.settle())["addressed_finding_ids"] == ["F-1"]
    assert pair.approve().reviews[0].approved


@pytest.mark.parametrize(
    "text",
    ["", "- ][", FINDINGS, "findings: 3", "x" * 1_100_000, "findings:\n- {id: a}", "{" * 5000],
)
def test_while_their_packet_is_broken_nothing_is_approved(pair: Pair, text: str) -> None:
    asked(pair)
    written(pair, text)
    told(pair, blocking_count=2)
    assert (pair.review().ledger.unknown, pair.review().turn) == (2, "claude")
    assert "not known" in refusal(pair.approve).details
    pair.settle()
    pair.find(finding(blocks=False))
    assert pair.approve().reviews[0].approved


@pytest.mark.parametrize(
    "reference", ["../../../secret.yaml", "/etc/passwd", "packets/review/none.yaml", "packets", "."]
)
def test_a_packet_elsewhere_is_not_read(pair: Pair, reference: str) -> None:
    (pair.folder.parents[1] / "secret.yaml").write_text(FINDINGS)
    asked(pair)
    told(pair, findings_packet=reference)
    ledger = pair.review().ledger
    assert (ledger.open_ids, ledger.unknown) == ([], 1)
    assert "can't be read" in ledger.notes[0]


def test_a_link_out_of_the_packets_is_not_followed(pair: Pair, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(FINDINGS.replace("yes", "true"))
    os.symlink(outside, pair.folder / PACKET)
    asked(pair)
    told(pair)
    assert pair.open_ids() == []


def test_a_pipe_in_place_of_a_packet_is_not_waited_for(pair: Pair) -> None:
    os.mkfifo(pair.folder / PACKET)
    asked(pair)
    told(pair)
    assert pair.review().ledger.unknown == 1


def test_a_count_that_contradicts_the_packet_is_told_and_not_believed(pair: Pair) -> None:
    asked(pair)
    written(pair, FINDINGS.replace("yes", "true"))
    told(pair, blocking_count=0)
    assert len(pair.review().ledger.blocking) == 1
    assert "speaks of 0" in pair.review().ledger.notes[0]


def test_prose_feedback_blocks_until_it_is_answered(pair: Pair) -> None:
    asked(pair)
    alien(pair, "review_feedback", "The counter looks racy to me.")
    assert (pair.review().turn, pair.review().ledger.unknown) == ("claude", 1)
    alien(pair, "review_addressed", "Mended.", at="10:10")
    assert pair.approve().reviews[0].approved


def test_rounds_go_on_from_theirs(pair: Pair) -> None:
    asked(pair)
    written(pair, FINDINGS.replace("yes", "true"))
    told(pair, round=3)
    pair.settle()
    assert body(pair.find(finding()))["round"] == 4


@pytest.mark.parametrize("number", ["0", "-1", "many", "9" * 4000, "[1]"])
def test_an_absurd_round_is_not_believed(pair: Pair, number: str) -> None:
    asked(pair)
    told(pair, round=number)
    assert pair.review().ledger.round == 1


def test_answers_come_after_what_they_answer_whatever_the_clocks_say(pair: Pair) -> None:
    alien(pair, "review_request", "pr: 42\nbranch: b\ndiff_summary: d", at="10:30")
    parent = {"parent_message_id": "alien-review_request-10:30"}
    alien(pair, "review_lgtm", "quality_gate_result: pass\nmerge_ready: true", at="10:00", **parent)
    assert pair.review().approved


def test_answers_in_a_ring_stop_nothing(pair: Pair) -> None:
    asked(pair)
    for at, other in (("10:01", "10:02"), ("10:02", "10:01")):
        parent = {"parent_message_id": f"alien-review_lgtm-{other}"}
        alien(pair, "review_lgtm", "quality_gate_result: pass\nmerge_ready: true", at=at, **parent)
    assert pair.review().approved


def test_a_stranger_approves_nothing(pair: Pair) -> None:
    asked(pair)
    verdict = "quality_gate_result: pass\nmerge_ready: true"
    alien(pair, "review_lgtm", verdict, **{"from": "mallory"})
    assert not pair.review().approved


def test_a_request_without_a_conversation_is_continued_all_the_same(pair: Pair) -> None:
    alien(pair, "review_request", "pr: 42\nbranch: b\ndiff_summary: d", conversation_id="")
    pair.find(finding())
    pair.settle()
    pair.approve()
    assert [one.approved for one in find_reviews(pair.project, "42")] == [True]


def test_prose_that_names_a_pull_request_is_a_request(pair: Pair) -> None:
    link = "https://example.com/o/r/pull/42"
    alien(pair, "review_request", "PR #42 adds checks. Look at expiry.", related_pr=link)
    assert (pair.review("42").pr, pair.review("#42").turn) == (link, "codex")
    assert body(pair.find(finding()))["findings_packet"] == "packets/review/pr-42-round-1.yaml"


def test_a_question_makes_it_the_others_turn(pair: Pair) -> None:
    asked(pair)
    pair.find(finding())
    parent = {"parent_message_id": pair.review().last.id, "from": "claude", "to": "codex"}
    alien(pair, "question", "Which lock?", at="23:59", **parent)
    assert pair.review().turn == "codex"
    answer = {"parent_message_id": "alien-question-23:59"}
    alien(pair, "notification", "Any.", at="23:59", **answer)
    assert pair.review().turn == "claude"
