"""What the search knows of a letter: its words, and marks for what its envelope says.

A mark is one made-up word for one fact ("from claude in my-app"), so that the search combines words
and facts in one step, and can't be steered by what a letter says.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waypost.office import statements as sql
from waypost.office.events import Event, canonical, unseal

_CONTENT = (
    "SELECT head, texts, message, recipients FROM events JOIN contents USING (position)"
    " JOIN letters USING (position) WHERE position = ?"
)
# Fields of an envelope, which the marks say better.
_ENVELOPE = frozenset(
    (
        *("id", "from", "to", "type", "priority", "created_at_utc", "expires_at", "subject"),
        *("conversation_id", "parent_message_id", "v", "ts", "kind", "ref", "version"),
        *("timestamp", "sender_id", "message_id", "priority_value"),
    )
)


def of_letter(event: Event, to: Sequence[str]) -> tuple[str, str, str]:
    """The subject, the words and the marks of a letter that is there, and goes to these."""
    data = event.data
    fields = event.fields if event.fields is not None else _fields(data["dialect"], event.message)
    body = " ".join(text for key, value in fields.items() if key not in _ENVELOPE
                    for text in _texts(value))  # fmt: skip
    subject = (event.texts or {}).get("subject", "")
    return subject, body, " ".join(_marks(event, to))


def mark(what: str, *values: str) -> str:
    """The made-up word for a fact."""
    fact = "\0".join((what, *(value.casefold() for value in values)))
    return "m" + hashlib.sha256(fact.encode()).hexdigest()[:15]


def forget(db: sqlite3.Connection, position: int) -> bool:
    """Take a letter's words out of the search, if they are in it; tells whether they were.

    `merge` takes them out of its pages.
    """
    if found := _kept(db, position):
        db.execute(sql.FORGET_WORDS, (position, *of_letter(*found)))
    return found is not None


def goes_to(db: sqlite3.Connection, position: int, name: str) -> None:
    """Have a letter found as one to somebody more, and name them as its recipient."""
    is_found = forget(db, position)
    names = json.loads(db.execute(sql.RECIPIENTS, (position,)).fetchone()[0])
    db.execute(sql.GOES_TO, (canonical([*names, name]), position))
    if is_found and (found := _kept(db, position)):
        db.execute(sql.ADD_WORDS, (position, *of_letter(*found)))


def _kept(db: sqlite3.Connection, position: int) -> tuple[Event, Sequence[str]] | None:
    """A letter whose content is still there, and to whom it goes."""
    row = db.execute(_CONTENT, (position,)).fetchone()
    if row is None or row[2] is None:
        return None
    return unseal(position, *row[:3]).event, json.loads(row[3])


def merge(db: sqlite3.Connection) -> None:
    """Write the index anew, so that it holds no word that was taken out."""
    db.execute(sql.MERGE_WORDS)


def _marks(event: Event, to: Sequence[str]) -> Iterator[str]:
    project, data = event.project, event.data
    yield mark("project", project)
    yield mark("from", project, data["sender"])
    yield mark("party", project, data["sender"])
    for name in to:
        yield mark("to", project, name)
        if name != data["sender"]:
            yield mark("party", project, name)
    yield mark("type", data["type"])
    yield mark("thread", project, data["thread"])


def _fields(dialect: str, message: bytes | None) -> Mapping[str, Any]:
    from waypost.dialects import dialect as named

    return named(dialect).read(message or b"").fields or {}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
