"""The recipient's side: what came, saying that one has it, putting it away.

Listing an inbox hands its letters over; that is journalled when it happens for the first time, and
nothing is claimed before.
"""

from collections.abc import Sequence
from contextlib import suppress

from waypost.errors import ConflictError, NotAllowedError, TimedOutError, UsageError, quoted
from waypost.office import acknowledging, finding, members, rendering
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import free_text, is_number, within
from waypost.office.deciding import Desk, event_of
from waypost.office.delivering import PEOPLE
from waypost.office.events import Event, Json
from waypost.office.finding import COLUMNS, NOT_HELD, WIDTH
from waypost.office.members import Member
from waypost.office.states import State, follows
from waypost.office.tables import Row, Tables
from waypost.office.views import Header, Inbox

MOST_AT_ONCE = 200
CARRIED = (State.HANDED_OVER, State.READ, State.DONE, State.BOUNCED)
_PAGE = (
    f"SELECT {COLUMNS}, state, rank FROM deliveries JOIN letters ON letters.position = letter"
    " WHERE agent = ? AND (rank, deliveries.sent_at, letter) > (?, ?, ?)"
    f" AND letter > ?{{}} AND {NOT_HELD}"
    " ORDER BY rank, deliveries.sent_at, letter LIMIT ?"
)
_UNREAD_PAGE, _WHOLE_PAGE = _PAGE.format(" AND state < 2"), _PAGE.format(" AND state < 4")
_UNREAD = "SELECT unread FROM agents WHERE id = ?"
_NEWEST = "SELECT newest FROM agents WHERE id = ? AND unread > 0"
_EXPIRED = (
    "SELECT letter, agent FROM deliveries WHERE agent = ? AND expires_at <= ?"
    " AND expires_at IS NOT NULL AND state = 0 LIMIT 500"
)
_BOXES = "SELECT agent, state FROM deliveries WHERE letter = ?"
_STORED = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"


def inbox(
    desk: Desk,
    caller: Caller,
    unread_only: bool = True,
    limit: int = 20,
    after: str | None = None,
    people: bool = False,
    newer_than: int = 0,
) -> Inbox:
    """A page of the caller's mail in its order; `people` is the list that people share.

    With `newer_than`, only letters behind that position of the journal.
    """
    checked_caller(caller)
    within(limit, "limit", 1, MOST_AT_ONCE)
    _begin(after)  # a cursor that is none changes nothing
    now = desk.world.now()
    with desk.database.reading() as tables:
        owner = _owner(tables, caller, people)
        due = tables.all(_EXPIRED, owner.id, now)
    if due:
        mark(desk, caller, [(row[0], row[1]) for row in due], State.EXPIRED)
    with desk.database.reading() as tables:
        page = page_of(
            tables, owner, now, unread_only=unread_only, limit=limit, after=after,
            newer_than=newer_than,
        )  # fmt: skip
        dialect = members.dialect_of(tables, owner)
    if dialect is not None:
        page = _in_dialect(desk, page, owner, dialect)
    stored = State.STORED.word
    new = [(one.position, owner.id) for one in page.letters if one.state == stored]
    if not new or not mark(desk, caller, new, State.HANDED_OVER):
        return page
    handed_over = State.HANDED_OVER.word  # they are, by being listed
    letters = tuple(
        one._replace(state=handed_over) if one.state == stored else one for one in page.letters
    )
    return page._replace(letters=letters)


def _in_dialect(desk: Desk, page: Inbox, owner: Member, dialect: str) -> Inbox:
    """A page whose headers say what its letters are in the dialect that their reader reads."""
    shown = []
    for one in page.letters:
        made = rendering.for_reader(desk, one.position, owner, dialect)
        shown.append(one._replace(dialect=dialect, type=made.type) if made else one)
    return page._replace(letters=tuple(shown))


def page_of(
    tables: Tables,
    owner: Member,
    now: int,
    *,
    unread_only: bool,
    limit: int,
    after: str | None,
    newer_than: int = 0,
) -> Inbox:
    """A page of a mailbox as it stands, in its order."""
    query = _UNREAD_PAGE if unread_only else _WHOLE_PAGE
    rows = tables.all(query, owner.id, *_begin(after), newer_than, limit + 1)
    shown = rows[:limit]
    headers = tuple(finding.header_of(row, row[WIDTH], now) for row in shown)
    unread = tables.value(_UNREAD, owner.id) or 0
    return Inbox(headers, _cursor(shown[-1]) if len(rows) > limit else None, unread)


def newest_unread(desk: Desk, caller: Caller) -> int:
    """The position of the caller's newest letter while any is unread, else 0: what waiting asks."""
    with desk.database.reading() as tables:
        owner = members.of_caller(tables, caller)
        return tables.value(_NEWEST, owner.id) or 0


def acknowledge(
    desk: Desk, caller: Caller, letter: str, accepted: bool = True, note: str | None = None
) -> Header:
    """Say that one took a letter, or won't.

    Raises ConflictError if one said the opposite before.
    """
    written = free_text(note, "the note", 4000)
    return _settle(desk, caller, letter, State.ACKNOWLEDGED, accepted, written)


def done(desk: Desk, caller: Caller, letter: str) -> Header:
    """Put a letter away: it is answered or dealt with."""
    return _settle(desk, caller, letter, State.DONE)


