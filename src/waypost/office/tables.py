"""The tables as one thread reads them."""

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Any

Row = Sequence[Any]
_SCOPE = "SELECT position FROM scopes WHERE key = ?"


class Tables:
    """Asks the tables; can't change them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def one(self, query: str, *values: object) -> Row | None:
        """The first row that a query gives."""
        row: Row | None = self._connection.execute(query, values).fetchone()
        return row

    def all(self, query: str, *values: object) -> list[Row]:
        """Every row that a query gives."""
        return self._connection.execute(query, values).fetchall()

    def value(self, query: str, *values: object) -> Any:
        """The only value that a query gives, or None."""
        row = self.one(query, *values)
        return row[0] if row else None

    def copy_to(self, copy: sqlite3.Connection) -> None:
        """Copy the whole database as it stands at one moment."""
        self._connection.backup(copy)

    def position_of(self, scope: str) -> int:
        """Where a scope stands: the position of its last event, or 0."""
        return self.value(_SCOPE, scope_key(scope)) or 0


def scope_key(scope: str) -> int:
    """The number by which the tables know a scope."""
    return int.from_bytes(hashlib.sha256(scope.encode()).digest()[:8], signed=True)
