"""Whoever doesn't take a task says why, and who gave it hears that."""

import pytest

from journeys.speakers import PATIENCE
from journeys.trio import Trio, both_ways
from waypost.errors import RefusedError


@both_ways
def test_a_refusal_comes_with_its_reason(trio: Trio, sender: str, recipient: str) -> None:
    text, why = f"{recipient} paints for {sender}", f"{recipient} has no ladder for {sender}"
    sent = trio.give(sender, recipient, text)
    trio[recipient].refuse(trio[recipient].gets(text), why)
    if sender == "ada":
        with pytest.raises(RefusedError, match=why):
            sent.result(PATIENCE)
        return
    heard = trio[sender].hears(sent, why)
    assert "Refused" in heard.text
    assert heard.kind == {"codex": "notification", "claude": "status_update"}[sender]
