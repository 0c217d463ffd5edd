"""The fence: what a stranger wrote can't end it, and says nothing to a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from waypost.letters.fence import fence

ORIGIN = ("claude", "proven", "mcp", "2026-11-19T12:00:00Z")


def marks(shown: str) -> tuple[str, str]:
    """The opening and the closing mark."""
    lines = shown.split("\n")
    return lines[1], lines[-1]


@given(text=texts | st.text())
def test_no_text_holds_its_own_closing_mark(text: str) -> None:
    opening, closing = marks(fence(text, *ORIGIN))
    assert opening == "<<<" + closing.removesuffix(">>>")
    assert fence(text, *ORIGIN).count(closing) == 1


def test_a_text_that_copies_a_fence_stays_inside() -> None:
    first = fence("hello", *ORIGIN)
    assert marks(fence(first, *ORIGIN)) != marks(first)
    assert fence(first, *ORIGIN).endswith(marks(fence(first, *ORIGIN))[1])


def test_the_origin_says_what_is_proven() -> None:
    assert "who proved it" in fence("x", *ORIGIN)
    assert "nobody proved it" in fence("x", "claude", "claimed", "cli", ORIGIN[3])


def test_nothing_inside_steers_a_terminal() -> None:
    shown = fence("a\x1b[2Jb\u202ec\nd", *ORIGIN)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\nd\n" in shown
