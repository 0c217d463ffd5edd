"""Sending and replying: a letter is checked, written down once, and then in every mailbox.

The same id from the same sender is one letter: given again with the same content, the first receipt
comes back; with other content it is refused.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.errors import ConflictError, UnknownTypeError, UsageError, quoted
from waypost.letters.priority import Priority
from waypost.office import drafts, finding, members, refusing, reserving, routes
from waypost.office.apart import held_back
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import minutes, names_of, one_line
from waypost.office.deciding import Desk, event_of
from waypost.office.delivering import PEOPLE
from waypost.office.drafts import Draft
from waypost.office.envelope import LONGEST_SUBJECT, Envelope, envelope_of
from waypost.office.events import Entry, Event, Json
from waypost.office.members import Member
from waypost.office.tables import Tables
from waypost.office.views import Receipt

_EARLIER = (
    "SELECT position, given, recipients, thread, type FROM letters"
    " WHERE id = ? AND project = ? AND sender = ? ORDER BY position LIMIT 1"
)
_PARENT = (
    "SELECT id, sender, recipients, thread, dialect, message FROM letters"
    " LEFT JOIN contents ON contents.position = letters.position WHERE letters.position = ?"
)


class Parent(NamedTuple):
    """The letter that is answered."""

    position: int
    id: str
    sender: str
    to: list[str]
    thread: str
    dialect: str
    message: bytes | None

    def fields(self, name: str) -> Json | None:
        """What it says, for an answer in the same dialect."""
        if self.dialect != name or self.message is None:
            return None
        return dialect(name).read(self.message).fields


def send(
    desk: Desk,
    caller: Caller,
    to: str | Sequence[str] = (),
    type: str | None = None,  # noqa: A002 - the word that every dialect has for it
    content: Mapping[str, Any] | None = None,
    text: str | None = None,
    subject: str | None = None,
    thread: str | None = None,
    reply_to: str | None = None,
    priority: str | None = None,
    acknowledge: bool = False,
    acknowledge_minutes: int | None = None,
    expires_minutes: int | None = None,
    message_id: str | None = None,
    allow_secrets: bool = False,
) -> Receipt:
    """Send a letter of any type, or plain text, to one, several or all ("*").

    Raises for whatever isn't right, with every problem; then nothing is sent to anyone.
    """
    return post(desk, caller, Draft(
        names_of(to), type, content, text, subject, thread, reply_to, priority, acknowledge,
        acknowledge_minutes, expires_minutes, message_id, allow_secrets,
    ))  # fmt: skip


def reply(
    desk: Desk,
    caller: Caller,
    letter: str,
    text: str | None = None,
    type: str | None = None,  # noqa: A002
    content: Mapping[str, Any] | None = None,
    subject: str | None = None,
    priority: str | None = None,
    acknowledge: bool = False,
    message_id: str | None = None,
    allow_secrets: bool = False,
) -> Receipt:
    """Answer a letter: to its sender, in its thread; for the caller it is done then."""
    return post(desk, caller, Draft(
        (), type, content, text, subject, None, letter, priority, acknowledge,
        message_id=message_id, allow_secrets=allow_secrets,
    ))  # fmt: skip


def post(desk: Desk, caller: Caller, draft: Draft) -> Receipt:
    """Send what a draft says."""
    checked_caller(caller)
    _check(draft)
    try:
        drafts.dialect_of(draft.kind)
    except UnknownTypeError as error:
        named = draft.message_id or (draft.content or {}).get("message_id")
        error.message_id = named if isinstance(named, str) else None
        refusing.unknown_type(desk, caller, draft.kind, error.message_id)
        raise
    now, uuid = desk.world.now(), desk.world.uuid()
    fingerprint, home = draft.fingerprint, caller.project
    caller, names = routes.resolved(desk, caller, names_of(draft.to))
    draft = draft._replace(to=names)
    given = drafts.given_id(draft)
    scopes = [scope_of(caller, given)] if given else []  # an id that is made here is nobody else's
    if draft.type == reserving.TYPE:
        scopes.append(reserving.scope_of(caller.project))
    found: list[Json] = []

    def decision(tables: Tables) -> Event | Receipt:
        sender = members.of_caller(tables, caller)
        if given and (first := earlier(tables, caller, given, fingerprint)):
            return first
        parent = _parent(tables, caller, sender, draft.reply_to)
        full = _completed(draft, parent)
        to = members.recipients(tables, sender, caller.project, _names(full, parent, sender.name))
        in_dialect = parent.fields(drafts.dialect_of(full.kind)) if parent else None
        message = drafts.compose(full, sender, to, in_dialect, desk.world, now, uuid)
        if not to and draft.type != reserving.TYPE:
            raise _nobody()  # of the participants, only the sender
        found[:] = [problem.to_json() for problem in message.problems]
        event = _event(tables, caller, sender, to, message, full, parent, now, fingerprint)
        return held_back(desk.talk, tables, event, message, sender, to)

    return desk.decide(
        scopes, decision, lambda entry: receipt_of(entry)._replace(warnings=tuple(found))
    )._replace(project=None if caller.project == home else caller.project)


def scope_of(caller: Caller, message_id: str) -> str:
    """The scope of a letter: nobody can send two under one id."""
    return f"letter:{caller.project}/{caller.agent}/{message_id}"


def receipt_of(entry: Entry) -> Receipt:
    """What the sender gets for a letter that is in the journal."""
    data = entry.event.data
    held = reserving.granted(entry, data["reservation"]) if "reservation" in data else None
    to = tuple(data["to"])
    return Receipt(data["id"], to, data["thread"], entry.position, data["type"], reservation=held)


def earlier(tables: Tables, caller: Caller, message_id: str, given: str) -> Receipt | None:
    """The first receipt of this id. Raises ConflictError when other content was sent under it."""
    row = tables.one(_EARLIER, message_id, caller.project, caller.agent)
    if row is None:
        return None
    if row[1] != given:
        raise ConflictError(
            f"{caller.agent} sent another letter under the id {quoted(message_id)}",
            hint="leave the id out, or choose a new one",
            message_id=message_id,
        )
    to = finding.listed(row[2])
    return Receipt(message_id, to, row[3], row[0], row[4], is_repeat=True)


def _check(draft: Draft) -> None:
    names_of(draft.to)
    one_line(draft.thread, "the thread")
    one_line(draft.subject, "the subject", LONGEST_SUBJECT)
    one_line(draft.message_id, "the message's id")
    minutes(draft.expires_minutes, "expires_minutes")
    minutes(draft.acknowledge_minutes, "acknowledge_minutes")
    if draft.text is None and draft.content is None:
        raise UsageError("a letter needs text or content", hint="content goes with a type")


def _parent(tables: Tables, caller: Caller, sender: Member, wanted: str | None) -> Parent | None:
    if wanted is None:
        return None
    position = finding.position_of(tables, caller.project, sender, wanted)
    row = tables.one(_PARENT, position)
    assert row is not None
    return Parent(position, row[0], row[1], list(finding.listed(row[2])), *row[3:])


def _completed(draft: Draft, parent: Parent | None) -> Draft:
    """The draft with what the letter that it answers says."""
    if parent is None:
        return draft
    return draft._replace(reply_to=parent.id, thread=draft.thread or parent.thread)


def _names(draft: Draft, parent: Parent | None, sender: str) -> Sequence[str]:
    """Whom a letter goes to; some types say it themselves."""
    names = list(names_of(draft.to))
    content = draft.content or {}
    if draft.type == "coordination_request":
        named = content.get("participants")
        listed = named if isinstance(named, list) else []
        names += [name for name in listed if isinstance(name, str) and name != sender]
    elif not names and parent is not None:
        names = parent.to if parent.sender == sender else [parent.sender]
    elif not names and draft.type != reserving.TYPE:
        raise _nobody()
    if draft.type == "error_report" and (
        content.get("needs_human_intervention") is True or content.get("severity") == "blocking"
    ):
        names.append(PEOPLE)
    return names


def _nobody() -> UsageError:
    return UsageError("a letter needs recipients", hint='name them, or "*" for everyone')


def _event(
    tables: Tables,
    caller: Caller,
    sender: Member,
    to: Sequence[Member],
    message: Message,
    draft: Draft,
    parent: Parent | None,
    now: int,
    fingerprint: str,
) -> Event:
    fields = message.fields or {}
    envelope = envelope_of(message.dialect or "", fields)
    priority = envelope.priority
    if draft.priority is not None:
        priority = drafts.priority_meant(draft.priority)
    data = letter_data(envelope, message.dialect or "", priority, sender, to)
    data["thread"] = draft.thread or envelope.thread or envelope.id
    data["reply_to"] = draft.reply_to
    data["given"] = fingerprint
    if parent is not None:
        box = finding.mailbox_of(tables, caller.project, parent.position, sender)
        data["answers"] = [parent.position, box.id] if box else None
    if draft.expires_minutes is not None:
        data["expires_at"] = now + draft.expires_minutes * 60_000
    if draft.acknowledge or draft.acknowledge_minutes is not None:
        data["wants_ack"] = 1
    if draft.acknowledge_minutes is not None:
        data["ack_by"] = now + draft.acknowledge_minutes * 60_000
    texts: Json = {"subject": draft.subject or envelope.subject}
    if draft.options:
        texts["options"] = list(draft.options)
    if message.type == reserving.TYPE:
        data["reservation"], texts["reason"] = reserving.asked(tables, caller, fields, now)
    event = event_of(caller, "letter.sent", now, data, texts)
    return event._replace(message=message.raw, fields=fields)


def letter_data(
    envelope: Envelope, dialect: str, priority: Priority, sender: Member, to: Sequence[Member]
) -> Json:
    """The facts of a letter as its event holds them."""
    return {
        "id": envelope.id,
        "sender": sender.name,
        "from_box": sender.id,
        "to": [member.name for member in to],
        "boxes": [member.id for member in to],
        "priority": int(priority),
        "dialect": dialect,
        "type": envelope.type,
        "expires_at": envelope.expires_at,
    }
