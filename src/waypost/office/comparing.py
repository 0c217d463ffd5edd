"""Are two offices the same? Row by row, beside the back of whoever works in them."""

import sqlite3
from contextlib import closing
from itertools import zip_longest
from urllib.parse import quote

from waypost.office.database import FILE
from waypost.office.migrations import APPLIED

_QUERIES = {
    "events": "SELECT position, head, chain FROM events ORDER BY position",
    "contents": "SELECT * FROM contents WHERE coalesce(texts, message) IS NOT NULL"
    " ORDER BY position",
    **{table: f"SELECT * FROM {table}" for table in APPLIED},
    "search": "SELECT * FROM temp.words",
}


def difference(home: str, other: str) -> str | None:
    """The first table of two homes in which they differ; None where they hold the same."""
    with closing(_opened(home)) as one, closing(_opened(other)) as two:
        for table, query in _QUERIES.items():
            rows = zip_longest(one.execute(query), two.execute(query))
            if any(ours != theirs for ours, theirs in rows):
                return table
    return None


def _opened(home: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{quote(home)}/{FILE}?mode=ro", uri=True)
    db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, search, instance)")
    return db
