"""What the engines have in common: events are read where they were applied, in the tables at hand.

How an event gets there is each engine's own affair.
"""

from collections.abc import Callable

from waypost.office import statements as sql
from waypost.office.database import Database
from waypost.office.events import Entry, unseal
from waypost.office.journal import Listener
from waypost.office.journal.bell import Bell

_LAST = "SELECT position FROM tip"


class LocalJournal:
    """The reading side of a journal, and the bell that rings when it grows."""

    def __init__(self, home: str, database: Database) -> None:
        self._database = database
        self._bell = Bell(home, self.last)

    def read(self, after: int, limit: int) -> list[Entry]:
        """The events behind a position, in order."""
        with self._database.reading() as tables:
            rows = tables.all(sql.EVENTS_AFTER, after, limit)
        return [unseal(*row) for row in rows]

    def last(self) -> int:
        """The position of the last event that this process can see."""
        with self._database.reading() as tables:
            return tables.value(_LAST) or 0

    def wait(self, after: int, timeout: float) -> int:
        """Wait for an event behind a position."""
        return self._bell.wait(after, timeout)

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        """Call with the newest position after every change."""
        return self._bell.add_listener(listener)
