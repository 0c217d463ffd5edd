"""A little Markdown, and nothing that acts, whatever a letter holds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from waypost.faces.web.markdown import MOST_CHARACTERS, rendered
from waypost.faces.web.showing import value

_ALLOWED = re.compile(
    r"</?(?:p|pre|code|ul|li|blockquote|strong|em|br|dl|dt|dd)(?: class=(?:heading|cut))?>"
)
_PIECES = st.sampled_from(
    ["<script>", "</p>", "**", "*", "`", "```", "\n", "- ", "> ", "# ", "[a](javascript:x)", "&",
     "<img src=x onerror=y>", "![i](http://h/i.png)", '"', "'", "\u202e", "\x1b[2J", "\x00", "word"]
)  # fmt: skip


def test_the_usual_forms_are_shown() -> None:
    shown = rendered("# Plan\n\n- **one** `x<y`\n- *two*\n\n> said\n\n```\na <b>\n```\nend")
    assert "<p class=heading>Plan</p>" in shown
    assert "<li><strong>one</strong> <code>x&lt;y</code></li>" in shown
    assert "<li><em>two</em></li>" in shown
    assert "<blockquote>said</blockquote>" in shown
    assert "<pre><code>a &lt;b&gt;</code></pre>" in shown


def test_links_and_images_stay_text() -> None:
    shown = rendered("[press](https://evil.example) ![x](https://evil.example/p.png)")
    assert shown == "<p>[press](https://evil.example) ![x](https://evil.example/p.png)</p>"


def test_what_a_page_obeys_is_written_out() -> None:
    assert rendered("a\u202eb\x1b[0m") == "<p>a\\u202eb\\u001b[0m</p>"


def test_a_very_long_text_is_cut_and_says_so() -> None:
    assert "see its raw form" in rendered("x" * (MOST_CHARACTERS + 1))


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_nothing_but_our_own_marks_is_ever_markup(text: str) -> None:
    left = _ALLOWED.sub("", rendered(text))
    assert "<" not in left
    assert ">" not in left


@given(st.recursive(_PIECES, lambda inner: st.lists(inner) | st.dictionaries(_PIECES, inner)))
def test_values_of_any_shape_are_as_harmless(found: object) -> None:
    assert "<" not in _ALLOWED.sub("", value(found))
