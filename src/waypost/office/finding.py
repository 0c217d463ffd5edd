"""Finding letters: by id or the beginning of one, and only those that the asker may see."""

import json
from typing import NamedTuple

from waypost.errors import NotFoundError, UsageError, quoted
from waypost.letters.priority import Priority
from waypost.office import members
from waypost.office.delivering import PEOPLE
from waypost.office.members import Member
from waypost.office.states import State, word_of
from waypost.office.tables import Row, Tables
from waypost.office.views import Header

COLUMNS = (
    "letters.position, letters.id, letters.sender, letters.recipients, letters.type,"
    " letters.dialect, letters.subject, letters.priority, letters.thread, letters.sent_at,"
    " letters.reply_to, letters.expires_at, letters.ack_by, letters.wants_ack, letters.proof"
)
WIDTH = 15
# What a guard holds hasn't come to its recipient yet.
NOT_HELD = (
    "NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.letter = deliveries.letter"
    " AND waiting.agent = deliveries.agent AND next_at IS NULL)"
)
# Who sees a letter: people, its sender, its recipients.
VISIBLE = (
    "(? OR sender = ? OR EXISTS (SELECT 1 FROM deliveries WHERE letter = position"
    f" AND agent = ? AND {NOT_HELD}))"
)
_BY_ID = (
    "SELECT position, id, sender FROM letters WHERE id >= ? AND id <= ? AND project = ?"
    f" AND {VISIBLE} ORDER BY id LIMIT 6"
)
# What wasn't handed over in time has expired then, also while nobody has noted it yet.
_STATE = "CASE WHEN state = 0 AND expires_at <= ? THEN 7 ELSE state END"
_LETTER = f"SELECT {COLUMNS} FROM letters WHERE position = ?"
_STATES = (
    f"SELECT agents.id, name, {_STATE}, ack_by FROM deliveries JOIN agents ON agents.id = agent"
    " WHERE letter = ? ORDER BY agents.id"
)
_DELIVERY = f"SELECT {_STATE}, accepted, noted FROM deliveries WHERE letter = ? AND agent = ?"
_HAS = "SELECT 1 FROM deliveries WHERE letter = ? AND agent = ?"
_PREFIX = "msg-"
_LAST = "\U0010ffff"
_SHORTEST_BEGINNING = 4


_MEANT = (
    "SELECT position, id, thread FROM letters WHERE id = ?1 AND project = ?2 UNION ALL"
    " SELECT letters.position, letters.id, thread FROM translations"
    " JOIN letters ON letters.position = letter"
    " WHERE translations.id = ?1 AND translations.project = ?2 LIMIT 1"
)


class Meant(NamedTuple):
    """The letter that an id names."""

    position: int
    id: str
    thread: str


def meant(tables: Tables, project: str, message_id: str | None) -> Meant | None:
    """The letter with this very id, or whose translation has it."""
    row = tables.one(_MEANT, message_id, project) if message_id else None
    return Meant(*row) if row else None


class Delivery(NamedTuple):
    """How far a letter got with one mailbox."""

    state: State
    accepted: bool | None
    noted: int | None


def position_of(tables: Tables, project: str, member: Member, wanted: str) -> int:
    """Where the one letter is whose id begins so. Raises NotFoundError, UsageError."""
    if not wanted or len(wanted) > 200:
        raise UsageError("say the id of a letter, or the beginning of one")
    begin = wanted.removeprefix(_PREFIX)
    for name in (wanted, _PREFIX + begin):
        if exact := _matches(tables, project, member, name, name):
            return int(min(row[0] for row in exact))  # of two senders who chose it, the first's
    found: list[Row] = []
    if len(begin) >= _SHORTEST_BEGINNING:
        for name in dict.fromkeys((wanted, begin, _PREFIX + begin)):
            found += _matches(tables, project, member, name, name + _LAST)
    if len(found) == 1:
        return int(found[0][0])
    if not found and (known := meant(tables, project, wanted)):
        found = _matches(tables, project, member, known.id, known.id)
        if found:  # it is known by the id of its translation
            return known.position
    if not found:
        raise NotFoundError(
            f"no letter of yours has the id {quoted(wanted)}",
            hint=f"the inbox shows the ids; {_SHORTEST_BEGINNING} characters of one can be enough",
        )
    raise UsageError(
        f"{quoted(wanted)} is the beginning of several ids",
        hint="say more of it: " + ", ".join(row[1] for row in found[:5]),
    )


def _matches(tables: Tables, project: str, member: Member, first: str, last: str) -> list[Row]:
    who = (member.sees_all, member.name, member.id)
    return tables.all(_BY_ID, first, last, project, *who)


def listed(names: str) -> tuple[str, ...]:
    """The names in a column that lists some."""
    return tuple(json.loads(names))


def delivery_of(tables: Tables, position: int, member: Member, now: int) -> Delivery | None:
    """How far a letter got with this member; None when it didn't go there."""
    row = tables.one(_DELIVERY, now, position, member.id)
    if row is None:
        return None
    return Delivery(State(row[0]), None if row[1] is None else bool(row[1]), row[2])


def mailbox_of(tables: Tables, project: str, position: int, member: Member) -> Member | None:
    """The mailbox by which a letter came to a member: its own, or for a person the people's."""
    if tables.one(_HAS, position, member.id):
        return member
    shared = members.find(tables, project, PEOPLE) if member.sees_all else None
    return shared if shared and tables.one(_HAS, position, shared.id) else None


def header_at(tables: Tables, position: int, member: Member, now: int) -> Header:
    """The header of a letter, as a member sees it."""
    row = tables.one(_LETTER, position)
    assert row is not None
    return for_reader(tables, row, member, now)


def for_reader(tables: Tables, row: Row, member: Member, now: int) -> Header:
    """A row as a header: its state for the reader, and all states for its sender and for people."""
    states = tables.all(_STATES, now, row[0])
    own = next((state for box, _, state, _ in states if box == member.id), None)
    header = header_of(row, own, now)
    if member.sees_all or header.sender == member.name:
        header = header._replace(states={name: word_of(state) for _, name, state, _ in states})
        waiting = any(ack_by and state < State.ACKNOWLEDGED for _, _, state, ack_by in states)
        header = header._replace(is_overdue=waiting and (header.ack_by or 0) <= now)
    return header


def header_of(row: Row, state: int | None, now: int) -> Header:
    """A row with the columns above as a header, and the state for whoever looks."""
    expires_at, ack_by = row[11], row[12]
    is_open = state is not None and state < State.ACKNOWLEDGED
    return Header(
        id=row[1],
        sender=row[2],
        to=listed(row[3]),
        type=row[4],
        dialect=row[5],
        subject=row[6],
        priority=Priority(row[7]),
        thread=row[8],
        sent_at=row[9],
        position=row[0],
        state=None if state is None else word_of(state),
        reply_to=row[10],
        expires_at=expires_at,
        ack_by=ack_by,
        wants_ack=bool(row[13]),
        is_overdue=is_open and ack_by is not None and ack_by <= now,
        is_expired=expires_at is not None and expires_at <= now,
        proof=row[14],
    )
