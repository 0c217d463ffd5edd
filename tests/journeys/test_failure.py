"""A task that can't be done: who gave it hears that it failed, and why."""

from journeys.trio import Trio, both_ways

FAILED = {"codex": "notification", "claude": "status_update", "ada": "result"}


@both_ways
def test_a_failure_comes_with_its_reason(trio: Trio, sender: str, recipient: str) -> None:
    text, why = f"{recipient} paints for {sender}", f"{sender}: the paint is out, says {recipient}"
    sent = trio.give(sender, recipient, text)
    trio[recipient].fail(trio[recipient].gets(text), why)
    heard = trio[sender].hears(sent, why)
    assert heard.kind == FAILED[sender]
    assert "failed" in heard.text.lower()
