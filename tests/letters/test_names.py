"""Who may be called what, and whom a writer most likely meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import names, texts
from waypost.letters.names import did_you_mean, is_name, near_names

ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
KNOWN = ["task_request", "task_assignment", "review_request", "claude", "codex"]


@pytest.mark.parametrize("name", ["a", "7", "Claude", "my-app", "a.b_c-d", "x" * 64, "a-", "a."])
def test_a_name_is_letters_digits_dots_dashes_underscores(name: str) -> None:
    assert is_name(name)


NO_NAMES = ["", " ", ".a", "-a", "_a", "a..b", "x" * 65, "a b", "a/b", "../a", "ä", "a\0", "１"]


@pytest.mark.parametrize("text", [*NO_NAMES, "a\n", "\na", "a\u200b"])
def test_anything_else_is_no_name(text: str) -> None:
    assert not is_name(text)


@given(text=texts | names | st.text(ALLOWED, max_size=70))
def test_the_rule_in_other_words(text: str) -> None:
    in_words = (
        1 <= len(text) <= 64
        and set(text) <= set(ALLOWED)
        and text[0] not in "._-"
        and ".." not in text
    )
    assert is_name(text) == in_words


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("task_requests", "task_request"),
        ("TASK-REQUEST", "task_request"),
        ("review request", "review_request"),
        ("codx", "codex"),
        ("Claude", "claude"),
    ],
)
def test_a_slip_finds_what_was_meant(slip: str, meant: str) -> None:
    assert near_names(slip, KNOWN)[0] == meant


def test_nothing_near_is_no_hint() -> None:
    assert near_names("zzz", KNOWN) == []
    assert did_you_mean("zzz", KNOWN) is None


def test_a_hint_names_up_to_three() -> None:
    assert did_you_mean("bob", ["bob1", "bob2", "bob3", "bob4"]) is not None
    assert len(near_names("bob", ["bob1", "bob2", "bob3", "bob4"])) == 3


def test_the_hint_is_a_question() -> None:
    assert did_you_mean("codx", ["codex"]) == 'did you mean "codex"?'


@given(name=names, others=st.lists(names))
def test_a_known_name_is_its_own_nearest(name: str, others: list[str]) -> None:
    assert near_names(name, [name, *others])[0] == name


@given(text=st.text(max_size=400), known=st.lists(texts))
def test_only_known_names_are_ever_suggested(text: str, known: list[str]) -> None:
    assert set(near_names(text, known)) <= set(known)
