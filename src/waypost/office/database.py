"""The office's one database file: opened, private, migrated; and its troubles in plain words."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from waypost.errors import OfficeBusyError, UnreadableError, UsageError, WaypostError
from waypost.office.migrations import MIGRATIONS
from waypost.office.tables import Tables

FILE = "office.db"
_WRITERS_CACHE_KIB, _READERS_CACHE_KIB = 8 * 1024, 1024  # the system keeps the file's pages, too
_LEAST_ROOM = 64 * 1024  # with less, even a reader may find no room for the log's index
_FIRST_NAP, _LONGEST_NAP = 0.0005, 0.02
_HINTS = {
    "full": "make room on that disk, then do it again; what was stored is still there",
    "readonly": "that home may only be read; look at its permissions and how the disk is mounted",
    "cantopen": "look at the permissions of that path, and of the folders above it",
    "ioerr": "the disk may be failing or full; what was stored before is still there",
    "corrupt": "move office.db and office.db-wal away; waypost restore takes a backup",
    "notadb": "something else stands where the office's database should be",
}


class Database:
    """The file of an office in its home: one connection that writes, and as many that read as
    there are readers at one time."""

    def __init__(self, home: str, patience: float) -> None:
        self.path = os.path.join(home, FILE)
        self._patience = patience
        self._idle: list[Tables] = []
        self._open: list[sqlite3.Connection] = []
        self._is_closed = False
        self._lock = threading.Lock()
        self.writers_turn = threading.Lock()  # held by whoever uses the writing connection
        try:
            _make_private(home, self.path)
            with self.trouble():
                self.writer = self._connect(_WRITERS_CACHE_KIB)
                self._migrate()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Tables]:
        """The tables, for one thread at a time; what the database complains of is told plainly."""
        try:
            tables = self._idle.pop()  # which is atomic
        except IndexError:
            with self.trouble():
                tables = Tables(self._connect(_READERS_CACHE_KIB))
        try:
            yield tables
        except sqlite3.Error as error:
            raise self.told(error) from error
        except (UnicodeEncodeError, OverflowError) as error:
            raise UsageError("what is asked for is no text or number that can be stored") from error
        finally:
            self._idle.append(tables)

    def begin(self) -> None:
        """Begin to write; waits a while for others. Raises OfficeBusyError."""
        deadline = time.monotonic() + self._patience
        nap = _FIRST_NAP
        while True:
            try:
                self.writer.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(nap)
            nap = min(nap * 1.5, _LONGEST_NAP)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or nothing. Raises OfficeBusyError, UnreadableError."""
        with self.writers_turn, self.trouble():
            self.begin()
            try:
                yield self.writer
                self.writer.execute("COMMIT")
            except BaseException:
                self.roll_back()
                raise

    def forget_pages(self) -> None:
        """Bring the log into the file and empty it, so that it keeps nothing that was removed.

        Readers may hold it up: then it is emptied as soon as one more is written after they left.
        """
        with self.writers_turn, self.trouble():
            self.writer.execute(f"PRAGMA busy_timeout = {int(self._patience * 1000)}")
            self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.writer.execute("PRAGMA busy_timeout = 0")

    def be_a_cache(self) -> None:
        """Write without waiting for the disk: after a loss of power the file is sound and older,
        and the journal, which is elsewhere, tells the rest again."""
        with self.writers_turn, self.trouble():
            self.writer.execute("PRAGMA synchronous = NORMAL")

    def be_an_office(self) -> None:
        """Wait for the disk again, and have it hold all that wasn't waited for."""
        with self.writers_turn, self.trouble():
            self.writer.execute("PRAGMA synchronous = FULL")
        self.forget_pages()

    def follows_a_stream(self) -> bool:
        """Whether the tables are built from a journal that many machines share."""
        with self.reading() as tables:
            return tables.value("SELECT 1 FROM stream") is not None

    def copy_to(self, copy: sqlite3.Connection) -> None:
        """Copy all that is committed, while others go on."""
        with self.reading() as tables:
            tables.copy_to(copy)

    def roll_back(self) -> None:
        """Undo what was begun, as far as anything was."""
        with suppress(sqlite3.Error):
            if self.writer.in_transaction:
                self.writer.execute("ROLLBACK")

    def close(self) -> None:
        """Close every connection; further use fails."""
        with self._lock:
            self._is_closed = True
            connections, self._open = self._open, []
        for connection in connections:
            with suppress(sqlite3.Error):
                connection.close()

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Turn what the database complains of into errors that a user can act on."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.told(error) from error

    def told(self, error: sqlite3.Error) -> WaypostError:
        """The complaint of the database as an error like all others."""
        if isinstance(error, sqlite3.ProgrammingError):
            return UnreadableError("this office is closed", hint="open it again")
        if _is_busy(error):
            return OfficeBusyError(
                "another process keeps the office's database locked",
                hint="nothing was changed; do it again in a moment",
                retryable=True,
            )
        kind = (getattr(error, "sqlite_errorname", None) or "").removeprefix("SQLITE_").lower()
        if kind.startswith("ioerr") and _is_full(self.path):
            kind = "full"
        hint = next((text for name, text in _HINTS.items() if kind.startswith(name)), None)
        return UnreadableError(f"the office's database {self.path}: {error}", hint=hint)

    def _connect(self, cache_kib: int) -> sqlite3.Connection:
        if self._is_closed:
            raise sqlite3.ProgrammingError("closed")
        connection = sqlite3.connect(
            self.path,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        with self._lock:
            self._open.append(connection)
        connection.execute(f"PRAGMA busy_timeout = {int(self._patience * 1000)}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA cache_size = -{cache_kib}")
        connection.execute("PRAGMA secure_delete = ON")  # what is removed leaves no bytes behind
        connection.execute("PRAGMA busy_timeout = 0")
        return connection

    def _migrate(self) -> None:
        refuse_future(self.writer, self.path)
        if _version(self.writer) == len(MIGRATIONS):
            return
        self.begin()
        try:
            done = _version(self.writer)  # which another process may have moved on meanwhile
            for number, step in enumerate(MIGRATIONS[done:], done + 1):
                for statement in step.split(";"):
                    self.writer.execute(statement)
                self.writer.execute(f"PRAGMA user_version = {number}")
            self.writer.execute("COMMIT")
        except BaseException:
            self.roll_back()
            raise


def refuse_future(db: sqlite3.Connection, path: str) -> None:
    """Raise UnreadableError for an office of which this waypost may not know everything."""
    if _version(db) > len(MIGRATIONS):
        raise UnreadableError(
            f"the office {path} was written by a newer waypost",
            hint="update waypost on this machine",
        )


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _is_busy(error: sqlite3.Error) -> bool:
    name = getattr(error, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _is_full(path: str) -> bool:
    """Whether there is no room beside a file: SQLite doesn't always say that this is why."""
    try:
        disk = os.statvfs(os.path.dirname(path))
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LEAST_ROOM


def _make_private(home: str, path: str) -> None:
    """Make home and file for the owner's eyes only; SQLite's other files follow this one's mode."""
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except PermissionError:
        if not os.path.exists(path):
            raise  # what is there may still be read
