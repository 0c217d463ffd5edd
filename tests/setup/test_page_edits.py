"""A paragraph goes into a page and out again, and nothing else moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.errors import UsageError
from waypost.setup.page_edits import BEGIN, END, Page

LINES = st.sampled_from(["# Rules", "", "Be kind.", "  code", "ü"])
ENDS = st.sampled_from(["\n", "\r\n"])


@given(st.lists(LINES, max_size=5), ENDS, st.booleans())
def test_a_page_is_as_before_once_the_paragraph_is_out(
    lines: list[str], end: str, ends: bool
) -> None:
    text = end.join(lines) + (end if ends else "")
    page = Page(text, "AGENTS.md").put("Read your mail.")
    assert "Read your mail." in page.text
    assert page.text.startswith(text)
    assert page.drop().text == text


@given(st.lists(LINES, max_size=3), st.lists(LINES, max_size=3))
def test_it_is_renewed_where_it_stands(before: list[str], after: list[str]) -> None:
    def page(words: str) -> str:
        return "\n".join([*before, BEGIN, words, END, *after])

    assert Page(page("old"), "AGENTS.md").put("new").text == page("new")


def test_text_written_behind_it_stays() -> None:
    page = Page("Rules.\n", "AGENTS.md").put("Read your mail.")
    assert Page(page.text + "More.\n", "AGENTS.md").drop().text == "Rules.\nMore.\n"


@pytest.mark.parametrize(
    "text", [f"a\n{BEGIN}\n", f"{END}\n", f"{END}\n{BEGIN}\n", (BEGIN + END) * 2]
)
def test_marks_that_are_no_pair_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="doesn't have one"):
        Page(text, "AGENTS.md").put("Read your mail.")
