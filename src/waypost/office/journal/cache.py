"""A node's tables, built from the stream by the same `apply` that serves one machine.

Every message of the stream is looked at once, in order, on every node. The verdict depends on the
messages before it alone: so all nodes number the events alike, and the chain is the same on all. A
message whose scopes moved since it was decided, a repeat among them, is passed over.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waypost.errors import UnreadableError, UsageError
from waypost.office import statements as sql
from waypost.office.database import Database
from waypost.office.journal import StaleError
from waypost.office.journal.packing import FaultyError, Parcel, opened
from waypost.office.journal.sqlite import end_of, write
from waypost.office.tables import scope_key

_SCOPE = "SELECT position FROM scopes WHERE key = ?"
FOLLOWED = "SELECT identity, sequence FROM stream"
_FOLLOW = "INSERT INTO stream VALUES (?, 0)"
_SEEN = "UPDATE stream SET sequence = ?"
_SKIP = "INSERT INTO skipped (sequence, position, fault) VALUES (?, ?, ?)"
_SKIPPED = (
    "SELECT sequence, position, fault FROM skipped WHERE sequence <= ?"
    " ORDER BY sequence DESC LIMIT 1"
)
_SKIPPED_BEFORE = (
    "SELECT sequence - position FROM skipped WHERE position < ? ORDER BY sequence DESC LIMIT 1"
)
_MOVED = "its office was moved; start this anew"
# What is the event's own fault, on every node; other troubles are this machine's alone.
_OF_THE_EVENT = (
    *(sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.DataError),
    *(sqlite3.ProgrammingError, ArithmeticError, LookupError, TypeError, ValueError),
)


class Message(NamedTuple):
    """A message of the stream; one without a parcel is no event, and says why.

    `fields` are those of the letter in it, where this process wrote it and needn't read it again.
    """

    sequence: int
    parcel: Parcel | None
    fault: str | None = None
    fields: Mapping[str, Any] | None = None


class Taken(NamedTuple):
    """How far the tables go now, and whether contents were removed for good on the way."""

    sequence: int
    position: int
    has_removed: bool


class Cache:
    """The tables of a node."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def belong_to(self, identity: str) -> int:
        """Follow this stream and no other; gives the last message seen. Raises UsageError."""
        with self._database.writing() as db:
            row = db.execute(FOLLOWED).fetchone()
            if row is None:
                if end_of(db)[0]:
                    raise UsageError(
                        "this home has an office of its own",
                        hint="waypost journal migrate moves it; or serve another --home",
                    )
                db.execute(_FOLLOW, (identity,))
                return 0
        if row[0] != identity:
            raise UsageError(
                "this home follows another journal, or one that was deleted since",
                hint="serve another --home; a node's home can always be made anew",
            )
        return int(row[1])

    def take(self, messages: Sequence[Message]) -> Taken:
        """Look at messages that come next, in one transaction. Those seen already are ignored."""
        with self._database.writing() as db:
            followed = db.execute(FOLLOWED).fetchone()
            if followed is None:
                raise UnreadableError("this home doesn't follow the journal any more", hint=_MOVED)
            seen = followed[1]
            position, chain = end_of(db)
            has_removed = False
            for message in messages:
                if message.sequence <= seen:
                    continue
                if message.sequence != seen + 1:
                    raise UnreadableError(f"message {seen + 1} of the journal wasn't seen")
                seen = message.sequence
                try:
                    entry_chain = _apply(db, message, position + 1, chain)
                except StaleError:
                    db.execute(_SKIP, (seen, position, None))
                except FaultyError as error:
                    db.execute(_SKIP, (seen, position, str(error)[:200]))
                else:
                    position, chain = position + 1, entry_chain
                    has_removed |= _removes(message)
            db.execute(sql.MOVE_TIP, (position, chain))
            db.execute(_SEEN, (seen,))
        return Taken(seen, position, has_removed)

    def position_of(self, sequence: int) -> int:
        """Where an event of ours stands that was looked at. Raises StaleError, UnreadableError."""
        with self._database.reading() as tables:
            row = tables.one(_SKIPPED, sequence)
        if row is None:
            return sequence
        if row[0] != sequence:
            return sequence - int(row[0]) + int(row[1])
        if row[2] is None:
            raise StaleError
        raise UnreadableError(f"the journal can't hold this: {row[2]}")

    def sequence_of(self, position: int) -> int:
        """Which message of the stream an event is."""
        with self._database.reading() as tables:
            return position + int(tables.value(_SKIPPED_BEFORE, position) or 0)


def message_of(db: sqlite3.Connection, position: int) -> int:
    """The same, asked of the tables of a node that is not at work."""
    row = db.execute(_SKIPPED_BEFORE, (position,)).fetchone()
    return position + int(row[0] if row else 0)


def _apply(db: sqlite3.Connection, message: Message, position: int, chain: bytes) -> bytes:
    """Apply an event, or nothing of it; gives the chain's new end.

    Raises StaleError, FaultyError.
    """
    if message.parcel is None:
        raise FaultyError(message.fault)
    if message.parcel.position not in (None, position):
        raise StaleError
    entry = opened(message.parcel, position)
    for scope, expected in zip(entry.scopes, message.parcel.expected, strict=False):
        row = db.execute(_SCOPE, (scope_key(scope),)).fetchone()
        if (row[0] if row else 0) != expected:
            raise StaleError
    if message.fields is not None:
        entry = entry._replace(event=entry.event._replace(fields=message.fields))
    db.execute("SAVEPOINT event")
    try:
        chain = write(db, entry, chain)
    except _OF_THE_EVENT as error:
        db.execute("ROLLBACK TO event")
        raise FaultyError(f"{type(error).__name__}: {error}") from error
    finally:
        if db.in_transaction:
            db.execute("RELEASE event")
    return chain


def _removes(message: Message) -> bool:
    return message.parcel is not None and '"for_good":true' in message.parcel.head
