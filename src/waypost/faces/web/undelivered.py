"""The page of letters that don't get on, and what a person does about one or many of them."""

from collections import defaultdict
from collections.abc import Callable

from waypost.errors import UsageError, WaypostError
from waypost.faces.doorkeeper import status_of
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.mending import MOST_AT_ONCE

_ROWS = 50
Act = Callable[[list[str], str], object]  # on letters, for one recipient of theirs


def undelivered(office: Office, caller: Caller, query: Query) -> Page:
    """What came back or expired, is tried again, or is held."""
    page = office.undelivered(caller, _ROWS, query.cursor())
    names = [one.name for one in office.agents(caller)]
    data = {"page": page, "names": names, "error": None, "chosen": query.all("which")}
    return Page("undelivered", "Undelivered", data)


def retry(office: Office, caller: Caller, form: Query) -> Page | str:
    """Try again now; what is held goes on."""
    return _done(office, caller, form, "retried",
                 lambda letters, name: office.retry(caller, letters, name))  # fmt: skip


def redirect(office: Office, caller: Caller, form: Query) -> Page | str:
    """Give letters to somebody else."""
    to, reason = form.get("to"), form.get("reason")

    def act(letters: list[str], name: str) -> None:
        if not to:
            raise UsageError("nobody is chosen to get it", hint="choose a name beside Redirect")
        office.redirect(caller, letters, to, reason, name)

    return _done(office, caller, form, "redirected", act)


def discard(office: Office, caller: Caller, form: Query) -> Page | str:
    """Take letters off the list, with a reason."""
    reason = form.get("reason")

    def act(letters: list[str], name: str) -> None:
        if not reason:
            raise UsageError("a discarded letter needs a reason", hint="write one above Discard")
        office.discard(caller, letters, reason, name)

    return _done(office, caller, form, "discarded", act)


def _done(office: Office, caller: Caller, form: Query, word: str, act: Act) -> Page | str:
    """Do it for each recipient's letters; what goes wrong is told above the list."""
    agent = form.get("agent")
    try:
        for name, letters in _chosen(form).items():
            act(letters, name)
    except WaypostError as error:
        if agent:
            raise
        page = undelivered(office, caller, form)
        shown = {"error": error, "here": "/undelivered", "address": "/undelivered"}
        return page._replace(data={**page.data, **shown}, status=status_of(error))
    return url("/inbox", agent=agent, did=word) if agent else url("/undelivered", did=word)


def _chosen(form: Query) -> dict[str, list[str]]:
    """The letters that are ticked, by recipient: one alone, all of the page, or those chosen."""
    if only := form.get("only"):
        picked = [only]
    else:
        picked = form.typed("every").split("\n") if form.has("all") else form.all("which")
    if not 1 <= len(picked) <= MOST_AT_ONCE:
        raise UsageError(
            f"{len(picked)} letters are chosen" if picked else "no letter is chosen",
            hint=f"tick 1 to {MOST_AT_ONCE}, then press the button",
        )
    found: dict[str, list[str]] = defaultdict(list)
    for one in picked:
        name, _, letter = one.partition(" ")
        found[name].append(letter)
    return found
