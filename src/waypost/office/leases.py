"""From events to tables: who holds which files. Used by `apply` alone."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from waypost.office import statements as sql
from waypost.office.events import Entry, canonical


def files_reserved(db: sqlite3.Connection, entry: Entry) -> None:
    """Somebody holds files from now on."""
    event = entry.event
    reserve(db, entry, event.data, (event.texts or {}).get("reason", ""), event.actor)


def reserve(
    db: sqlite3.Connection, entry: Entry, data: Mapping[str, Any], reason: str, holder: str
) -> None:
    """A reservation begins; those that it renews end."""
    for renewed in data.get("renews", ()):
        db.execute(sql.END_RESERVATION, (entry.event.at, holder, renewed))
    lease = (data.get("task_id"), reason, entry.event.at, data["ends_at"])
    what = (holder, data["mode"], canonical(data["patterns"]))
    db.execute(sql.ADD_RESERVATION, (entry.position, entry.event.project, *what, *lease))


def files_released(db: sqlite3.Connection, entry: Entry) -> None:
    """Reservations end before their time."""
    for reservation in entry.event.data["reservations"]:
        db.execute(sql.END_RESERVATION, (entry.event.at, entry.event.actor, reservation))
