"""Moves an office into a journal that many machines share, or out of it: all of it, or nothing.

The home is changed by one transaction, at the end, when what was moved was compared with what was
there. Until then nobody else can write: not to the home, and not to the stream, which is closed.
Whoever was interrupted does the same again and goes on.
"""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

from waypost.errors import ConflictError, UnreadableError, UsageError
from waypost.office.auditing import Verification, verified
from waypost.office.comparing import difference
from waypost.office.database import Database
from waypost.office.events import SPOILED, Json
from waypost.office.journal.address import Address, address_of
from waypost.office.journal.cache import FOLLOWED
from waypost.office.journal.moving import (
    Moved,
    MovingJournal,
    Standing,
    mover_at,
    open_to_all,
    standing,
)
from waypost.office.journal.sqlite import end_of
from waypost.office.keeping import copy_to, rebuilt, sync
from waypost.office.statements import EVENTS_AFTER

PATIENCE = 10.0
_AGAIN = "nothing was moved; do it again, or name a new office in the address"
_STAGE = "moving"
_MOST_ROWS, _MOST_BYTES = 256, 4 << 20
_CHAIN = "SELECT chain FROM events WHERE position = ?"
_SKIPPED = "SELECT sequence, position, fault FROM skipped"
Tell = Callable[[int, int], None]  # how many events are done, of how many


class Migration(NamedTuple):
    """What was moved, or would be."""

    home: str
    origin: str
    target: str
    events: int
    tip: str
    backup: str | None = None

    def to_json(self) -> Json:
        told = {"from": self.origin, "to": self.target, "events": self.events, "tip": self.tip}
        return told if self.backup is None else {**told, "backup": self.backup}


def to_stream(
    home: str, given: str, note: Callable[[], None], tell: Tell, *, is_trial: bool = False
) -> Migration:
    """Move a home's office into a stream that is empty, and make the home a node of it.

    `note` has the home's settings say so, before other nodes may write. Raises ConflictError,
    UsageError, UnreadableError and what keeps servers from answering.
    """
    address = address_of(given)
    with closing(Database(home, PATIENCE)) as database:
        there = standing(address, PATIENCE)
        if database.follows_a_stream():
            _check_ours(_check_followed(database, there, address), home)
        else:
            _check_free(there, address)
            if not is_trial:
                _move_in(database, home, address, tell)
        found = _whole(database)
    if not is_trial:
        note()
        open_to_all(address, PATIENCE)
        _clear(home)
    backup = _backup_of(home, found.events, found.tip)
    is_there = os.path.exists(backup)
    return Migration(
        home, home, str(address), found.events, found.tip, backup if is_there else None
    )


def to_home(
    home: str, given: str | None, note: Callable[[], None], tell: Tell, *, is_trial: bool = False
) -> Migration:
    """Move the office of a node's home out of the stream, which stays, closed. See `to_stream`."""
    with closing(Database(home, PATIENCE)) as database:
        origin = home
        if database.follows_a_stream():
            if given is None:
                raise UsageError(
                    "this home is a node of a journal elsewhere, and nothing says which",
                    hint="say which with WAYPOST_JOURNAL",
                )
            address = address_of(given)
            origin = str(address)
            there = _check_followed(database, standing(address, PATIENCE), address)
            _check_ours(there, home)
            if not is_trial:
                _move_out(database, home, address, tell)
        found = _whole(database)
    if not is_trial:
        note()
        _clear(home)
    return Migration(home, origin, home, found.events, found.tip)


def _move_in(database: Database, home: str, address: Address, tell: Tell) -> None:
    """Copy, compare, and make the home a node; meanwhile nobody else writes to it."""
    with database.writing() as db:
        _whole(database)
        end, chain = end_of(db)
        with _staged(home, address) as (stage, staged):
            last, there = end_of(staged.writer)
            if last and (last > end or _value(db, _CHAIN, last) != there):
                raise _taken(address)
            _copy(db, stage, last, end, tell)
            if end_of(staged.writer) != (end, chain):
                raise UnreadableError("the chain in the journal is another than here", hint=_AGAIN)
            _check_same(home)
            followed = staged.writer.execute(FOLLOWED).fetchone()
            skipped = staged.writer.execute(_SKIPPED).fetchall()
        _back_up(database, _backup_of(home, end, chain.hex()))
        db.execute("INSERT INTO stream (identity, sequence) VALUES (?, ?)", followed)
        db.executemany("INSERT INTO skipped VALUES (?, ?, ?)", skipped)