def settle(desk: Desk, caller: Caller, letter: str, state: str, note: str | None = None) -> Header:
    """Note how far a letter got with the caller: what a carrier tells on its recipient's behalf."""
    reached = {one.word: one for one in CARRIED}.get(state)
    if reached is None:
        words = ", ".join(one.word for one in CARRIED)
        raise UsageError(f"a carrier can't say {quoted(state)}", hint=words)
    return _settle(desk, caller, letter, reached, None, free_text(note, "the note", 4000))


def withdraw(desk: Desk, caller: Caller, letter: str) -> Header:
    """Take a letter back from all who haven't read it. Raises ConflictError if everybody has."""
    checked_caller(caller)
    now = desk.world.now()

    def decision(tables: Tables) -> Event:
        me = members.of_caller(tables, caller)
        position = finding.position_of(tables, caller.project, me, letter)
        if finding.header_at(tables, position, me, now).sender != me.name:
            raise NotAllowedError("only its sender takes a letter back")
        rows = tables.all(_BOXES, position)
        open_boxes = [[position, box] for box, at in rows if follows(at, State.WITHDRAWN)]
        if not open_boxes:
            raise ConflictError("nobody has that letter unread", hint="write that it is void")
        data: Json = {"deliveries": open_boxes, "state": State.WITHDRAWN}
        return event_of(caller, "letters.moved", now, data)

    desk.decide([], decision, lambda _: None)
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        position = finding.position_of(tables, caller.project, me, letter)
        header = finding.header_at(tables, position, me, now)
    if State.WITHDRAWN.word not in header.states.values():  # they were faster
        raise ConflictError("nobody has that letter unread", hint="write that it is void")
    return header


def _settle(
    desk: Desk,
    caller: Caller,
    letter: str,
    state: State,
    accepted: bool | None = None,
    note: str = "",
) -> Header:
    checked_caller(caller)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        position = finding.position_of(tables, caller.project, me, letter)
        owner = finding.mailbox_of(tables, caller.project, position, me)
    if owner is None:
        raise NotAllowedError(f"the letter {quoted(letter)} didn't go to {caller.agent}")

    def decision(tables: Tables) -> Event | None:
        delivery = finding.delivery_of(tables, position, owner, now)
        assert delivery is not None
        if not follows(delivery.state, state):
            _check_repeat(delivery.state, delivery.accepted, state, accepted)
            return None
        if accepted is not None and (told := acknowledging.letter_of(
            tables, desk.world, caller, owner, position, accepted, note
        )):  # fmt: skip
            return told
        data: Json = {"deliveries": [[position, owner.id]], "state": state}
        data |= {"accepted": accepted, "noted": bool(note) or None}
        return event_of(caller, "letters.moved", now, data, {"note": note} if note else None)

    desk.decide([_scope(position, owner.id)], decision, lambda _: None)
    with desk.database.reading() as tables:
        return finding.header_at(tables, position, me, now)


def _check_repeat(before: State, said: bool | None, state: State, accepted: bool | None) -> None:
    """Saying a thing again is harmless; saying the opposite isn't, nor taking what is gone."""
    if before in (State.BOUNCED, State.WITHDRAWN, State.EXPIRED):
        raise ConflictError(f"that letter was {before.word} before", hint="nothing was changed")
    if state == State.ACKNOWLEDGED and said is not None and said != accepted:
        word = "accepted" if said else "refused"
        raise ConflictError(f"you {word} that letter before", hint="write a reply to change it")


def mark(desk: Desk, caller: Caller, deliveries: Sequence[tuple[int, int]], state: State) -> bool:
    """Note how far letters got by being looked at; tells whether it was noted.

    A journal that is away keeps nobody from reading: then the next look notes it.
    """
    if not desk.journal.is_stale:
        with suppress(TimedOutError):
            move(desk, caller, deliveries, state)
            return True
    return False


def move(
    desk: Desk, caller: Caller, deliveries: Sequence[tuple[int, int]], state: State, note: str = ""
) -> None:
    """Note that deliveries got further; those that are past it stay where they are."""
    now = desk.world.now()

    def decision(tables: Tables) -> Event | None:
        rows = [(pair, tables.value(_STORED, *pair)) for pair in deliveries]
        left = [list(pair) for pair, at in rows if at is not None and follows(at, state)]
        if not left:
            return None
        data = {"deliveries": left, "state": state, "noted": bool(note) or None}
        return event_of(caller, "letters.moved", now, data, {"note": note} if note else None)

    desk.decide([], decision, lambda _: None)


def _scope(position: int, box: int) -> str:
    return f"delivery:{position}/{box}"


def _owner(tables: Tables, caller: Caller, people: bool) -> Member:
    me = members.of_caller(tables, caller)
    if not people:
        return me
    if not me.sees_all:
        raise NotAllowedError("only people read the people's list")
    shared = members.find(tables, caller.project, PEOPLE)
    assert shared is not None
    return shared


def _begin(after: str | None) -> tuple[int, int, int]:
    """Where a page begins. Raises UsageError for a cursor that isn't one of ours."""
    if after is None:
        return (-1, 0, 0)
    parts = after.split(".")
    if len(parts) != 3 or not all(map(is_number, parts)):
        raise UsageError("that is no cursor of an inbox", hint="give the `next` of the page before")
    return (int(parts[0]), int(parts[1]), int(parts[2]))


def _cursor(row: Row) -> str:
    return f"{row[WIDTH + 1]}.{row[9]}.{row[0]}"
