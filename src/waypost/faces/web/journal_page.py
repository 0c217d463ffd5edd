"""The journal in words: who did what, through which door, and each event as it is chained."""

import json
from typing import Any

from waypost.errors import UsageError
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.told import KINDS, told
from waypost.letters.names import near_names
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.glancing import News
from waypost.office.tracing import RawEvent

_ROWS = 50
_LONGEST_HEAD = 50_000


def journal(office: Office, caller: Caller, query: Query) -> Page:
    """Who did what, through which door."""
    actor, kind = query.get("actor"), query.get("kind")
    news = office.chronicle(caller, _ROWS + 1, query.cursor(), actor or None, kind or None)
    shown = news[:_ROWS]
    data: dict[str, Any] = {
        "rows": [(one, _told(one)) for one in shown],
        "actor": actor,
        "kind": kind,
        "kinds": KINDS,
        "next": str(shown[-1].deed.position) if len(news) > _ROWS else None,
        "near": near_names(actor, office.names(caller.project)) if actor and not news else [],
        "verified": None,
        "raw": _raw(office, caller, query),
    }
    return Page("journal", "Journal", data)


def _told(one: News) -> Any:
    return told(one.deed, one.to, one.state, one.deed.reason)


def _raw(office: Office, caller: Caller, query: Query) -> tuple[RawEvent, str] | None:
    """The event that the address names, and its head written in lines."""
    if not query.get("event"):
        return None
    found = office.raw_event(caller, query.number("event", 0, 10**9 - 1))
    try:
        lines = json.dumps(json.loads(found.head), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError) as error:
        raise UsageError("that event isn't as it was written", hint="verify") from error
    return found, lines[:_LONGEST_HEAD]
