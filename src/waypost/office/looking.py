"""What people see of others' mail: any mailbox, what needs a person, what didn't arrive.

Looking leaves no trace: nothing here hands a letter over or marks it as read.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from waypost.errors import NotAllowedError, NotFoundError, quoted
from waypost.letters.names import did_you_mean
from waypost.letters.priority import Priority
from waypost.office import finding, inboxes, members, reading
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import within
from waypost.office.deciding import Desk
from waypost.office.delivering import PAIR, PEOPLE
from waypost.office.events import Json
from waypost.office.finding import COLUMNS, WIDTH
from waypost.office.members import Member
from waypost.office.states import State
from waypost.office.tables import Row, Tables
from waypost.office.threads import position_in
from waypost.office.views import Header, Inbox, Letter, filled, when

MOST_AT_ONCE = 100
# In a person's own mailbox, only what asks for something needs the person.
NEEDS = "FROM deliveries INDEXED BY asking WHERE asks AND state < 3 AND agent IN (?1, ?2)"
_FIRST = f"ORDER BY rank / 2 = {int(Priority.URGENT)} DESC, letter"
_NEEDED = (
    f"WITH needed AS (SELECT letter, rank, state {NEEDS} {_FIRST} LIMIT ?3 OFFSET ?4)"
    f" SELECT {COLUMNS}, state FROM needed JOIN letters ON letters.position = letter {_FIRST}"
)
_COUNT_NEEDED = f"SELECT count(*) FROM (SELECT 1 {NEEDS} LIMIT ?3)"
_COUNT_HELD = (
    "SELECT count(*) FROM (SELECT 1 FROM waiting CROSS JOIN letters"
    " ON letters.position = letter WHERE next_at IS NULL AND guard != ? AND project = ? LIMIT ?)"
)
_LOST = (
    f"SELECT {COLUMNS}, state, agents.name, changed_at, texts FROM deliveries"
    " CROSS JOIN agents ON agents.id = agent CROSS JOIN letters ON letters.position = letter"
    " LEFT JOIN contents ON contents.position = noted"
    " WHERE state IN (5, 7) AND agents.project = ? AND letter < ?"
    " ORDER BY letter DESC LIMIT ?"
)
# What a carrier tries again, or a guard holds until a person says (then there is no next time).
_WAITING = (
    f"SELECT {COLUMNS}, next_at, agents.name, since, texts, tries FROM waiting"
    " JOIN letters ON letters.position = letter JOIN agents ON agents.id = agent"
    " LEFT JOIN contents ON contents.position = noted"
    " WHERE letters.project = ? ORDER BY letter DESC LIMIT ?"
)
_STEPS = (
    "SELECT name, state, changed_at, deliveries.expires_at, accepted, texts FROM deliveries"
    " JOIN agents ON agents.id = agent LEFT JOIN contents ON contents.position = noted"
    " WHERE letter = ? ORDER BY agents.id"
)


class Needs(NamedTuple):
    """Whole letters that wait for a person, urgent and then old ones first."""

    letters: tuple[Letter, ...]
    next: str | None = None

    def to_json(self) -> Json:
        shown = {"letters": [one.to_json() for one in self.letters], "next": self.next}
        return {"letters": [], **filled(shown)}


class Failure(NamedTuple):
    """A letter that didn't reach somebody, since when, and what was said of it.

    The state is bounced, expired, waiting (it is tried again) or held (by a guard, for a person).
    """

    header: Header
    recipient: str
    state: str
    since: int
    reason: str | None
    tries: int = 0
    next_at: int | None = None

    def to_json(self) -> Json:
        shown = {"recipient": self.recipient, "since": when(self.since), "reason": self.reason}
        tried = {"tries": self.tries or None, "next_at": when(self.next_at)}
        return filled({**self.header.to_json(), **shown, **tried, "state": self.state})


class Failures(NamedTuple):
    """A page of what didn't arrive, the newest first."""

    failures: tuple[Failure, ...]
    next: str | None = None

    def to_json(self) -> Json:
        shown = {"failures": [one.to_json() for one in self.failures], "next": self.next}
        return {"failures": [], **filled(shown)}


class Step(NamedTuple):
    """How far a letter got with one recipient, since when, and what was said of it."""

    recipient: str
    state: str
    since: int
    accepted: bool | None
    note: str | None

    def to_json(self) -> Json:
        return filled({**self._asdict(), "since": when(self.since)})


