"""A conversation as a timeline: its letters, what they became for others, and how its work stands.

Looking changes nothing: letters are peeked at.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waypost.dialects import dialect
from waypost.errors import NotFoundError, Problem, WaypostError
from waypost.faces.doorkeeper import status_of
from waypost.faces.web.contents import Raw, attached, content_of, contents, raw
from waypost.faces.web.page import File, Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.faces.web.told import TITLES, Told, told
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.tracing import Trace, Translated
from waypost.office.views import Header, Letter

TABS = {
    "readable": "Readable",
    "raw": "Raw",
    "problems": "Problems",
    "delivery": "Delivery",
}
PLAIN = "notification"
_LETTERS, _EVENTS = 20, 50


class Made(NamedTuple):
    """A translation as the page shows it."""

    is_of: Translated
    title: str
    content: Any
    raw: Raw
    address: str


class Log(NamedTuple):
    """A page of what happened to a letter: events with their sentences; where it goes on."""

    events: Sequence[tuple[Trace, Told]]
    next: str | None


def thread(office: Office, caller: Caller, query: Query) -> Page:
    """A conversation, letter by letter."""
    named = query.get("id")
    tab = query.get("tab") if query.get("tab") in TABS else "readable"
    page = office.thread(caller, named, _LETTERS, query.cursor())
    if not page.letters:
        raise NotFoundError("the thread has no more letters", hint="go back to its beginning")
    letters = [office.read(caller, one.id, peek=True, original=True) for one in page.letters]
    made = {one.header.id: _made(office, caller, one) for one in letters}
    said = contents(letters)
    seen = [said, *(one.content for listed in made.values() for one in listed)]
    data: dict[str, Any] = {"named": named, "page": page, "letters": letters, "tab": tab}
    data |= {"tabs": TABS, "contents": said, "made": made, "titles": TITLES}
    data |= {"found": attached(office, caller, seen), "progress": _progress(office, caller, page)}
    data |= {"error": None, "chosen": query.get("letter"), "typed": query.typed("text")}
    data |= {"answers": {one.id: fitting(one) for one in page.letters}, "plain": PLAIN}
    data |= _of_tab(office, caller, query, tab, letters)
    title = next((one.subject for one in page.letters if one.subject), "Thread")
    return Page("thread", title[:100], data)


def thread_again(office: Office, caller: Caller, form: Query, error: WaypostError) -> Page:
    """A conversation with a reply that couldn't be sent, and what was typed still in its form."""
    page = thread(office, caller, form)
    address = url("/thread", id=form.get("id"), tab=form.get("tab"), after=form.get("after"))
    data = {**page.data, "error": error, "here": "/thread", "address": address}
    return Page("thread", page.title, data, status_of(error))


def raw_file(office: Office, caller: Caller, query: Query) -> File:
    """The bytes of a letter, or of one of its translations, to be saved."""
    letter = office.read(caller, query.get("id"), peek=True, original=True)
    name, message = letter.header.dialect, letter.message
    if wanted := query.get("translation"):
        one = next((made for made in office.translations(caller, letter.header.id)
                    if made.id == wanted), None)  # fmt: skip
        if one is None:
            raise NotFoundError("the letter has no such translation")
        name, message = one.dialect, one.message
    if message is None:
        raise NotFoundError("the content of that letter was removed")
    return File(f"{wanted or letter.header.id}.{dialect(name).example_ending}", message)


def fitting(header: Header) -> tuple[str, ...]:
    """The types that answer a letter, the most fitting first.

    A live peer's own kinds need keys at both ends; a person's plain words become them.
    """
    if header.dialect == "acp":
        return ()
    known = dialect(header.dialect).types.get(header.type)
    return known.answered_by if known else ()


def _of_tab(
    office: Office, caller: Caller, query: Query, tab: str, letters: Sequence[Letter]
) -> Mapping[str, Any]:
    """What only one of the tabs shows."""
    data: dict[str, Any] = {"problems": {}, "steps": {}, "logs": {}, "raws": {}}
    for one in letters:
        letter = one.header.id
        if tab == "raw":
            data["raws"][letter] = raw(one.message)
        elif tab == "problems":
            data["problems"][letter] = _problems(one)
        elif tab == "delivery":
            data["steps"][letter] = office.deliveries(caller, letter)
            begin = query.get("log") if query.get("of") == letter else ""
            data["logs"][letter] = _log(office, caller, one.header, begin or None)
    return data


def _log(office: Office, caller: Caller, header: Header, after: str | None) -> Log:
    traces = office.history(caller, header.id, _EVENTS + 1, after)
    shown = traces[:_EVENTS]
    events = [
        (one, told(one.deed, one.to, one.state, one.note, own=one.deed.position == header.position))
        for one in shown
    ]
    return Log(events, str(shown[-1].deed.position) if len(traces) > _EVENTS else None)


def _made(office: Office, caller: Caller, letter: Letter) -> list[Made]:
    return [
        Made(
            one,
            TITLES[one.dialect],
            content_of(one.dialect, one.message) if one.message else "",
            raw(one.message),
            url("/raw", id=letter.header.id, translation=one.id),
        )
        for one in office.translations(caller, letter.header.id)
    ]


def _progress(office: Office, caller: Caller, page: Any) -> Any:
    return office.progress(caller, page.letters[0].thread)


def _problems(letter: Letter) -> tuple[Problem, ...]:
    if letter.message is None:
        return ()
    return dialect(letter.header.dialect).read(letter.message).problems