def _copy(db: sqlite3.Connection, stage: MovingJournal, last: int, end: int, tell: Tell) -> None:
    while last < end:
        tell(last, end)
        reached = stage.put(_piece(db, last))
        if reached <= last:
            raise ConflictError(f"the journal doesn't take event {last + 1}", hint=_AGAIN)
        last = reached
    tell(end, end)


def _piece(db: sqlite3.Connection, last: int) -> list[Moved]:
    """The events that come next, as many as travel together."""
    rows: list[Moved] = []
    size = 0
    for row in db.execute(EVENTS_AFTER, (last, _MOST_ROWS)):
        rows.append(row)
        size += len(row[1]) + len(row[2] or "") + len(row[3] or b"")
        if size > _MOST_BYTES:
            break
    return rows


def _move_out(database: Database, home: str, address: Address, tell: Tell) -> None:
    """Close the stream, see the last of it, compare with a replay, and follow it no more."""
    with closing(MovingJournal(home, database, address, PATIENCE, mover_at(home))) as journal:
        journal.shut()
    try:
        end = _whole(database).events
        tell(0, end)
        _clear(home)
        os.mkdir(os.path.join(home, _STAGE), 0o700)
        copy_to(database, os.path.join(home, _STAGE, "office.db"))
        with closing(Database(os.path.join(home, _STAGE), PATIENCE)) as replay:
            rebuilt(replay)
        _check_same(home)
        tell(end, end)
    except BaseException:
        open_to_all(address, PATIENCE)
        raise
    database.be_an_office()
    with database.writing() as db:
        db.execute("DELETE FROM stream")
        db.execute("DELETE FROM skipped")


@contextmanager
def _staged(home: str, address: Address) -> Iterator[tuple[MovingJournal, Database]]:
    """A node beside the home that sees what arrives: of an earlier attempt, or a new one."""
    folder = os.path.join(home, _STAGE)
    there = standing(address, PATIENCE)
    with closing(Database(folder, PATIENCE)) as database, database.reading() as tables:
        followed = tables.one(FOLLOWED)
    if followed is not None and (there is None or followed[0] != there.identity):
        _clear(home)
    with (
        closing(Database(folder, PATIENCE)) as database,
        closing(MovingJournal(folder, database, address, PATIENCE, mover_at(home))) as journal,
    ):
        if there is not None and there.is_open:
            journal.shut()
            if journal.last():  # somebody came just before
                open_to_all(address, PATIENCE)
                raise _taken(address)
        yield journal, database


def _whole(database: Database) -> Verification:
    found = verified(database)
    if not found.is_whole:
        at, what = found.flaws[0]
        raise UnreadableError(f"the journal isn't whole, at {at}: {what}", hint=SPOILED)
    return found


def _check_free(there: Standing | None, address: Address) -> None:
    """Raise ConflictError for a stream that others use."""
    if there is not None and there.is_open and there.messages:
        raise _taken(address)


def _taken(address: Address) -> ConflictError:
    return ConflictError(
        f"there is another office at {address}",
        hint="name a new one in the address, like nats://host:4222/other",
    )


def _check_ours(there: Standing, home: str) -> None:
    """Raise ConflictError for a stream that another home closed."""
    if not there.is_open and there.mover != mover_at(home):
        raise ConflictError(
            f"{there.mover} moves this office, or moved it",
            hint="go on there: there must be one office, not two",
        )


def _check_followed(database: Database, there: Standing | None, address: Address) -> Standing:
    with database.reading() as tables:
        identity = tables.value("SELECT identity FROM stream")
    if there is None or there.identity != identity:
        raise UsageError(
            f"this home follows another journal than {address}, or one that was deleted since",
            hint="say which with WAYPOST_JOURNAL",
        )
    return there


def _check_same(home: str) -> None:
    if (table := difference(home, os.path.join(home, _STAGE))) is not None:
        raise UnreadableError(
            f"the table {table} is another after a replay; nothing was moved",
            hint="waypost audit rebuild makes the tables anew; then do this again",
        )


def _backup_of(home: str, events: int, tip: str) -> str:
    return os.path.join(home, f"office-{events}-{tip[:8]}.db")


def _back_up(database: Database, path: str) -> None:
    part = f"{path}.part"
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
    copy_to(database, part)
    sync(part)
    os.replace(part, path)
    sync(os.path.dirname(path))


def _clear(home: str) -> None:
    shutil.rmtree(os.path.join(home, _STAGE), ignore_errors=True)


def _value(db: sqlite3.Connection, query: str, *values: object) -> object:
    row = db.execute(query, values).fetchone()
    return row[0] if row else None
