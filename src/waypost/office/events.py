"""What the journal holds: events, and the chain that proves that none was changed.

An event is a head and its contents. The head says who did what, when, through which door, in plain
facts: names, ids, states, numbers. What agents and people *wrote* stands in the contents (short
texts, and a message's verbatim bytes), of which the head holds the hashes. So contents can be
removed for good, and the chain over the heads still holds.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from waypost.errors import UnreadableError

DOORS = ("cli", "mcp", "http", "web", "library", "folder", "quic")
PROVEN, CLAIMED = "proven", "claimed"
START = b"\0" * 32  # what the first link of the chain stands on
SPOILED = "waypost audit verify shows all that was changed; waypost restore takes a backup"
Json = dict[str, Any]


class Event(NamedTuple):
    """One thing that happened, as a use-case hands it to the journal."""

    kind: str
    project: str
    actor: str
    door: str
    proof: str
    at: int  # milliseconds since 1970, by the clock of whoever decided
    data: Mapping[str, Any]
    texts: Mapping[str, Any] | None = None
    message: bytes | None = None
    fields: Mapping[str, Any] | None = None  # of the message, when they are known already


class Entry(NamedTuple):
    """An event with its place in the journal, and the scopes that it moved."""

    position: int
    event: Event
    scopes: tuple[str, ...]
    head: str
    texts: str | None  # as canonical JSON


def seal(event: Event, scopes: tuple[str, ...], position: int) -> Entry:
    """Write an event down as it stands in the journal."""
    texts = canonical(event.texts) if event.texts else None
    head: Json = {
        "kind": event.kind,
        "project": event.project,
        "actor": event.actor,
        "door": event.door,
        "proof": event.proof,
        "at": event.at,
        "scopes": scopes,
        "data": event.data,
    }
    if texts is not None:
        head["texts"] = digest(texts.encode())
    if event.message is not None:
        head["message"] = digest(event.message)
    return Entry(position, event, scopes, canonical(head), texts)


def unseal(position: int, head: str, texts: str | None, message: bytes | None) -> Entry:
    """Read an entry as the journal holds it; contents that were removed are None.

    Raises UnreadableError for what no office wrote.
    """
    try:
        return entry_of(json.loads(head), position, head, texts, message)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise UnreadableError(f"event {position} isn't as it was written", hint=SPOILED) from error


def entry_of(
    facts: Json, position: int, head: str, texts: str | None, message: bytes | None
) -> Entry:
    """An entry whose head was read already."""
    event = Event(
        facts["kind"],
        facts["project"],
        facts["actor"],
        facts["door"],
        facts["proof"],
        facts["at"],
        facts["data"],
        json.loads(texts) if texts is not None else None,
        message,
    )
    return Entry(position, event, tuple(facts["scopes"]), head, texts)


def letters_about(event: Event) -> Iterator[int]:
    """The letters that an event is about, besides the one that it brings."""
    kind, data = event.kind, event.data
    yield from dict.fromkeys(letter for letter, _ in data.get("deliveries", ()))
    for name in ("delivery", "answers", "bounces"):
        if name in data:
            yield data[name][0]
    if kind == "letter.translated":
        yield data["letter"]
    elif kind == "exchange.ended":
        yield from data["letters"]


def link(chain: bytes, head: bytes) -> bytes:
    """The chain's next link: over the one before, and over this head."""
    return hashlib.sha256(chain + hashlib.sha256(head).digest()).digest()


def digest(data: bytes) -> str:
    """The hash by which a content is known."""
    return hashlib.sha256(data).hexdigest()


_encode = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
).encode


def canonical(value: Any) -> str:
    """The one way to write a value as JSON, so that equal values have equal hashes."""
    return _encode(value)
