"""Work that changes hands: who gets it says when it is fully processed."""

from typing import Any

from journeys.trio import Trio, both_ways

GIVEN = {
    ("codex", "claude"): "coordination_request", ("codex", "ada"): "delegate",
    ("claude", "codex"): "handoff", ("claude", "ada"): "delegate",
    ("ada", "codex"): "task_request", ("ada", "claude"): "task_assignment",
}  # fmt: skip
DONE = {
    ("codex", "claude"): "handoff_complete", ("codex", "ada"): "handoff_complete",
    ("claude", "codex"): "status_update", ("claude", "ada"): "status_update",
    ("ada", "codex"): "result", ("ada", "claude"): "result",
}  # fmt: skip
BUNDLE = {
    "files_touched": ["src/auth.ts"], "decisions_made": ["RS256"], "blockers_hit": ["none"],
    "suggested_next_steps": ["token refresh"],
}  # fmt: skip
COMPLETED = {
    "issue": "#37", "pr": "#42", "branch": "feat/sign-in", "tests_run": True, "next_owner": "codex",
}  # fmt: skip


def hand_over(trio: Trio, sender: str, recipient: str, text: str) -> Any:
    """Give work away, with all that the sender's dialect has for that."""
    work = {"artifacts_to_review": ["PR #42"], "definition_of_done": ["merged"]}
    if sender == "codex":
        body = {"source_agent": sender, "target_agent": recipient, "intent": text, **work,
                "context_bundle": BUNDLE}  # fmt: skip
        return trio.codex.tell(recipient, "handoff", body)
    if sender == "claude":
        content = {
            "request_type": "handoff", "participants": [recipient], "coordination_topic": text,
            "metadata": {**work, "context_bundle": BUNDLE},
        }  # fmt: skip
        return trio.claude.tell(recipient, "coordination_request", content)
    return trio.ada.tell(recipient, "delegate", text, context={**work, "context_bundle": BUNDLE})


def complete(trio: Trio, name: str, work: Any, text: str) -> None:
    if name == "codex":
        kind = "handoff_complete" if work.kind == "handoff" else "notification"
        body: Any = COMPLETED if work.kind == "handoff" else text
        trio.codex.answer(work, body, type=kind, subject=f"Done: {text}")
    elif name == "claude":
        trio.claude.finish(work, text, metadata=COMPLETED)
    else:
        trio.ada.finish(work, text, data=COMPLETED)


@both_ways
def test_work_is_handed_over_and_completed(trio: Trio, sender: str, recipient: str) -> None:
    text, ready = f"{sender} hands over to {recipient}", f"{recipient} is ready, {sender}"
    sent = hand_over(trio, sender, recipient, text)
    work = trio[recipient].gets(text)
    assert work.kind == GIVEN[sender, recipient]
    assert "src/auth.ts" in work.text
    complete(trio, recipient, work, ready)
    assert trio[sender].hears(sent, ready).kind == DONE[sender, recipient]
