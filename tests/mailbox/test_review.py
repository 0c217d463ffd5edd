"""A review goes round by round: what is open, whose turn it is, and what is refused."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from reviewers import CHANGE, Pair, body, finding, pair, refusal

from waypost.errors import WaypostError
from waypost.mailbox import reviewing
from waypost.mailbox.review import same_pr
from waypost.mailbox.reviews import find_reviews

__all__ = ["pair"]
LATER = "2999-01-01T00:00:00Z"


def test_a_request_makes_it_the_reviewers_turn(pair: Pair) -> None:
    sent = pair.ask().reviews[0]
    assert (sent.author, sent.reviewer, sent.turn) == ("claude", "codex", "codex")
    assert (sent.ledger.open_ids, sent.pr) == ([], "42")


def test_feedback_counts_what_blocks_and_names_its_packet(pair: Pair) -> None:
    pair.ask()
    step = pair.find(finding(), finding(blocks=False))
    packet = "packets/review/pr-42-round-1.yaml"
    assert body(step) == {"findings_packet": packet, "round": 1, "blocking_count": 1}
    assert (step.reviews[0].turn, pair.open_ids()) == ("claude", ["finding-001", "finding-002"])
    assert (step.receipt.message.fields or {})["related_packet"] == packet


def test_what_is_addressed_is_no_longer_open(pair: Pair) -> None:
    pair.ask()
    pair.find(finding(), finding())
    step = pair.settle(besides=["finding-002"])
    assert body(step)["addressed_finding_ids"] == ["finding-001"]
    assert (pair.open_ids(), step.reviews[0].turn) == (["finding-002"], "codex")


def test_what_is_still_open_is_carried_into_the_next_packet(pair: Pair) -> None:
    pair.ask()
    pair.find(finding("first"))
    pair.settle(ids=[])
    step = pair.find(finding("second", blocks=False))
    text = (pair.folder / body(step)["findings_packet"]).read_text()
    assert "first" in text
    assert "second" in text
    assert (body(step)["round"], body(step)["blocking_count"]) == (2, 1)


def test_a_finding_comes_back_under_its_own_id(pair: Pair) -> None:
    pair.ask()
    pair.find(finding())
    pair.settle()
    assert body(pair.find(reopened=["finding-001"]))["blocking_count"] == 1
    assert pair.open_ids() == ["finding-001"]


def test_a_reviewer_may_take_a_finding_back_at_any_time(pair: Pair) -> None:
    pair.ask()
    pair.find(finding())
    step = pair.find(withdrawn=["finding-001"])
    assert (body(step)["round"], body(step)["blocking_count"]) == (2, 0)
    assert step.reviews[0].turn == "codex"
    assert pair.approve().reviews[0].approved


def test_an_approval_carries_what_is_open_as_nits(pair: Pair) -> None:
    pair.ask()
    pair.find(finding("rl is short", blocks=False, file="a.ts", line=4))
    step = pair.approve(nits=["nice"])
    assert body(step) == {
        "quality_gate_result": "pass",
        "merge_ready": True,
        "nits": ["finding-001 P1 a.ts:4 rl is short", "nice"],
    }


def test_a_failed_gate_is_not_ready_to_merge(pair: Pair) -> None:
    pair.ask()
    step = pair.approve(gate="fail")
    assert (body(step)["merge_ready"], step.reviews[0].merge_ready) == (False, False)


def test_every_message_stays_in_the_thread(pair: Pair) -> None:
    steps = [pair.ask(), pair.find(finding()), pair.settle(), pair.approve()]
    sent = [step.receipt.message.fields or {} for step in steps]
    assert len({fields["conversation_id"] for fields in sent}) == 1
    parents = [fields.get("parent_message_id") for fields in sent]
    assert parents == [None, *(fields["id"] for fields in sent[:-1])]
    assert {fields["related_pr"] for fields in sent} == {"42"}
    assert all(not step.receipt.message.problems for step in steps)


def test_answers_take_the_requests_priority(pair: Pair) -> None:
    urgent = pair.as_agent("claude")._replace(priority="P0")
    reviewing.request(urgent, ["codex"], CHANGE)
    for step in (pair.find(finding()), pair.settle(), pair.approve()):
        assert (step.receipt.message.fields or {})["priority"] == "P0"


def test_a_further_request_opens_an_approved_review_again(pair: Pair) -> None:
    pair.ask()
    pair.approve()
    step = reviewing.request_again(pair.as_agent("claude"), [], {"diff_summary": "Rebased"})
    assert body(step) == CHANGE | {"diff_summary": "Rebased"}
    assert (step.reviews[0].turn, len(find_reviews(pair.project, None))) == ("codex", 1)


# -- refusals ------------------------------------------------------------------------------


def test_an_approval_is_refused_while_something_blocks(pair: Pair) -> None:
    pair.ask()
    pair.find(finding(), finding(blocks=False))
    error = refusal(pair.approve)
    assert (error.code, "finding-001" in error.details) == ("conflict", True)
    assert "finding-002" not in error.details
    assert not pair.review().approved


@pytest.mark.parametrize("claim", [{"round": 2}, {"blocking_count": 0}, {"blocking_count": 2}])
def test_a_claim_about_a_packet_must_be_true(pair: Pair, claim: dict[str, int]) -> None:
    pair.ask()
    error = refusal(pair.find, finding(), **claim)
    assert [problem.path for problem in error.problems] == [f"body.{name}" for name in claim]
    assert os.listdir(pair.folder / "packets" / "review") == []
    assert pair.find(finding(), round=1, blocking_count=1)


def test_only_open_findings_can_be_addressed_and_all_others_are_told(pair: Pair) -> None:
    pair.ask()
    pair.find(finding())
    error = refusal(pair.settle, ids=["finding-001", "finding-002", "x"], round=7)
    paths = [problem.path for problem in error.problems]
    ids = "body.addressed_finding_ids"
    assert paths == [f"{ids}.1", f"{ids}.2", "body.round"]
    assert pair.open_ids() == ["finding-001"]


def test_nobody_goes_out_of_turn(pair: Pair) -> None:
    pair.ask()
    assert "codex's turn" in refusal(pair.settle).details
    pair.find(finding())
    assert "claude's turn" in refusal(pair.find, finding()).details
    pair.settle()
    assert "codex's turn" in refusal(pair.settle).details
    pair.approve()
    for step in (pair.settle, pair.approve, pair.find):
        assert "approved" in refusal(step).details


def test_nobody_plays_anothers_part(pair: Pair) -> None:
    pair.ask()
    caller = pair.as_agent("claude")._replace(wanted="42")
    error = refusal(reviewing.approve, caller, reviewing.Verdict())
    assert (error.code, "codex" in error.details) == ("usage", True)
    assert refusal(pair.approve, "gemini").code == "not_found"


def test_an_empty_round_is_refused_unless_meant(pair: Pair) -> None:
    pair.ask()
    assert refusal(pair.find).code == "usage"
    assert body(pair.find(may_be_empty=True))["blocking_count"] == 0


def test_the_same_change_is_not_given_to_a_reviewer_twice(pair: Pair) -> None:
    pair.ask()
    assert refusal(pair.ask, pr="#42").code == "conflict"
    assert pair.ask("gemini").reviews[0].reviewer == "gemini"
    pair.approve()
    assert pair.ask().reviews[0].turn == "codex"


def test_a_secret_in_a_finding_is_refused_unsaid(pair: Pair) -> None:
    secret = "ghp_" + "a1B2" * 9
    pair.ask()
    error = refusal(pair.find, finding(f"you left {secret} in"))
    assert (error.code, secret in str(error.to_json())) == ("secret_detected", False)
    assert os.listdir(pair.folder / "packets" / "review") == []


def test_a_bad_message_leaves_no_packet(pair: Pair) -> None:
    pair.ask()
    caller = pair.as_agent("codex")._replace(subject="two\nlines")
    refusal(reviewing.feedback, caller, reviewing.Feedback([finding()]))
    assert os.listdir(pair.folder / "packets" / "review") == []


# -- several at once -----------------------------------------------------------------------


def test_two_reviewers_of_one_request_go_their_own_ways(pair: Pair) -> None:
    pair.ask("codex", "gemini")
    pair.find(finding(), agent="gemini")
    states = {one.reviewer: one for one in find_reviews(pair.project, "42")}
    assert states["gemini"].ledger.open_ids == ["finding-001"]
    assert (states["codex"].turn, states["codex"].ledger.open_ids) == ("codex", [])
    pair.approve()
    assert [one.approved for one in find_reviews(pair.project, "42")] == [True, False]


def test_which_review_must_be_said_when_several_fit(pair: Pair) -> None:
    for pr in ("42", "43"):
        pair.ask(pr=pr)
    error = refusal(pair.find, finding())
    assert (error.code, "which of 2" in error.details) == ("usage", True)
    caller = pair.as_agent("codex")._replace(wanted="43")
    step = reviewing.feedback(caller, reviewing.Feedback([finding()]))
    assert body(step)["findings_packet"] == "packets/review/pr-43-round-1.yaml"


def test_a_packet_is_never_overwritten(pair: Pair) -> None:
    taken = pair.folder / "packets" / "review" / "pr-42-round-1.yaml"
    taken.write_text("not yours")
    pair.ask()
    assert body(pair.find(finding()))["findings_packet"] == "packets/review/pr-42-round-1-2.yaml"
    assert taken.read_text() == "not yours"


def test_of_many_at_once_one_gives_the_round(pair: Pair) -> None:
    pair.ask()

    def try_it(_: int) -> bool:
        try:
            return bool(pair.find(finding()))
        except WaypostError:
            return False

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(try_it, range(6))) == 1
    assert pair.review().ledger.rounds == 1


# -- budgets and questions -----------------------------------------------------------------


def test_a_used_up_budget_calls_for_a_person(pair: Pair) -> None:
    pair.ask(max_turns_reviewer=2)
    assert pair.find(finding()).reviews[0].escalations(LATER) == []
    pair.settle()
    step = pair.find(finding())
    assert step.reviews[0].escalations(LATER) == ["2 of 2 rounds are used"]
    pair.settle()
    assert pair.approve().reviews[0].escalations(LATER) == []


def test_the_reviewers_time_runs_while_it_is_the_reviewers_turn(pair: Pair) -> None:
    asked = pair.ask(max_runtime_s_reviewer=600).reviews[0]
    assert asked.escalations(asked.last.text("created_at_utc")) == []
    assert "of 600 seconds are used" in asked.escalations(LATER)[0]
    assert pair.find(finding()).reviews[0].escalations(LATER) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("42", "#42", True),
        ("PR #42", "https://example.com/o/r/pull/42", True),
        ("https://example.com/a/b/pull/42", "https://example.com/o/r/pull/42", False),
        ("42", "43", False),
        ("release-42", "42", False),
        ("", "", True),
        ("#", "", False),
    ],
)
def test_one_pull_request_has_several_names(one: str, other: str, same: bool) -> None:
    assert same_pr(one, other) is same
    assert same_pr(other, one) is same
