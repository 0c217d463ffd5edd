"""What events about files change in the tables: reservations and attachments. Part of `apply`."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from waypost.office import statements as sql
from waypost.office.events import Entry, canonical


def reserved(db: sqlite3.Connection, entry: Entry) -> None:
    """Files are reserved, perhaps in place of earlier reservations."""
    event = entry.event
    reserve(db, entry, event.data, (event.texts or {}).get("reason", ""), event.actor)


def reserve(
    db: sqlite3.Connection, entry: Entry, data: Mapping[str, Any], reason: str, holder: str
) -> None:
    """One reservation, and the end of those that it renews."""
    for renewed in data.get("renews", ()):
        db.execute(sql.END_RESERVATION, (entry.event.at, holder, renewed))
    lease = (data.get("task_id"), reason, entry.event.at, data["ends_at"])
    what = (holder, data["mode"], canonical(data["patterns"]))
    db.execute(sql.ADD_RESERVATION, (entry.position, entry.event.project, *what, *lease))


def released(db: sqlite3.Connection, entry: Entry) -> None:
    """Reservations end before their time."""
    for reservation in entry.event.data["reservations"]:
        db.execute(sql.END_RESERVATION, (entry.event.at, entry.event.actor, reservation))


def attachment_stored(db: sqlite3.Connection, entry: Entry) -> None:
    """The project keeps a file."""
    event, data = entry.event, entry.event.data
    if event.message is None:
        return  # it was removed since
    name = (event.texts or {}).get("name", "")
    what = (name, data["media_type"], data["size"], event.at)
    db.execute(sql.ADD_ATTACHMENT, (data["sha256"], event.project, entry.position, *what))
