"""What each page shows. Looking changes nothing: letters are peeked at."""

from collections.abc import Mapping
from typing import Any

from waypost.dialects import dialect
from waypost.errors import Problem, WaypostError
from waypost.faces.doorkeeper import status_of
from waypost.faces.web.attached import Found, hashes_in
from waypost.faces.web.markdown import MOST_CHARACTERS
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.states import State
from waypost.office.views import Agent, Letter

TABS = {
    "readable": "Readable",
    "raw": "Raw",
    "problems": "Problems",
    "delivery": "Delivery",
}
_LETTERS, _ROWS, _SOME_AGENTS, _NEWS = 20, 50, 12, 30
# What stands in the envelope and is shown above the message already.
_ENVELOPE = frozenset(
    (
        *("id", "from", "to", "type", "priority", "created_at_utc", "subject", "channel"),
        *("conversation_id", "parent_message_id", "v", "ts", "kind", "ref"),
        *("version", "timestamp", "sender_id", "message_id", "priority_value"),
    )
)


def now(office: Office, caller: Caller, query: Query) -> Page:
    """Is anything stuck, does anyone need me, who is busy, what just happened?"""
    agents = by_load(office.agents(caller))
    feed = office.news(caller, _NEWS, query.cursor())
    data: dict[str, Any] = {
        "agents": agents[:_SOME_AGENTS],
        "all": len(agents),
        "feed": feed,
        "most": _NEWS,
    }
    data["numbers"] = office.numbers(caller)
    return Page("now", "Now", data)


def needs(office: Office, caller: Caller, query: Query) -> Page:
    """What waits for a person."""
    page = office.needs(caller, _LETTERS, query.cursor())
    contents = _contents(page.letters)
    found, held = _attached(office, caller, contents), len(office.held(caller.project))
    data = {"page": page, "contents": contents, "found": found, "held": held}
    return Page("needs", "Needs you", data)


def inbox(office: Office, caller: Caller, query: Query) -> Page:
    """The mailbox of any agent, in its order."""
    agent = query.get("agent") or caller.agent
    shows_all = query.get("show") == "all"
    page = office.mailbox(caller, agent, not shows_all, _ROWS, query.cursor())
    names = [one.name for one in office.agents(caller)]
    data = {"agent": agent, "page": page, "shows_all": shows_all, "names": names}
    return Page("inbox", f"Inbox of {agent}", data)


def thread(office: Office, caller: Caller, query: Query) -> Page:
    """A conversation, letter by letter."""
    named = query.get("id")
    tab = query.get("tab") if query.get("tab") in TABS else "readable"
    page = office.thread(caller, named, _LETTERS, query.cursor())
    letters = [office.read(caller, one.id, peek=True) for one in page.letters]
    data: dict[str, Any] = {"named": named, "page": page, "letters": letters, "tab": tab}
    data |= {"tabs": TABS, "contents": _contents(letters), "problems": {}, "steps": {}}
    data |= {"found": _attached(office, caller, data["contents"])}
    data |= {"error": None, "chosen": query.get("letter"), "typed": query.typed("text")}
    if tab == "problems":
        data["problems"] = {one.header.id: _problems(one) for one in letters}
    if tab == "delivery":
        data["steps"] = {one.header.id: office.deliveries(caller, one.header.id) for one in letters}
    title = next((one.subject for one in page.letters if one.subject), "Thread")
    return Page("thread", title[:100], data)


def thread_again(office: Office, caller: Caller, form: Query, error: WaypostError) -> Page:
    """A conversation with a reply that couldn't be sent, and what was typed still in its form."""
    page = thread(office, caller, form)
    address = url("/thread", id=form.get("id"), tab=form.get("tab"), after=form.get("after"))
    data = {**page.data, "error": error, "here": "/thread", "address": address}
    return Page("thread", page.title, data, status_of(error))


def reservations(office: Office, caller: Caller, query: Query) -> Page:
    """Who holds which files."""
    path = query.get("path")
    held = office.reservations(caller, path or None)
    return Page("reservations", "Reservations", {"held": held, "path": path})


def search(office: Office, caller: Caller, query: Query) -> Page:
    """Letters that hold what is looked for."""
    wanted = query.get("q")
    page = office.search(caller, wanted, _ROWS, query.cursor()) if wanted else None
    return Page("search", "Search", {"q": wanted, "page": page})


def journal(office: Office, caller: Caller, query: Query) -> Page:
    """Who did what, through which door."""
    actor, kind = query.get("actor"), query.get("kind")
    deeds = office.log(caller, _ROWS, query.cursor(), actor or None, kind or None)
    following = str(deeds[-1].position) if len(deeds) == _ROWS else None
    data: dict[str, Any] = {
        "deeds": deeds,
        "actor": actor,
        "kind": kind,
        "next": following,
        "verified": None,
    }
    data["state_names"] = [state.word.replace("_", " ") for state in State]
    return Page("journal", "Journal", data)


def by_load(found: tuple[Agent, ...]) -> list[Agent]:
    """Those with the most to read first, then those who did something last."""
    mailboxes = [one for one in found if one.kind != "people"]
    return sorted(mailboxes, key=lambda one: (-one.unread, -one.active_at))


def _contents(letters: list[Letter] | tuple[Letter, ...]) -> Mapping[str, Any]:
    """What each letter says, without its envelope."""
    return {one.header.id: _content(one) for one in letters}


def _attached(office: Office, caller: Caller, contents: Mapping[str, Any]) -> Found:
    """The attachments that letters name."""
    hashes = hashes_in(contents, MOST_CHARACTERS)
    kept = office.attachments_kept(caller, hashes) if hashes else {}
    return {one: kept.get(one) for one in hashes}


def _content(letter: Letter) -> Any:
    fields = letter.fields
    if not fields:
        return letter.text
    for name in ("body", "payload"):
        if name in fields:
            return _without_options(fields[name], letter.options)
    return {key: found for key, found in fields.items() if key not in _ENVELOPE}


def _without_options(said: Any, options: tuple[str, ...]) -> Any:
    """What a question says before its options, which have buttons."""
    if not isinstance(said, str) or not options:
        return said
    return said.rstrip("\n").removesuffix("\n".join(f"- {one}" for one in options)).rstrip("\n")


def _problems(letter: Letter) -> tuple[Problem, ...]:
    if letter.message is None:
        return ()
    return dialect(letter.header.dialect).read(letter.message).problems
