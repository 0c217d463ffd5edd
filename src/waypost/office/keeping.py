"""Keeping the office: tables made anew, backups while it runs, restoring, how long mail stays."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import NamedTuple
from urllib.parse import quote

from waypost.errors import AlreadyThereError, NotFoundError, UnreadableError, words_of
from waypost.office import members
from waypost.office.apply import apply
from waypost.office.auditing import verified
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import within
from waypost.office.database import FILE, Database, refuse_future
from waypost.office.deciding import Desk, event_of
from waypost.office.events import SPOILED, Entry, Event, Json, unseal
from waypost.office.migrations import APPLIED, TABLES
from waypost.office.statements import EVENTS_AFTER
from waypost.office.states import State
from waypost.office.tables import Tables

_BATCH = 500
_OLD = (
    "SELECT position FROM letters JOIN contents USING (position) WHERE position > ? AND project = ?"
    " AND sent_at < ? AND message IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries"
    f" WHERE letter = position AND state < {State.ACKNOWLEDGED}) ORDER BY position LIMIT {_BATCH}"
)


class Pruned(NamedTuple):
    """How many letters gave up their content."""

    letters: int

    def to_json(self) -> Json:
        return self._asdict()


def rebuild(desk: Desk) -> int:
    """Make all tables anew from the journal, in one transaction; gives the number of events.

    Raises UnreadableError, and leaves the tables as they are, when the journal isn't whole.
    """
    return rebuilt(desk.database)


def rebuilt(database: Database) -> int:
    """The same of an office that nobody works with."""
    if not (found := verified(database)).is_whole:
        at, what = found.flaws[0]
        raise UnreadableError(f"the journal isn't whole, at {at}: {what}", hint=SPOILED)
    with database.writing() as db:
        for kind, name in db.execute(
            "SELECT type, name FROM sqlite_master WHERE name IN (SELECT value FROM json_each(?))",
            ('["search", "' + '", "'.join(APPLIED) + '"]',),
        ).fetchall():
            db.execute(f'DROP {kind} "{name}"')
        for statement in TABLES.split(";"):
            db.execute(statement)
        count = 0
        for entry in _entries(db):
            apply(db, entry)
            count += 1
    return count


def backup(desk: Desk, path: str) -> int:
    """Copy the office to a new file while it runs; gives its size. Raises AlreadyThereError."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError as error:
        raise AlreadyThereError(f"{path} is there already", hint="choose a new name") from error
    except OSError as error:
        raise UnreadableError(f"{path} can't be written: {words_of(error)}") from error
    try:
        copy_to(desk.database, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(path)
        raise
    sync(path)
    return os.path.getsize(path)


def copy_to(database: Database, path: str) -> None:
    """Make a file the copy of an office as it stands at one moment."""
    with database.trouble(), closing(sqlite3.connect(path)) as copy:
        database.copy_to(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, to be carried away


def restore(home: str, path: str) -> None:
    """Put a backup in the place of an office that isn't there.

    Raises AlreadyThereError, NotFoundError, UnreadableError, OSError.
    """
    target = os.path.join(home, FILE)
    for there in (target, f"{target}-wal"):  # a log left behind would be taken for the backup's
        if os.path.lexists(there):
            hint = f"move {FILE} and {FILE}-wal away first; they belong together"
            raise AlreadyThereError(f"{there} is there already", hint=hint)
    if not os.path.isfile(path):
        raise NotFoundError(f"there is no backup {path}")
    os.makedirs(home, mode=0o700, exist_ok=True)
    staged = f"{target}.{os.getpid()}"
    try:
        os.close(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        with (
            closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(staged)) as copy,
        ):
            source.backup(copy)
            check_sound(copy, path)
        sync(staged)
        os.link(staged, target)
    except sqlite3.Error as error:
        raise UnreadableError(f"{path} is no backup of an office: {error}") from error
    finally:
        with suppress(OSError):
            os.unlink(staged)
    sync(home)


def prune(desk: Desk, caller: Caller, days: int) -> Pruned:
    """Let go of the content of older letters that are dealt with; that they were there stays."""
    checked_caller(caller)
    within(days, "days", 1, 36_500)
    now = desk.world.now()
    total = last = 0

    def decision(tables: Tables) -> Event | list[int]:
        members.of_caller(tables, caller)
        rows = tables.all(_OLD, last, caller.project, now - days * 86_400_000)
        if not rows:
            return []
        data = {"positions": [row[0] for row in rows]}
        why = {"reason": f"older than {days} days"}
        return event_of(caller, "contents.removed", now, data, why)

    def shown(entry: Entry) -> list[int]:
        return list(entry.event.data["positions"])

    while removed := desk.decide([], decision, shown):
        desk.journal.erase(removed)
        total, last = total + len(removed), removed[-1]
    return Pruned(total)


def _entries(db: sqlite3.Connection) -> Iterator[Entry]:
    last = 0
    while rows := db.execute(EVENTS_AFTER, (last, _BATCH)).fetchall():
        for row in rows:
            yield unseal(*row)
        last = rows[-1][0]


def check_sound(copy: sqlite3.Connection, path: str) -> None:
    """Raise UnreadableError for what is no office, is damaged, or comes from a newer waypost."""
    if copy.execute("PRAGMA quick_check").fetchone()[0] != "ok":
        raise UnreadableError(f"{path} is damaged", hint="take another backup")
    for table in ("events", "contents", "tip"):
        copy.execute(f"SELECT 1 FROM {table} LIMIT 1")  # whose absence is told like other faults
    refuse_future(copy, path)


def sync(path: str) -> None:
    """Have what was written to a file or folder survive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
