"""Searching letters: words, "phrases", beginnings*, and from: to: type: thread: before: after:.

Whatever a query holds, it becomes quoted words and marks: nothing in it is the index's own
language. Everybody finds only letters that they may see.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from waypost.errors import UsageError, quoted
from waypost.office import finding, members
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import within
from waypost.office.deciding import Desk
from waypost.office.finding import COLUMNS, VISIBLE
from waypost.office.members import Member
from waypost.office.statements import SPAN
from waypost.office.tables import Tables
from waypost.office.threads import position_in
from waypost.office.views import Page
from waypost.office.words import mark
from waypost.office.world import milliseconds

LONGEST_QUERY = 500
MOST_AT_ONCE = 100
_FOUND = (
    f"SELECT {COLUMNS} FROM search JOIN letters ON letters.position = search.rowid"
    " WHERE search MATCH ? AND search.rowid >= ? AND search.rowid < ?"
    " AND letters.sent_at >= ? AND letters.sent_at < ?"
    f" AND {VISIBLE} ORDER BY search.rowid DESC LIMIT ?"
)
_BETWEEN = "SELECT min(place), max(place) FROM spans WHERE latest >= ? AND earliest < ?"
_TERM = re.compile(r'(?:(?P<key>[A-Za-z]+):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>\S*))')
FILTERS = ("from", "to", "type", "thread", "before", "after")
_AGO = re.compile(r"([0-9]{1,5})([mhd])")
_MINUTES = {"m": 1, "h": 60, "d": 24 * 60}
_LATEST = 1 << 62


class Term(NamedTuple):
    """A part of a query: a word, a phrase, or a filter (then the key says which)."""

    key: str | None
    value: str
    is_phrase: bool

    @property
    def is_filter(self) -> bool:
        """Whether it speaks of the envelope and not of words."""
        return self.key in FILTERS


class _Query(NamedTuple):
    """A query as the index takes it, and the times between which it looks."""

    match: str
    begin: int
    end: int


def search(
    desk: Desk, caller: Caller, query: str, limit: int = 20, after: str | None = None
) -> Page:
    """The letters that hold all of the words, the newest first. Raises UsageError."""
    checked_caller(caller)
    within(limit, "limit", 1, MOST_AT_ONCE)
    before = position_in(after) or _LATEST
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        read = _read(query, caller.project, me, now)
        who = (me.sees_all, me.name, me.id, limit + 1)
        first, behind = _positions(tables, read)
        where = read.match, first, min(before, behind)
        rows = tables.all(_FOUND, *where, read.begin, read.end, *who)
        headers = tuple(finding.for_reader(tables, row, me, now) for row in rows[:limit])
    return Page(headers, str(rows[limit - 1][0]) if len(rows) > limit else None)


def _positions(tables: Tables, query: _Query) -> tuple[int, int]:
    """Between which positions the letters stand that were sent between the query's times."""
    row = tables.one(_BETWEEN, query.begin, query.end)
    if row is None or row[0] is None:
        return 0, 0
    return row[0] * SPAN, (row[1] + 1) * SPAN


def terms(query: str) -> Iterator[Term]:
    """What a query is made of. The words for filters may be written in any case."""
    for term in _TERM.finditer(query):
        if term[0]:
            is_phrase = term["word"] is None
            key = term["key"] and (term["key"].lower() if term["key"].lower() in FILTERS
                                   else term["key"])  # fmt: skip
            yield Term(key, term["phrase"] if is_phrase else term["word"], is_phrase)


def _read(query: str, project: str, me: Member, now: int) -> _Query:
    if len(query) > LONGEST_QUERY:
        raise UsageError(f"a query has at most {LONGEST_QUERY} characters")
    place = mark("project", project) if me.sees_all else mark("party", project, me.name)
    words: list[str] = []
    marks = [place]
    begin, end = -_LATEST, _LATEST
    for key, value, is_phrase in terms(query):
        if key in ("before", "after"):
            moment = _moment(value, now)
            begin, end = (max(begin, moment), end) if key == "after" else (begin, min(end, moment))
        elif key in FILTERS:
            marks.append(_filter(key, value, project, me))
        elif key is not None:
            words += _words(f"{key} {value}")  # like error:404, which is two words
        else:
            words += _words(value, whole=is_phrase)
    if not words and len(marks) == 1 and begin == -_LATEST and end == _LATEST:
        hint = "words, or from: to: type: thread: before: after:"
        raise UsageError("the query holds nothing to look for", hint=hint)
    parts = [f"{{subject body}} : ({' AND '.join(words)})"] if words else []
    return _Query(" AND ".join([*parts, f"marks : ({' AND '.join(marks)})"]), begin, end)


def _filter(key: str, value: str, project: str, me: Member) -> str:
    if not value:
        raise UsageError(f"{key}: needs a value", hint=f"like {key}:claude, without a blank")
    if key == "type":
        return mark(key, value)
    return mark(key, project, me.name if value == "me" and key != "thread" else value)


def _words(text: str, *, whole: bool = False) -> list[str]:
    """Quoted words for the index; one that ends in a star stands for all that begin so."""
    parts = [text] if whole else text.split()
    return [
        '"' + part.rstrip("*").replace('"', '""').replace("\0", " ") + '"'
        + ("*" if part.endswith("*") and not whole else "")
        for part in parts
        if any(char.isalnum() for char in part)
    ]  # fmt: skip


def _moment(text: str, now: int) -> int:
    """A day, a time in UTC, or how long ago: 30m, 2h, 7d."""
    if match := _AGO.fullmatch(text):
        return now - int(match[1]) * _MINUTES[match[2]] * 60_000
    found = milliseconds(text if "T" in text else f"{text}T00:00:00Z")
    if found is None:
        hint = "like 2026-03-13, 2026-03-13T14:30:00Z, 2h or 7d"
        raise UsageError(f"{quoted(text)} is no time", hint=hint)
    return found
