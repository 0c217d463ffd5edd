"""A task that is taken and done: each end hears of it in its own dialect."""

from journeys.trio import Trio, both_ways

GIVEN = {"codex": "task_request", "claude": "task_assignment", "ada": "delegate"}
DONE = {"codex": "notification", "claude": "status_update", "ada": "result"}


@both_ways
def test_a_task_is_done(trio: Trio, sender: str, recipient: str) -> None:
    text = f"{recipient} paints for {sender}"
    sent = trio.give(sender, recipient, text)
    task = trio[recipient].gets(text)
    assert task.kind == GIVEN[recipient]
    trio[recipient].finish(task, f"Painted: {text}")
    done = trio[sender].hears(sent, f"Painted: {text}")
    assert done.kind == DONE[sender]
    assert any(word in done.text for word in ("Done", "complete"))
