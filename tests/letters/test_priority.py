"""One scale of urgency, in the words of every dialect."""

import pytest

from waypost.letters.priority import (
    ACP_IMPORTANCE,
    ACP_PRIORITY,
    AGENT_MAIL,
    OACP,
    SCALES,
    Priority,
    from_word,
    priority_of,
    says,
    to_word,
)


def test_the_lower_the_sooner() -> None:
    assert sorted(Priority) == [Priority.URGENT, Priority.HIGH, Priority.NORMAL, Priority.LOW]
    assert [step.word for step in Priority] == ["urgent", "high", "normal", "low"]


@pytest.mark.parametrize("scale", SCALES)
def test_the_words_of_a_scale_come_back(scale: dict[str, Priority]) -> None:
    for word, step in scale.items():
        assert to_word(step, scale) == word
        assert says(step, scale)


def test_what_a_short_scale_cannot_say_is_rounded_towards_normal() -> None:
    words = [to_word(step, ACP_PRIORITY) for step in Priority]
    assert words == ["urgent", "normal", "normal", "normal"]
    assert [to_word(step, ACP_IMPORTANCE) for step in Priority] == ["high", "high", "medium", "low"]
    assert not says(Priority.HIGH, ACP_PRIORITY)


def test_full_scales_say_all() -> None:
    for scale in (OACP, AGENT_MAIL):
        assert all(says(step, scale) for step in Priority)


@pytest.mark.parametrize("word", ["P0", "urgent", 0])
def test_urgent_is_known_in_every_form(word: object) -> None:
    assert from_word(word) is Priority.URGENT


@pytest.mark.parametrize("word", ["P4", "", "URGENT", 4, -1, True, None, 1.0])
def test_what_is_no_priority_is_none(word: object) -> None:
    assert from_word(word) is None


@pytest.mark.parametrize(
    ("dialect", "fields", "expected"),
    [
        ("oacp", {"priority": "P0"}, Priority.URGENT),
        ("acp", {"kind": "delegate", "payload": {"priority": "urgent"}}, Priority.URGENT),
        ("acp", {"kind": "delegate", "payload": {}}, Priority.NORMAL),
        ("acp", {"kind": "notify", "payload": {"importance": "high"}}, Priority.HIGH),
        ("acp", {"kind": "notify", "payload": {}}, Priority.LOW),
        ("acp", {"kind": "ping"}, Priority.NORMAL),
        ("agentmail", {"type": "task_assignment", "priority": "urgent"}, Priority.URGENT),
        ("agentmail", {"type": "error_report", "severity": "blocking"}, Priority.HIGH),
        ("agentmail", {"type": "status_update"}, Priority.NORMAL),
    ],
)
def test_a_message_says_how_urgent_it_is(
    dialect: str, fields: dict[str, object], expected: Priority
) -> None:
    assert priority_of(dialect, fields) is expected
