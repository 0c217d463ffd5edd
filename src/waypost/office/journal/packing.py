"""An event as it travels to the nodes: one line that says what follows, then the parts verbatim.

The line holds where each scope stood when it was decided, in the order of the head's scopes. With
it every node comes to the same verdict by itself: an event counts if its scopes stand there still.
One that was moved here from another journal says which place it has, and counts there alone.
"""

import json
from typing import Any, NamedTuple

from waypost.errors import UnreadableError
from waypost.office.apply import is_known
from waypost.office.events import Entry, canonical, digest, entry_of

FORM = 1
_LONGEST_LINE = 1 << 16


class FaultyError(ValueError):
    """What came is no event: every node passes over it."""


class Parcel(NamedTuple):
    """An event with what it expects; `kept_as` names the object that holds a large content.

    `position` is the place of one that was moved here; it expects nothing else.
    """

    expected: tuple[int, ...]
    head: str
    texts: str | None
    message: bytes | None
    kept_as: str | None = None
    position: int | None = None

    def bare(self) -> "Parcel":
        """The same without what was written; the head still holds its hashes."""
        return self._replace(texts=None, message=None, kept_as=None)


def pack(parcel: Parcel) -> bytes:
    """Write a parcel down."""
    head = parcel.head.encode()
    texts = None if parcel.texts is None else parcel.texts.encode()
    line: dict[str, Any] = {"form": FORM, "expected": parcel.expected, "head": len(head)}
    line["texts"] = None if texts is None else len(texts)
    line["message"] = None if parcel.message is None else len(parcel.message)
    if parcel.kept_as is not None:
        line["kept_as"] = parcel.kept_as
    if parcel.position is not None:
        line["position"] = parcel.position
    return b"\n".join((canonical(line).encode(), head + (texts or b"") + (parcel.message or b"")))


def unpack(data: bytes) -> Parcel:
    """Read a parcel. Raises FaultyError; UnreadableError for one of a newer waypost."""
    try:
        line, _, rest = data.partition(b"\n")
        facts = json.loads(line[:_LONGEST_LINE])
        if facts["form"] != FORM:
            raise newer()
        sizes = [facts["head"], facts["texts"] or 0, facts["message"] or 0]
        if min(sizes) < 0 or sum(sizes) != len(rest):
            raise FaultyError("the parts aren't as long as they should be")
        texts_at, message_at = sizes[0], sizes[0] + sizes[1]
        return Parcel(
            tuple(map(int, facts["expected"])),
            rest[:texts_at].decode(),
            None if facts["texts"] is None else rest[texts_at:message_at].decode(),
            None if facts["message"] is None else rest[message_at:],
            facts.get("kept_as"),
            None if facts.get("position") is None else int(facts["position"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FaultyError(f"no event: {error}") from error


def opened(parcel: Parcel, position: int) -> Entry:
    """The entry in a parcel. Raises FaultyError; UnreadableError for a kind that is unknown."""
    try:
        facts = json.loads(parcel.head)
        entry = entry_of(facts, position, parcel.head, parcel.texts, parcel.message)
        for name, content in (("texts", parcel.texts), ("message", parcel.message)):
            raw = content.encode() if isinstance(content, str) else content
            if raw is not None and facts.get(name) != digest(raw):
                raise FaultyError(f"the {name} don't belong to the head")
        scopes = entry.scopes if parcel.position is None else ()
        if len(scopes) != len(parcel.expected) or (parcel.position is None and not scopes):
            raise FaultyError("every scope of an event stands somewhere")
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FaultyError(f"no event: {error}") from error
    if not is_known(entry.event.kind):
        raise newer()
    return entry


def newer() -> UnreadableError:
    """Somebody on this journal writes what we don't understand yet."""
    return UnreadableError(
        "another node writes what this version of waypost doesn't know",
        hint="update waypost on this machine; until then what it shows is old",
    )
