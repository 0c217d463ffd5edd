"""What each page shows. Looking changes nothing: letters are peeked at."""

from typing import Any

from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.views import Agent

_ROWS, _SOME_AGENTS, _NEWS = 50, 12, 30
_MOST_CHOICES = 100  # of more names, one is typed and not chosen


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


def inbox(office: Office, caller: Caller, query: Query) -> Page:
    """The mailbox of any agent, in its order."""
    agent = query.get("agent") or caller.agent
    shows_all = query.get("show") == "all"
    page = office.mailbox(caller, agent, not shows_all, _ROWS, query.cursor())
    names = [one.name for one in office.agents(caller)]
    choice = names if len(names) <= _MOST_CHOICES else []
    data = {"agent": agent, "page": page, "shows_all": shows_all, "names": choice}
    return Page("inbox", f"Inbox of {agent}", data)


def by_load(found: tuple[Agent, ...]) -> list[Agent]:
    """Those with the most to read first, then those who did something last."""
    mailboxes = [one for one in found if one.kind != "people"]
    return sorted(mailboxes, key=lambda one: (-one.unread, -one.active_at))
