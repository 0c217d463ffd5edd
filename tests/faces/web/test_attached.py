"""Attachments on pages: only an exact address is a link, and a file's name is safe to save."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.faces.web.attached import disposition, hashes_in
from waypost.faces.web.markdown import rendered
from waypost.faces.web.showing import value
from waypost.office.attachments import Attachment

HASH, OTHER = "a1" * 32, "b2" * 32
ADDRESS, GONE = f"artifact://sha256-{HASH}", f"artifact://sha256-{OTHER}"
KEPT = Attachment(ADDRESS, "log & <b>.txt", "text/plain", 2048)
FOUND = {HASH: KEPT, OTHER: None}
LINK = (
    f'<a class="attachment" href="/attachment/{HASH}" title="{ADDRESS}">log &amp; &lt;b&gt;.txt</a>'
    ' <span class="small">2 KiB</span>'
)


def test_an_address_that_is_kept_is_a_link_with_name_and_size() -> None:
    assert rendered(f"See {ADDRESS}.", FOUND) == f"<p>See {LINK}.</p>"
    assert value({"url": ADDRESS}, FOUND) == f"<dl><dt>url</dt><dd><p>{LINK}</p></dd></dl>"


def test_a_name_before_an_address_is_not_said_twice() -> None:
    assert rendered(f"- {KEPT.name}: {ADDRESS}", FOUND) == f"<ul><li>{LINK}</li></ul>"
    assert rendered(f"- other: {ADDRESS}", FOUND) == f"<ul><li>other: {LINK}</li></ul>"


def test_an_address_in_code_is_a_link_too() -> None:
    assert rendered(f"`{ADDRESS}`", FOUND) == f"<p><code>{LINK}</code></p>"


def test_an_address_that_is_not_kept_says_so() -> None:
    assert rendered(GONE, FOUND) == f'<p>{GONE} <span class="small">(not kept here)</span></p>'


@pytest.mark.parametrize(
    "text",
    [
        ADDRESS + "0", ADDRESS[:-1], ADDRESS.upper(), ADDRESS + "/../../leave", "x" + ADDRESS,
        "https://evil.example/" + ADDRESS, "javascript:" + ADDRESS, ADDRESS.replace("//", "/"),
        "artifact://sha256-" + "c3" * 32,
    ],
)  # fmt: skip
def test_what_is_no_exact_address_of_one_stays_text(text: str) -> None:
    assert rendered(text, FOUND) == f"<p>{text}</p>"
    assert rendered(ADDRESS) == f"<p>{ADDRESS}</p>"


def test_the_addresses_of_a_value_are_found_in_bounds() -> None:
    said = {"text": f"{ADDRESS} {GONE}", "files": [{"url": ADDRESS}, 7, None]}
    assert hashes_in(said, 1000) == [HASH, OTHER]
    assert hashes_in(said, len(ADDRESS)) == [HASH]
    many = " ".join(f"artifact://sha256-{number:064x}" for number in range(5000))
    assert len(hashes_in(many, len(many))) == 500


def test_a_usual_name_is_given_as_it_is() -> None:
    assert disposition("a b.txt") == (
        "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt"
    )
    assert "filename*=UTF-8''p%C3%A4ckchen.txt" in disposition("päckchen.txt")


@given(
    st.text() | st.sampled_from(["../../x", 'a"; filename=b', "a\r\nset-cookie: x", "\u202egpj"])
)
def test_no_name_leaves_its_header_or_leads_anywhere(name: str) -> None:
    told = disposition(name)
    form = r"attachment; filename=\"[^\"\\/\r\n]*\"; filename\*=UTF-8''(?:[\w.~-]|%[0-9A-F]{2})*"
    assert re.fullmatch(form, told, re.ASCII)
    assert told.isprintable()
    assert not re.search("%(?:2F|5C|0D|0A|22|00)", told)
