"""Searching: what was found, with the words that were looked for marked, and near names."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from waypost.errors import UsageError, visible
from waypost.faces.web.contents import content, in_words
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.letters.names import near_names
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.searching import Term
from waypost.office.views import Header

_LETTERS = 20
_AROUND, _LONGEST, _LOOKED_AT = 70, 220, 20_000
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+")
_NOBODY = ("me", "everyone", "postmaster")
# The query language, a line each: how it is written, and what it finds.
LANGUAGE = (
    ("rate limit", "letters that hold both words, anywhere"),
    ('"rate limit"', "the words one after the other"),
    ("migrat*", "words that begin so"),
    ("from:claude", "letters that claude wrote; from:me are yours"),
    ("to:codex", "letters to codex"),
    ("type:question", "letters of a type, of any dialect"),
    ("thread:ID", "letters of one thread"),
    ("after:2h", "letters of the last two hours; also 30m, 7d, or a day like 2026-03-13"),
    ("before:2026-03-13", "letters from before a day, or a time like 2026-03-13T14:30:00Z"),
)


class Found(NamedTuple):
    """A letter with its marked subject, and its words around the first that was looked for."""

    header: Header
    subject: Markup
    excerpt: Markup


class Near(NamedTuple):
    """A name in the query that nobody has, those that it may mean, and the query with each."""

    key: str
    name: str
    instead: tuple[tuple[str, str], ...]


def search(office: Office, caller: Caller, query: Query) -> Page:
    """Letters that hold what is looked for."""
    asked = query.get("q")
    data = {"q": asked, "page": None, "found": (), "near": (), "error": None,
            "language": LANGUAGE}  # fmt: skip
    if not asked:
        return Page("search", "Search", data)
    try:
        page = office.search(caller, asked, _LETTERS, query.cursor())
    except UsageError as error:
        return Page("search", "Search", {**data, "error": error}, 400)
    terms = list(office.terms(asked))
    words = sought(terms)
    found = [_found(office, caller, one, words) for one in page.letters]
    near = tuple(_near(office.names(caller.project), terms, asked))
    return Page("search", "Search", {**data, "page": page, "found": found, "near": near})


def sought(terms: Iterable[Term]) -> list[str]:
    """The words that a query looks for, as they are compared; one with a star ends in it."""
    words = []
    for term in terms:
        if not term.is_filter:
            text = f"{term.key} {term.value}" if term.key else term.value
            for part in text.split():
                pieces = [piece for piece, is_word in _pieces(part) if is_word]
                is_begun = part.endswith("*") and not term.is_phrase
                words += [_folded(one) for one in pieces]
                if is_begun and pieces:
                    words[-1] += "*"
    return list(dict.fromkeys(words))


def marked(text: str, words: Sequence[str]) -> Markup:
    """A text as safe markup, with the words that were looked for marked."""
    parts = [
        Markup("<mark>{}</mark>").format(visible(piece)) if is_word and _fits(piece, words)
        else escape(visible(piece))
        for piece, is_word in _pieces(text)
    ]  # fmt: skip
    return Markup("").join(parts)


def excerpt(text: str, words: Sequence[str]) -> str:
    """The words of a text around the first that was looked for."""
    looked_at = " ".join(text[:_LOOKED_AT].split())
    at = 0
    for piece, is_word in _pieces(looked_at):
        if is_word and _fits(piece, words):
            break
        at += len(piece)
    else:
        at = 0
    begin = max(0, at - _AROUND)
    end = begin + _LONGEST
    before, behind = "…" if begin else "", "…" if end < len(looked_at) else ""
    return before + looked_at[begin:end] + behind


def _found(office: Office, caller: Caller, header: Header, words: Sequence[str]) -> Found:
    said = in_words(content(office.read(caller, header.id, peek=True, original=True)))
    shown = excerpt(said, words)
    is_more = " ".join(said.split()) != " ".join(header.subject.split())
    subject = marked(header.subject or "(no subject)", words)
    return Found(header, subject, marked(shown, words) if is_more else Markup(""))


def _near(names: Sequence[str], terms: Iterable[Term], asked: str) -> Iterator[Near]:
    known = {name.casefold() for name in (*names, *_NOBODY, "people")}
    for term in terms:
        if term.key in ("from", "to") and term.value and term.value.casefold() not in known:
            near = near_names(term.value, names)
            instead = ((name, asked.replace(term.value, name)) for name in near)
            yield Near(term.key, term.value, tuple(instead))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """A text as words and what stands between them, as the index takes them apart."""
    at = 0
    for match in _WORD.finditer(text):
        yield text[at : match.start()], False
        yield match[0], True
        at = match.end()
    yield text[at:], False


def _fits(piece: str, words: Sequence[str]) -> bool:
    folded = _folded(piece)
    return any(folded.startswith(one[:-1]) if one.endswith("*") else folded == one for one in words)


def _folded(word: str) -> str:
    """A word without case and accents."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(char for char in apart if not unicodedata.combining(char))
