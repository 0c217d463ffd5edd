"""An office as an older waypost left it: what later steps made is taken out of the database."""

import sqlite3
from contextlib import closing
from pathlib import Path

from waypost.office.database import FILE

# What takes a step back, the last one first.
_BACK = {
    6: ("ALTER TABLE agents DROP COLUMN node", "ALTER TABLE placed DROP COLUMN node"),
    5: (
        "DROP INDEX asking", "ALTER TABLE deliveries DROP COLUMN asks", "DROP TABLE spans",
        "DROP TABLE deeds",
    ),
    4: ("DROP TABLE traces", "DROP INDEX held_back"),
    3: ("DROP TABLE pairs",),
    2: ("DROP TABLE stream", "DROP TABLE skipped"),
}  # fmt: skip


def made_older(home: Path, version: int) -> None:
    """Bring a home's database back to a version."""
    with closing(sqlite3.connect(home / FILE)) as db, db:
        for step, statements in _BACK.items():
            for statement in statements if step > version else ():
                db.execute(statement)
        db.execute(f"PRAGMA user_version = {version}")
