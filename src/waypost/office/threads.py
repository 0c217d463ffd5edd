"""Conversations: the letters of a thread, in the order in which they came."""

from waypost.errors import NotFoundError, UsageError, WaypostError, quoted
from waypost.office import finding, members
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import is_number, within
from waypost.office.deciding import Desk
from waypost.office.finding import COLUMNS, VISIBLE
from waypost.office.tables import Tables
from waypost.office.views import Page

MOST_AT_ONCE = 200
_OF_THREAD = (
    f"SELECT {COLUMNS} FROM letters WHERE thread = ? AND project = ? AND position > ?"
    f" AND {VISIBLE} ORDER BY position LIMIT ?"
)
_THREAD_AT = "SELECT thread FROM letters WHERE position = ?"


def thread(
    desk: Desk, caller: Caller, thread: str, limit: int = 50, after: str | None = None
) -> Page:
    """The letters of a thread that the caller wrote or got.

    The thread is named by itself, or by a letter of it. Raises NotFoundError.
    """
    checked_caller(caller)
    within(limit, "limit", 1, MOST_AT_ONCE)
    behind = position_in(after)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        who = (me.sees_all, me.name, me.id, limit + 1)
        rows = tables.all(_OF_THREAD, thread, caller.project, behind, *who)
        if not rows:
            named = _of_letter(tables, caller, me, thread)
            rows = tables.all(_OF_THREAD, named, caller.project, behind, *who)
        headers = tuple(finding.for_reader(tables, row, me, now) for row in rows[:limit])
    return Page(headers, str(rows[limit - 1][0]) if len(rows) > limit else None)


def position_in(after: str | None) -> int:
    """The position that a cursor names. Raises UsageError."""
    if after is None:
        return 0
    if not is_number(after):
        raise UsageError("that is no cursor", hint="give the `next` of the page before")
    return int(after)


def _of_letter(tables: Tables, caller: Caller, me: members.Member, letter: str) -> str:
    try:
        position = finding.position_of(tables, caller.project, me, letter)
    except WaypostError as error:
        raise NotFoundError(
            f"no thread or letter of yours is called {quoted(letter)}", hint=error.hint
        ) from error
    return str(tables.value(_THREAD_AT, position))
