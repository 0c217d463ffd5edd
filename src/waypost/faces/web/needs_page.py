"""What waits for a person: questions, approvals, reports that need somebody, and held letters."""

from typing import NamedTuple

from waypost.errors import NotAllowedError
from waypost.faces.web.contents import attached, content, contents, in_words
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.letters.words import brief
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.delivering import PAIR
from waypost.office.holding import Held
from waypost.office.views import Header, Letter

_LETTERS, _HELD = 20, 20
_LONGEST = 280


class Context(NamedTuple):
    """What a letter came after, in a few words."""

    answers: Header | None
    before: Header | None
    words: str


class Stopped(NamedTuple):
    """A letter on hold, with what it says."""

    held: Held
    header: Header
    words: str


def needs(office: Office, caller: Caller, query: Query) -> Page:
    """What waits for a person, the urgent first and then the oldest."""
    page = office.needs(caller, _LETTERS, query.cursor())
    said = contents(page.letters)
    held = _to_decide(office, caller) if query.cursor() is None else []
    stopped = [_stopped(office, caller, one) for one in held[:_HELD]]
    context = {one.header.id: _context(office, caller, one) for one in page.letters}
    data = {"page": page, "contents": said, "found": attached(office, caller, said)}
    more = {"stopped": stopped, "more_held": len(held) - len(stopped), "context": context}
    return Page("needs", "Needs you", {**data, **more})


def decide(office: Office, caller: Caller, form: Query) -> str:
    """Decide what becomes of a letter that a guard holds: it goes on, or back to its sender."""
    if office.whoami(caller).kind != "person":
        raise NotAllowedError("only people decide this", hint="ask_human")
    goes_on = form.get("verdict") == "on"
    office.let_go(caller.project, form.get("letter"), goes_on=goes_on)
    return url("/needs", did="goes_on" if goes_on else "sent_back")


def _to_decide(office: Office, caller: Caller) -> list[Held]:
    """What guards hold; letters between two whom a person keeps apart wait for no word."""
    return [one for one in office.held(caller.project) if one.guard != PAIR]


def _stopped(office: Office, caller: Caller, held: Held) -> Stopped:
    letter = office.read(caller, held.id, peek=True, original=True)
    return Stopped(held, letter.header, _words(letter))


def _context(office: Office, caller: Caller, letter: Letter) -> Context:
    found = office.context(caller, letter.header.id)
    before = found.before
    return Context(found.answers, before and before.header, _words(before) if before else "")


def _words(letter: Letter) -> str:
    """The first words of a letter."""
    return brief(" ".join(in_words(content(letter)).split()), _LONGEST)
