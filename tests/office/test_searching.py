"""Searching: words, phrases, facts of the envelope; and nothing that anyone types does harm."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from office_scene import Scene, caller, refusal
from waypost.errors import UsageError
from waypost.office.views import Header


@pytest.fixture
def mail(scene: Scene) -> Scene:
    scene.send(text="The parser drops tabs", thread="bugs")
    scene.clock.move(minutes=60)
    scene.send("codex", "claude", text="Rounding of prices, see src/cart/price.py", type="question")
    scene.clock.move(minutes=60)
    scene.send("gemini", "claude", text="Tabs or spaces?", type="question")
    return scene


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tabs", ["Tabs or spaces?", "The parser drops tabs"]),
        ("TABS parser", ["The parser drops tabs"]),
        ('"drops tabs"', ["The parser drops tabs"]),
        ('"tabs drops"', []),
        ("round*", ["Rounding of prices, see src/cart/price.py"]),
        ("price.py", ["Rounding of prices, see src/cart/price.py"]),
        ("from:codex", ["Rounding of prices, see src/cart/price.py"]),
        ("to:me from:gemini", ["Tabs or spaces?"]),
        ("type:question tabs", ["Tabs or spaces?"]),
        ("thread:bugs", ["The parser drops tabs"]),
        ("after:90m", ["Tabs or spaces?", "Rounding of prices, see src/cart/price.py"]),
        ("before:2026-11-19T12:30:00Z", ["The parser drops tabs"]),
        ("before:2026-11-19", []),
        ("conversation_id", []),
    ],
)
def test_a_query_finds_what_it_says(mail: Scene, query: str, found: list[str]) -> None:
    page = mail.office.search(caller("claude"), query)
    assert [one.subject for one in page.letters] == found


def test_agents_find_their_own_letters_and_people_all(mail: Scene) -> None:
    assert [one.sender for one in mail.office.search(caller("gemini"), "tabs").letters] == [
        "gemini"
    ]
    assert len(mail.office.search(caller("dana"), "tabs").letters) == 2


def test_what_was_found_comes_in_pages(mail: Scene) -> None:
    first = mail.office.search(caller("claude"), "tabs", limit=1)
    rest = mail.office.search(caller("claude"), "tabs", limit=1, after=first.next)
    assert [one.subject for one in rest.letters] == ["The parser drops tabs"]
    assert rest.next is None


@pytest.mark.parametrize("query", ["", "  ", "!!!", "from:", "before:soon", "x" * 501])
def test_a_query_that_says_nothing_is_refused(mail: Scene, query: str) -> None:
    assert refusal(lambda: mail.office.search(caller("claude"), query))["error"] == "usage"


HOSTILE = [
    *('"', '" OR marks : "', "NEAR(a b)", "subject:x", "* ^ -", "a\0b", "NOT", "AND OR", "("),
    *("'; DROP TABLE letters", "{subject} : x", 'from:"x\' OR 1"', "\udc80", "a" * 400),
]


@given(query=st.text(max_size=80) | st.sampled_from(HOSTILE))
def test_no_query_breaks_out(shared_scene: Scene, query: str) -> None:
    found: tuple[Header, ...] = ()
    with suppress(UsageError):
        found = shared_scene.office.search(caller("codex"), query).letters
    assert all("codex" in (one.sender, *one.to) for one in found)