def mailbox(
    desk: Desk,
    caller: Caller,
    agent: str,
    unread_only: bool = True,
    limit: int = 50,
    after: str | None = None,
) -> Inbox:
    """A page of anybody's mail in its order, untouched. Raises NotAllowedError, NotFoundError."""
    within(limit, "limit", 1, MOST_AT_ONCE)
    now = desk.world.now()
    with desk.database.reading() as tables:
        person_of(tables, caller)
        owner = members.find(tables, caller.project, agent)
        if owner is None:
            names = [row[0] for row in tables.all(_NAMES, caller.project)]
            hint = did_you_mean(agent, names) or "agents lists all"
            said = f"no agent called {quoted(agent)} in {caller.project}"
            raise NotFoundError(said, hint=hint)
        return inboxes.page_of(
            tables, owner, now, unread_only=unread_only, limit=limit, after=after
        )


_NAMES = "SELECT name FROM agents WHERE project = ?"


def needs(desk: Desk, caller: Caller, limit: int = 20, after: str | None = None) -> Needs:
    """What waits for the caller: the people's list, and what asks something in its own mailbox."""
    within(limit, "limit", 1, MOST_AT_ONCE)
    skipped = position_in(after)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        rows = tables.all(_NEEDED, *boxes_of(tables, caller, me.id), limit + 1, skipped)
        whole = tuple(_open(tables, row, me, now) for row in rows[:limit])
    return Needs(whole, str(skipped + limit) if len(rows) > limit else None)


def count_needed(tables: Tables, caller: Caller, me: Member, most: int) -> int:
    """How much waits for a person, up to a number."""
    whose = boxes_of(tables, caller, me.id)
    held = int(tables.value(_COUNT_HELD, PAIR, caller.project, most))
    return min(most, held + int(tables.value(_COUNT_NEEDED, *whose, most)))


def undelivered(desk: Desk, caller: Caller, limit: int = 50, after: str | None = None) -> Failures:
    """What is on its way in vain, on the first page; then what came back or expired."""
    within(limit, "limit", 1, MOST_AT_ONCE)
    before = position_in(after) or 1 << 62
    now = desk.world.now()
    with desk.database.reading() as tables:
        person_of(tables, caller)
        rows = tables.all(_LOST, caller.project, before, limit + 1)
        waits = tables.all(_WAITING, caller.project, MOST_AT_ONCE) if after is None else []
    shown = rows[:limit]
    failures = (*(_waits(row, now) for row in waits), *(_failure(row, now) for row in shown))
    return Failures(failures, str(shown[-1][0]) if len(rows) > limit else None)


def deliveries(desk: Desk, caller: Caller, letter: str) -> tuple[Step, ...]:
    """How far a letter got with each of its recipients."""
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        rows = tables.all(_STEPS, finding.position_of(tables, caller.project, me, letter))
    return tuple(_step(row, now) for row in rows)


def person_of(tables: Tables, caller: Caller) -> Member:
    """The caller, who is a person. Raises NotAllowedError."""
    me = members.of_caller(tables, checked_caller(caller))
    if not me.sees_all:
        raise NotAllowedError("only people look into the mail of others", hint="ask_human")
    return me


def boxes_of(tables: Tables, caller: Caller, me: int) -> tuple[int, int]:
    """The mailboxes of a person: that of all people, and the own one."""
    shared = members.find(tables, caller.project, PEOPLE)
    assert shared is not None
    return shared.id, me


def _open(tables: Tables, row: Row, me: Member, now: int) -> Letter:
    letter = reading.whole(tables, row[0], me, now)
    return letter._replace(header=letter.header._replace(state=State(row[WIDTH]).word))


def _failure(row: Row, now: int) -> Failure:
    state, recipient, since, texts = row[WIDTH:]
    word = State(state).word
    return Failure(finding.header_of(row, None, now), recipient, word, since, _note(texts))


def _waits(row: Row, now: int) -> Failure:
    next_at, recipient, since, texts, tries = row[WIDTH:]
    header, word = finding.header_of(row, None, now), "held" if next_at is None else "waiting"
    return Failure(header, recipient, word, since, _note(texts), tries, next_at)


def _step(row: Sequence[object], now: int) -> Step:
    name, state, since, expires_at, accepted, texts = row
    assert isinstance(state, int)
    assert isinstance(since, int)
    if state == State.STORED and isinstance(expires_at, int) and expires_at <= now:
        state, since = State.EXPIRED, expires_at
    taken = None if accepted is None else bool(accepted)
    return Step(str(name), State(state).word, since, taken, _note(texts))


def _note(texts: object) -> str | None:
    found = json.loads(texts) if isinstance(texts, str) else {}
    note = found.get("note")
    return note if isinstance(note, str) else None
