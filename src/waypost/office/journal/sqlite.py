"""The journal of one machine: SQLite, an event and what it changes in one transaction.

Events that come together share a transaction, and so one write to the disk. In it every event
stands for itself: one that is stale or broken is left out, the others stay. Several threads may
append, and several processes.
"""

import sqlite3
from collections.abc import Callable, Sequence

from waypost.errors import OfficeBusyError, UnreadableError, UsageError
from waypost.office import statements as sql
from waypost.office.apply import apply
from waypost.office.events import SPOILED, Entry, link, seal
from waypost.office.journal import Expected, Outcome, Proposal, StaleError
from waypost.office.journal.company import Alone, Company
from waypost.office.journal.local import LocalJournal
from waypost.office.tables import scope_key

_FOLLOWS = "SELECT 1 FROM stream"
_SCOPE = "SELECT position FROM scopes WHERE key = ?"
_MOVED = "start this program anew: its home is a node now"


class SqliteJournal(LocalJournal):
    """The journal in the office's own database."""

    company: Company = Alone()

    def append(self, proposals: Sequence[Proposal], begun: Callable[[], None]) -> list[Outcome]:
        """Add events in one transaction; if that fails, each by itself. See `Journal`."""
        try:
            with self._database.writers_turn:
                begun()
                outcomes, grown_to = self._write(proposals)
        except Exception as error:
            if len(proposals) > 1 and not self._is_locked(error):
                return [self.append([one], lambda: None)[0] for one in proposals]
            return [self._told(error)] * len(proposals)
        if grown_to:  # told when the lock is free again: whoever hears may write, too
            self._bell.ring(grown_to)
        return outcomes

    def erase(self, positions: Sequence[int]) -> None:
        """The contents are gone from the file; now from its log, too."""
        self._database.forget_pages()

    is_stale = False
    warnings = ()

    def close(self) -> None:
        """Stop ringing; the database is closed by whoever opened it."""
        self._bell.close()

    def _write(self, proposals: Sequence[Proposal]) -> tuple[list[Outcome], int]:
        """Write what isn't stale; gives the new length of the journal, or 0 if it is as before."""
        writer = self._database.writer
        outcomes: list[Outcome] = []
        self._database.begin()
        try:
            if writer.execute(_FOLLOWS).fetchone():
                raise UsageError("this office was moved to a journal elsewhere", hint=_MOVED)
            start, chain = end_of(writer)
            position = start
            for event, expect in proposals:
                if self._is_stale(expect):
                    outcomes.append(StaleError())
                    continue
                position += 1
                entry = seal(event, tuple(expect), position)
                chain = write(writer, entry, chain)
                outcomes.append(entry)
            if position > start:
                writer.execute(sql.MOVE_TIP, (position, chain))
            writer.execute("COMMIT")
        except BaseException:
            self._database.roll_back()
            raise
        return outcomes, position if position > start else 0

    def _is_stale(self, expect: Expected) -> bool:
        for scope, expected in expect.items():
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
