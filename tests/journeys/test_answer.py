"""A question and its answer, each heard in one's own dialect."""

from journeys.trio import Trio, both_ways

ASKED = {"codex": "question", "claude": "coordination_request", "ada": "query"}
ANSWERED = {"codex": "notification", "claude": "status_update", "ada": "response"}


@both_ways
def test_a_question_is_answered(trio: Trio, sender: str, recipient: str) -> None:
    sent = trio.ask(sender, recipient, f"Which port, {recipient}? says {sender}")
    asked = trio[recipient].gets(f"Which port, {recipient}? says {sender}")
    assert asked.kind == ASKED[recipient]
    trio[recipient].answer(asked, f"Port 8443, {sender}, says {recipient}")
    heard = trio[sender].hears(sent, f"Port 8443, {sender}, says {recipient}")
    assert heard.kind == ANSWERED[sender]
