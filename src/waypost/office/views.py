"""What the use-cases give: small values that every door shows as the same JSON.

What is empty or unknown is left out of the JSON. Times in JSON are text in UTC.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from waypost.letters.priority import Priority
from waypost.office.world import moment

Json = dict[str, Any]


def filled(fields: Mapping[str, Any]) -> Json:
    """The fields without those that say nothing: null, an empty list, text or mapping."""
    return {key: value for key, value in fields.items() if value not in (None, [], "", {}, ())}


def when(milliseconds: int | None) -> str | None:
    """A time as text."""
    return None if milliseconds is None else moment(milliseconds)


class Agent(NamedTuple):
    """Somebody with a mailbox. `kind` is agent, person, or people for the list they share."""

    name: str
    kind: str
    unread: int
    registered_at: int
    active_at: int
    about: Mapping[str, Any]
    key_id: str | None = None
    carrier: str | None = None
    has_token: bool = False
    rules: Mapping[str, Any] = {}
    node: str | None = None

    def to_json(self) -> Json:
        times = {"registered_at": when(self.registered_at), "active_at": when(self.active_at)}
        place = {"key_id": self.key_id, "carrier": self.carrier, "node": self.node}
        where = {**place, "has_token": self.has_token}
        head = {"name": self.name, "kind": self.kind, "unread": self.unread}
        return filled({**head, **self.about, **times, **where, **self.rules})


class Registered(NamedTuple):
    """Who was registered, in which project. A token is shown here once, and never again."""

    agent: str
    project: str
    is_new: bool
    token: str | None = None

    def to_json(self) -> Json:
        shown = {"agent": self.agent, "project": self.project, "is_new": self.is_new}
        return filled({**shown, "token": self.token})


class Receipt(NamedTuple):
    """What the office took: from here on the letter is safe. `is_repeat`: it was here before."""

    id: str
    to: tuple[str, ...]
    thread: str
    position: int
    type: str
    is_repeat: bool = False
    warnings: tuple[Json, ...] = ()
    reservation: Json | None = None
    project: str | None = None  # if it isn't the sender's own

    def to_json(self) -> Json:
        shown = {"id": self.id, "to": list(self.to), "type": self.type, "thread": self.thread}
        done: Json = {"state": "stored", "repeated": self.is_repeat or None}
        rest = {"warnings": list(self.warnings), "reservation": self.reservation}
        return filled({**shown, **done, **rest, "project": self.project})


class Header(NamedTuple):
    """A letter as a listing shows it. The state is that for the reader, or for its recipients."""

    id: str
    sender: str
    to: tuple[str, ...]
    type: str
    dialect: str
    subject: str
    priority: Priority
    thread: str
    sent_at: int
    position: int
    state: str | None = None
    states: Mapping[str, str] = {}
    reply_to: str | None = None
    expires_at: int | None = None
    ack_by: int | None = None
    wants_ack: bool = False
    is_overdue: bool = False
    is_expired: bool = False
    proof: str = "claimed"

    def to_json(self) -> Json:
        """The header; what is usual (priority normal, nothing wanted) is left out."""
        usual = self.priority == Priority.NORMAL
        shown = {
            "id": self.id,
            "from": self.sender,
            "to": list(self.to) if self.states else None,
            "type": self.type,
            "subject": self.subject,
            "priority": None if usual else self.priority.word,
            "thread": self.thread,
            "reply_to": self.reply_to,
            "sent_at": when(self.sent_at),
            "state": self.state,
            "states": dict(self.states),
            "wants_ack": self.wants_ack or None,
            "ack_by": when(self.ack_by),
            "overdue": self.is_overdue or None,
            "expired": self.is_expired or None,
        }
        return filled(shown)


class Inbox(NamedTuple):
    """A page of an inbox: headers in order, where the next page begins, how many are unread."""

    letters: tuple[Header, ...]
    next: str | None
    unread: int

    def to_json(self) -> Json:
        shown = {"letters": [letter.to_json() for letter in self.letters], "next": self.next}
        return {"letters": [], **filled(shown), "unread": self.unread}


class Page(NamedTuple):
    """A page of a thread or of what a search found."""

    letters: tuple[Header, ...]
    next: str | None = None

    def to_json(self) -> Json:
        shown = {"letters": [letter.to_json() for letter in self.letters], "next": self.next}
        return {"letters": [], **filled(shown)}


class Letter(NamedTuple):
    """A whole letter: its header, where it came from, and the verbatim message.

    What the message says is data, whoever wrote it; a door shows it fenced (`letters.fence`).
    For a reader with a dialect of its own it may be a translation: then `original` says of what.
    """

    header: Header
    door: str
    message: bytes | None
    fields: Mapping[str, Any]
    note: str | None = None
    options: tuple[str, ...] = ()
    redacted_at: int | None = None
    original: Json | None = None
    losses: tuple[Json, ...] = ()

    @property
    def text(self) -> str:
        """The message as text."""
        return (self.message or b"").decode("utf-8", "replace")

    def to_json(self) -> Json:
        origin = {"door": self.door, "proof": self.header.proof, "dialect": self.header.dialect}
        shown = {**self.header.to_json(), "to": list(self.header.to), **origin}
        if self.redacted_at is not None:
            return shown | {"redacted_at": when(self.redacted_at)}
        rest = {"options": list(self.options), "message": self.text}
        said = {"original": self.original, "losses": list(self.losses)}
        return filled({**shown, "note": self.note, **rest, **said})
