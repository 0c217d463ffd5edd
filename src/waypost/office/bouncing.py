"""Letters of the postmaster: a writer is told what can't be delivered, isn't read or answered.

A bounce and the letter about it are one event, so that neither is there without the other.
"""

from uuid import UUID

from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.errors import InvalidMessageError
from waypost.office import members
from waypost.office.callers import Caller
from waypost.office.checks import LONGEST_LINE
from waypost.office.consigning import Consignment, Pending
from waypost.office.deciding import Desk, event_of
from waypost.office.delivering import PEOPLE
from waypost.office.envelope import LONGEST_SUBJECT, envelope_of, first_line
from waypost.office.events import Event, Json, digest
from waypost.office.members import KEY, POSTMASTER, Member
from waypost.office.sending import letter_data, scope_of
from waypost.office.states import State, follows
from waypost.office.tables import Tables
from waypost.office.world import World

_STATE = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"
_TOLD = "SELECT 1 FROM letters WHERE id = ? AND project = ? AND sender = ?"
_NO_TASK = "unknown"
_NOBODY = -1  # the box of the postmaster, who has none


def bounce(
    desk: Desk,
    letter: Consignment,
    delivery: Pending,
    reason: str,
    caller: Caller | None = None,
    state: State = State.BOUNCED,
) -> None:
    """Note that a delivery is given up, and tell the sender, who may have to do something.

    The caller is the person who decided so, and else the postmaster.
    """
    now, uuid = desk.world.now(), desk.world.uuid()
    caller = caller or Caller(POSTMASTER, letter.project)

    def decision(tables: Tables) -> Event | None:
        before = tables.value(_STATE, delivery.letter, delivery.box)
        if before is None or not follows(before, State.BOUNCED):
            return None
        sender = members.find(tables, letter.project, letter.sender)
        if sender is None or sender.kind == PEOPLE or sender.carrier == KEY:
            data: Json = {"deliveries": [[delivery.letter, delivery.box]], "state": state}
            data["noted"] = True
            return event_of(caller, "letters.moved", now, data, {"note": reason})
        told = (
            f"Not delivered to {delivery.name}",
            f"was not delivered to {delivery.name}: {reason}",
        )
        message = _message(desk.world, letter, *told, now, uuid)
        data = _letter(letter, message, sender) | {"bounces": [delivery.letter, delivery.box]}
        data |= {"bounced_as": state} if state != State.BOUNCED else {}
        texts = {"subject": (message.fields or {})["subject"], "note": reason}
        event = event_of(caller, "letter.sent", now, data, texts)
        return event._replace(message=message.raw, fields=message.fields)

    desk.decide([f"delivery:{delivery.letter}/{delivery.box}"], decision, lambda _: None)


def report(
    desk: Desk, project: str, writer: str, taken: Message, error: InvalidMessageError
) -> None:
    """Tell the writer of an Agent Mail message that came by no call why it isn't taken.

    The same bytes are told of once, and only to an agent that has its mail here.
    """
    now, caller = desk.world.now(), Caller(POSTMASTER, project)
    message = _error_report(desk.world, taken, error, now)
    envelope = envelope_of("agentmail", message.fields or {})

    def decision(tables: Tables) -> Event | None:
        if tables.value(_TOLD, envelope.id, project, POSTMASTER) is not None:
            return None
        box = members.find(tables, project, writer)
        if box is None or box.kind == PEOPLE or box.carrier == KEY:
            return None
        data = letter_data(envelope, "agentmail", envelope.priority, _postmaster(), [box])
        thread = envelope.id if envelope.thread == _NO_TASK else envelope.thread
        data |= {"thread": thread, "given": digest(message.raw)}
        subject = first_line(f"Not taken: {error.details}", LONGEST_SUBJECT)
        data["from_box"] = None
        event = event_of(caller, "letter.sent", now, data, {"subject": subject})
        return event._replace(message=message.raw, fields=message.fields)

    desk.decide([scope_of(caller, envelope.id)], decision, lambda _: None)


def _error_report(world: World, taken: Message, error: InvalidMessageError, now: int) -> Message:
    """What the postmaster says of a message that isn't taken; its id comes from the bytes."""
    fields = taken.fields or {}
    original = _short(fields.get("message_id"))
    content: Json = {
        "sender_id": POSTMASTER,
        "type": "error_report",
        "task_id": _short(fields.get("task_id")) or _NO_TASK,
        "severity": "medium",
        "error": {"code": error.code, "message": error.details},
        "reproduction_steps": [],
        "needs_human_intervention": False,
    }
    if error.hint:
        content["suggested_actions"] = [error.hint]
    if original:
        content["error"]["context"] = {"message_id": original}
    uuid = str(UUID(digest(taken.raw)[:32], version=4))
    return dialect("agentmail").compose(content, world.blanks(now, uuid), allow_secrets=True)


def _short(value: object) -> str | None:
    if isinstance(value, str) and value.isprintable() and 0 < len(value.strip()) <= LONGEST_LINE:
        return value.strip()
    return None


def _postmaster() -> Member:
    return Member(_NOBODY, POSTMASTER, members.AGENT, {}, None)


def unanswered(desk: Desk, letter: Consignment, name: str, reason: str) -> None:
    """Tell a sender that its letter arrived, and why nobody answers it."""
    now, uuid = desk.world.now(), desk.world.uuid()

    def decision(tables: Tables) -> Event | None:
        sender = members.find(tables, letter.project, letter.sender)
        if sender is None or sender.kind == PEOPLE or sender.carrier == KEY:
            return None
        told = f"Not answered by {name}", f"reached {name}, who did not answer: {reason}"
        message = _message(desk.world, letter, *told, now, uuid)
        texts = {"subject": (message.fields or {})["subject"]}
        data = _letter(letter, message, sender)
        event = event_of(Caller(POSTMASTER, letter.project), "letter.sent", now, data, texts)
        return event._replace(message=message.raw, fields=message.fields)

    desk.decide([scope_of(Caller(POSTMASTER, letter.project), uuid)], decision, lambda _: None)


def _message(
    world: World, letter: Consignment, title: str, news: str, now: int, uuid: str
) -> Message:
    what = f"{letter.type} {letter.id}" + (f" ({letter.subject})" if letter.subject else "")
    fields: Json = {
        "id": uuid,
        "from": POSTMASTER,
        "to": letter.sender,
        "type": "notification",
        "priority": "P1",
        "subject": first_line(f"{title}: {letter.subject}", LONGEST_SUBJECT),
        "conversation_id": letter.thread,
        "parent_message_id": letter.id,
        "body": f"Your {what} {news}\n",
    }
    blanks = world.blanks(now, uuid)
    return dialect("oacp").compose(fields, blanks, allow_secrets=True)


def _letter(letter: Consignment, message: Message, sender: Member) -> Json:
    envelope = envelope_of("oacp", message.fields or {})
    data = letter_data(envelope, "oacp", envelope.priority, _postmaster(), [sender])
    data |= {"thread": letter.thread, "reply_to": letter.id, "given": digest(message.raw)}
    return {**data, "from_box": None}
