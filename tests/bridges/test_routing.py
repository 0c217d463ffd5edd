"""Whom an address means, and who can answer for a domain."""

import pytest

from bridges.pairs import KEYS
from waypost.bridge.routing import Book, Route, find, key_of, name_of, who_can
from waypost.errors import ConflictError, UnknownRecipientError

BOOK = Book({"my-app": ["claude", "codex"], "shop": ["codex", "gemini"]}, {"kit": KEYS[0]})


@pytest.mark.parametrize(
    ("address", "project", "route"),
    [
        ("codex", "my-app", Route("codex", "my-app")),
        ("codex", "shop", Route("codex", "shop")),
        ("codex@shop", "my-app", Route("codex", "shop")),
        ("gemini", None, Route("gemini", "shop")),
        ("kit", "my-app", Route("kit", key=KEYS[0])),
        ("kit", None, Route("kit", key=KEYS[0])),
        (KEYS[0], None, Route("kit", key=KEYS[0])),
        (KEYS[0].removeprefix("ed25519."), None, Route("kit", key=KEYS[0])),
    ],
)
def test_an_address_leads_to_one_agent(address: str, project: str | None, route: Route) -> None:
    assert find(BOOK, address, project) == route


def test_a_name_that_several_projects_have_is_not_guessed() -> None:
    with pytest.raises(ConflictError, match="several projects") as refusal:
        find(BOOK, "codex")
    assert refusal.value.hint == "codex@my-app or codex@shop"


@pytest.mark.parametrize(
    ("address", "project", "hint"),
    [
        ("codx", "my-app", 'did you mean "codex"?'),
        ("gemini", "my-app", 'did you mean "gemini@shop"?'),
        ("codx@shop", None, 'did you mean "codex"?'),
        ("codex@shp", None, 'did you mean "shop"?'),
        ("kti", None, 'did you mean "kit"?'),
        ("zzz", "my-app", "known are claude, codex, kit"),
        (KEYS[1], None, "known are claude, codex, gemini, kit"),
    ],
)
def test_an_unknown_address_is_refused_with_the_near_ones(
    address: str, project: str | None, hint: str
) -> None:
    with pytest.raises(UnknownRecipientError) as refusal:
        find(BOOK, address, project)
    assert refusal.value.hint == hint


def test_a_key_has_the_name_that_it_was_enrolled_under() -> None:
    assert (name_of(BOOK, KEYS[0]), key_of(BOOK, "kit")) == ("kit", KEYS[0])
    assert (name_of(BOOK, KEYS[1]), key_of(BOOK, "codex")) == (None, None)


def test_who_can_answer_is_found_by_the_longest_prefix() -> None:
    declared = {"a": ["family"], "b": ["family.calendar.*"], "c": ["work"], "d": ["family.*"]}
    assert who_can(declared, "family.calendar.swim") == ["b", "a", "d"]
    assert who_can(declared, "families") == []
