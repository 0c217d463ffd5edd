"""The four steps of a review: requested, found, addressed, approved, between any two."""

from typing import Any

from journeys.trio import Trio, both_ways

FINDINGS = {"findings_packet": "packets/round-1.yaml", "round": 1, "blocking_count": 1}
APPROVAL = {"quality_gate_result": "pass", "merge_ready": True}
REQUEST = {"pr": "#61", "branch": "feat/cart"}
REVIEW, UPDATE = "coordination_request", "status_update"
# What author and reviewer read at each step: request, findings, addressed, approval.
STEPS = {
    ("codex", "claude"): (REVIEW, "review_feedback", UPDATE, "review_lgtm"),
    ("codex", "ada"): ("delegate", "review_feedback", "delegate", "review_lgtm"),
    ("claude", "codex"): ("review_request", UPDATE, "notification", UPDATE),
    ("claude", "ada"): ("delegate", UPDATE, "delegate", UPDATE),
    ("ada", "codex"): ("task_request", "result", "task_request", "result"),
    ("ada", "claude"): ("task_assignment", "result", "task_assignment", "result"),
}


def request(trio: Trio, author: str, reviewer: str, text: str) -> Any:
    if author == "codex":
        return trio.codex.tell(reviewer, "review_request", {**REQUEST, "diff_summary": text})
    if author == "claude":
        content = {
            "request_type": "review", "participants": [reviewer], "coordination_topic": text,
            "metadata": REQUEST,
        }  # fmt: skip
        return trio.claude.tell(reviewer, "coordination_request", content)
    return trio.ada.tell(reviewer, "delegate", text, context=REQUEST)


def find_fault(trio: Trio, reviewer: str, asked: Any, text: str) -> None:
    if reviewer == "codex":
        if asked.kind == "task_request":
            trio.codex.answer(asked, text, subject="Partly done")
        else:
            trio.codex.answer(asked, FINDINGS, type="review_feedback", subject=text)
    elif reviewer == "claude" and asked.kind == "task_assignment":
        trio.claude.finish(asked, text, "partial", metadata=FINDINGS)
    elif reviewer == "claude":
        trio.claude.answer(asked, text, "blocker", metadata=FINDINGS)
    else:
        trio.ada.finish(asked, text, "partial", data=FINDINGS)


def address(trio: Trio, author: str, reviewer: str, found: Any, text: str) -> Any:
    """Mend what was found, and ask to look again."""
    if author == "codex":
        body = {
            "commit_sha": "5e81f0c", "changes_summary": text, "round": 1, "touched_files": [],
            "addressed_finding_ids": ["f1"],
        }  # fmt: skip
        return trio.codex.answer(found, body, type="review_addressed")
    if author == "claude" and reviewer == "codex":
        return trio.claude.answer(found, text)
    return request(trio, author, reviewer, text)


def approve(trio: Trio, reviewer: str, asked: Any, text: str) -> None:
    if reviewer == "codex":
        if asked.kind == "task_request":
            trio.codex.answer(asked, text, subject="Done")
        else:
            trio.codex.answer(asked, APPROVAL, type="review_lgtm", subject=text)
    elif reviewer == "claude":
        trio.claude.finish(asked, text, metadata=APPROVAL)
    else:
        trio.ada.finish(asked, text, data=APPROVAL)


@both_ways
def test_a_review_goes_its_four_steps(trio: Trio, sender: str, recipient: str) -> None:
    author, reviewer, steps = sender, recipient, STEPS[sender, recipient]
    pair = f"of {author} by {reviewer}"
    first = request(trio, author, reviewer, f"Please review the cart {pair}")
    asked = trio[reviewer].gets(f"Please review the cart {pair}")
    find_fault(trio, reviewer, asked, f"One mug too many {pair}")
    found = trio[author].hears(first, f"One mug too many {pair}")
    second = address(trio, author, reviewer, found, f"The mug is gone {pair}")
    again = trio[reviewer].gets(f"The mug is gone {pair}")
    approve(trio, reviewer, again, f"Good to merge {pair}")
    good = trio[author].gets(f"Good to merge {pair}") if author != "ada" else trio.ada.hears(
        second, f"Good to merge {pair}")  # fmt: skip
    assert (asked.kind, found.kind, again.kind, good.kind) == steps
