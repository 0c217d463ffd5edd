"""The journal of one machine: SQLite, an event and what it changes in one transaction.

Many threads append at once, and several processes. Whoever comes first commits for all who came
meanwhile: one write to the disk serves them all, and nobody changes threads when alone. In one
transaction every event stands for itself: one that is stale or broken is left out, the others stay.
"""

import sqlite3
import threading
from collections.abc import Sequence

from waypost.errors import OfficeBusyError, UnreadableError
from waypost.office import statements as sql
from waypost.office.apply import apply
from waypost.office.database import Database
from waypost.office.events import SPOILED, Entry, Event, link, seal
from waypost.office.journal import Expected, StaleError
from waypost.office.journal.local import LocalJournal
from waypost.office.tables import scope_key

_MOST_AT_ONCE = 256
_SCOPE = "SELECT position FROM scopes WHERE key = ?"


class _Turn:
    """One append that waits for its commit: or to be told to commit for the others."""

    __slots__ = ("event", "expect", "leads", "outcome", "woken")

    def __init__(self, event: Event, expect: Expected) -> None:
        self.event = event
        self.expect = expect
        self.outcome: Entry | BaseException | None = None
        self.leads = False
        self.woken = threading.Lock()
        self.woken.acquire()


class SqliteJournal(LocalJournal):
    """The journal in the office's own database."""

    def __init__(self, home: str, database: Database) -> None:
        super().__init__(home, database)
        self._queue: list[_Turn] = []
        self._lock = threading.Lock()
        self._is_led = False

    def append(self, event: Event, expect: Expected) -> Entry:
        """Add an event; see `Journal`."""
        turn = _Turn(event, expect)
        with self._lock:
            self._queue.append(turn)
            turn.leads = not self._is_led
            self._is_led = True
        if not turn.leads:
            self._wait(turn)
        if turn.leads:
            self._lead(turn)
        if isinstance(turn.outcome, BaseException):
            raise turn.outcome
        assert turn.outcome is not None
        return turn.outcome

    def erase(self, positions: Sequence[int]) -> None:
        """The contents are gone from the file; now from its log, too."""
        self._database.forget_pages()

    is_stale = False
    warnings = ()

    def close(self) -> None:
        """Stop ringing; the database is closed by whoever opened it."""
        self._bell.close()

    # -- many at once --------------------------------------------------------------------------

    def _wait(self, turn: _Turn) -> None:
        try:
            turn.woken.acquire()
        except BaseException:
            with self._lock:
                if turn.leads:  # it was just told to lead: somebody else must
                    self._pass_on()
            raise

    def _lead(self, own: _Turn) -> None:
        """Commit what is queued, our own turn among it, and hand the lead on."""
        with self._lock:
            batch, self._queue = self._queue[:_MOST_AT_ONCE], self._queue[_MOST_AT_ONCE:]
        try:
            self._commit(batch)
        finally:
            with self._lock:
                self._pass_on()
            for turn in batch:
                if turn is not own:
                    turn.woken.release()

    def _pass_on(self) -> None:
        self._is_led = bool(self._queue)
        if self._queue:
            self._queue[0].leads = True
            self._queue[0].woken.release()

    def _commit(self, batch: list[_Turn]) -> None:
        """Write several turns in one transaction; if that fails, each by itself."""
        try:
            with self._database.writers_turn:
                grown_to = self._write(batch)
        except Exception as error:
            if len(batch) > 1 and not self._is_locked(error):
                for turn in batch:
                    self._commit([turn])
                return
            for turn in batch:
                turn.outcome = self._told(error)
        except BaseException:  # whoever is interrupted mustn't leave the others without an answer
            for turn in batch:
                turn.outcome = StaleError()
            raise
        else:
            if grown_to:  # told when the lock is free again: whoever hears may write, too
                self._bell.ring(grown_to)

    def _write(self, batch: list[_Turn]) -> int:
        """Write what isn't stale; gives the new length of the journal, or 0 if it is as before."""
        writer = self._database.writer
        self._database.begin()
        try:
            start, chain = end_of(writer)
            position = start
            for turn in batch:
                if self._is_stale(turn):
                    turn.outcome = StaleError()
                    continue
                position += 1
                turn.outcome = entry = seal(turn.event, tuple(turn.expect), position)
                chain = write(writer, entry, chain)
            if position > start:
                writer.execute(sql.MOVE_TIP, (position, chain))
            writer.execute("COMMIT")
        except BaseException:
            self._database.roll_back()
            raise
        return position if position > start else 0

    def _is_stale(self, turn: _Turn) -> bool:
        for scope, expected in turn.expect.items():
            row = self._database.writer.execute(_SCOPE, (scope_key(scope),)).fetchone()
            if (row[0] if row else 0) != expected:
                return True
        return False

    def _is_locked(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.Error) and isinstance(
            self._database.told(error), OfficeBusyError
        )

    def _told(self, error: Exception) -> Exception:
        return self._database.told(error) if isinstance(error, sqlite3.Error) else error


def end_of(db: sqlite3.Connection) -> tuple[int, bytes]:
    """How far the journal goes, and where its chain ends. Raises UnreadableError."""
    found: tuple[int, bytes] | None = db.execute(sql.TIP).fetchone()
    if found is None:
        raise UnreadableError("the journal's end isn't as it was written", hint=SPOILED)
    return found


def write(db: sqlite3.Connection, entry: Entry, chain: bytes) -> bytes:
    """Write an entry and what it changes; gives the chain's new end."""
    chain = link(chain, entry.head.encode())
    db.execute(sql.ADD_EVENT, (entry.position, entry.head, chain))
    if entry.texts is not None or entry.event.message is not None:
        db.execute(sql.ADD_CONTENT, (entry.position, entry.texts, entry.event.message))
    apply(db, entry)
    return chain
