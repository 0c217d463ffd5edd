"""Which handler a question goes to: the longest pattern that holds for its domain."""

import pytest

from waypost.letters.domains import closest, covers, not_handled, reach

HANDLERS = [(None, "any"), ("family.*", "family"), ("family.calendar", "calendar")]


@pytest.mark.parametrize(
    ("domain", "handler"),
    [
        (None, "any"),
        ("bank", "any"),
        ("familiar", "any"),
        ("family", "family"),
        ("family.school", "family"),
        ("family.calendar", "calendar"),
        ("family.calendar.swim", "family"),
    ],
)
def test_the_longest_pattern_wins(domain: str | None, handler: str) -> None:
    assert closest(HANDLERS, domain) == handler


def test_a_question_without_a_domain_goes_to_no_pattern() -> None:
    assert closest(HANDLERS[1:], None) is None
    assert covers("*", None)


@pytest.mark.parametrize(
    ("declared", "domain", "covered"),
    [("family", "family.calendar", 6), ("family.*", "family", 6), ("family", "familiar", 0)],
)
def test_what_is_declared_covers_all_below(declared: str, domain: str, covered: int) -> None:
    assert reach([declared], domain) == covered


def test_the_sentence_for_a_domain_without_a_handler_names_those_that_have_one() -> None:
    assert not_handled("bank", ["a.*", "b"]) == '"bank" is not handled here; handled are: a.*, b'
    assert not_handled(None, []) == "no domain is named; no questions are answered"
