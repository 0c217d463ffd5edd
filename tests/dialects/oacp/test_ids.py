"""The names of messages, conversations and files: what we make is what we take for usual."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema_files import TYPES
from strategies import names, texts, times
from waypost.dialects.oacp import ids

NOW = "2026-03-13T14:30:09Z"
OACP_TYPES = [type_name for name, type_name in TYPES if name == "oacp"]
rands = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=4, max_size=4)
moments = times.map(lambda time: time + "Z")


def test_a_message_id_says_when_and_who() -> None:
    assert ids.message_id(NOW, "claude", "a8f3") == "msg-20260313T1430Z-claude-a8f3"


def test_a_conversation_id_says_the_day_and_who_and_counts() -> None:
    assert ids.conversation_id(NOW, "claude", 7) == "conv-20260313-claude-007"
    assert ids.conversation_id(NOW, "claude", 1234) == "conv-20260313-claude-1234"


def test_a_file_name_says_when_who_and_what() -> None:
    assert ids.file_name(NOW, "claude", "question") == "20260313T1430Z_claude_question.yaml"
    assert ids.file_name(NOW, "a", "question", "k3x9") == "20260313T1430Z_a_question_k3x9.yaml"


@given(now=moments, sender=names, rand=rands)
def test_every_id_that_is_made_has_the_usual_form(now: str, sender: str, rand: str) -> None:
    made = ids.message_id(now, sender, rand)
    assert ids.is_message_id(made)
    assert ids.may_be_id(made)


@given(now=moments, agent=names, sequence=st.integers(1, 99999))
def test_every_conversation_id_that_is_made_has_too(now: str, agent: str, sequence: int) -> None:
    assert ids.is_conversation_id(ids.conversation_id(now, agent, sequence))


@given(now=moments, sender=names, kind=st.sampled_from(OACP_TYPES), rand=st.none() | rands)
def test_a_file_name_agrees_with_its_message(
    now: str, sender: str, kind: str, rand: str | None
) -> None:
    assert ids.file_name_agrees(ids.file_name(now, sender, kind, rand), now, sender, kind)


@given(senders=st.lists(names, min_size=2, max_size=2, unique=True))
def test_a_file_name_of_another_sender_disagrees(senders: list[str]) -> None:
    name = ids.file_name(NOW, senders[0], "question")
    assert not ids.file_name_agrees(name, NOW, senders[1], "question")


@pytest.mark.parametrize(
    ("created", "sender", "kind"),
    [
        ("2026-03-13T14:31:00Z", "claude", "question"),
        ("2026-03-13T14:30:00Z", "Claude", "question"),
        ("2026-03-13T14:30:00Z", "claude", "handoff"),
    ],
)
def test_a_file_name_that_says_otherwise_disagrees(created: str, sender: str, kind: str) -> None:
    assert not ids.file_name_agrees("20260313T1430Z_claude_question.yaml", created, sender, kind)


@pytest.mark.parametrize("name", ["note.yaml", "2026-03-13-claude.yml", "a_b_c.yaml", "x"])
def test_a_file_name_of_another_form_says_nothing(name: str) -> None:
    assert ids.file_name_agrees(name, NOW, "claude", "question")


def test_the_other_ending_is_fine() -> None:
    assert ids.file_name_agrees("20260313T1430Z_claude_question.yml", NOW, "claude", "question")


def test_a_type_is_not_taken_for_a_longer_one_nor_for_a_shorter() -> None:
    name = ids.file_name(NOW, "claude", "handoff_complete")
    assert ids.file_name_agrees(name, NOW, "claude", "handoff_complete")
    assert not ids.file_name_agrees(
        ids.file_name(NOW, "claude", "handoff"), NOW, "claude", "question"
    )


@pytest.mark.parametrize("text", ["", "a b", "a\tb", "a/b", "a\n", "x" * 201, "a\u2028b"])
def test_blank_white_slashed_or_endless_is_no_id(text: str) -> None:
    assert not ids.may_be_id(text)


def test_a_uuid_is_as_good_an_id_in_either_case() -> None:
    assert ids.is_message_id(str(uuid4()))
    assert ids.is_message_id(str(uuid4()).upper())


@pytest.mark.parametrize("text", ["msg-1", "msg-20260313T1430Z-claude", "review-pr-42", "x\n"])
def test_another_form_is_unusual(text: str) -> None:
    assert not ids.is_message_id(text)
    assert not ids.is_conversation_id(text)


@given(text=texts)
def test_a_usual_id_may_always_be_an_id(text: str) -> None:
    assert ids.may_be_id(text) or not ids.is_message_id(text)
