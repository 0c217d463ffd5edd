"""A task that its giver takes back: who works on it hears of that, and a live giver of its end."""

from typing import Any

from journeys.speakers import PATIENCE, Got
from journeys.trio import Trio, both_ways

CANCELLED = {"codex": "notification", "claude": "status_update", "ada": "cancelled"}


def take_back(trio: Trio, sender: str, recipient: str, sent: Any, why: str) -> Any:
    """Call a task off, in the words of its giver."""
    if sender == "codex":
        fields = {"about": sent, "subject": "Cancelled"}
        return trio.codex.tell(recipient, "notification", why, **fields)
    if sender == "claude":
        content = {
            "task_id": "off", "update_type": "progress", "status_summary": f"Cancelled: {why}",
            "blockers": [],
        }  # fmt: skip
        return trio.claude.tell(recipient, "status_update", content, about=sent)
    return trio.run(sent.result(PATIENCE).cancel(why, timeout=PATIENCE))


def take(trio: Trio, recipient: str, task: Got) -> None:
    """Begin with a task: a live agent did when its handler was called."""
    if recipient != "ada":
        trio[recipient].agree(task)


@both_ways
def test_a_task_is_taken_back(trio: Trio, sender: str, recipient: str) -> None:
    text, why = f"{recipient} paints for {sender}", f"It rains at {sender}'s and {recipient}'s"
    sent = trio.give(sender, recipient, text)
    take(trio, recipient, trio[recipient].gets(text))
    off = take_back(trio, sender, recipient, sent, why)
    if recipient == "ada":
        assert trio.ada.gets(text, "cancelled")
        answer = trio[sender].hears(off, "Accepted")
        assert answer.kind in ("notification", "status_update")
        return
    told = trio[recipient].gets(why)
    assert told.kind == CANCELLED[recipient]
    assert "Cancelled" in told.text
    if sender == "ada":
        trio[recipient].agree(told)
        assert off.result(PATIENCE) is True
