"""Sending back what can't be delivered: its sender gets a letter of the postmaster that says why.

The bounce and the letter about it are one event, so that neither is there without the other.
"""

from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.office import members
from waypost.office.apply import PEOPLE
from waypost.office.callers import Caller
from waypost.office.consigning import Consignment, Pending
from waypost.office.deciding import Desk, event_of
from waypost.office.envelope import LONGEST_SUBJECT, envelope_of, first_line
from waypost.office.events import Event, Json, digest
from waypost.office.members import KEY, POSTMASTER, Member
from waypost.office.sending import letter_data
from waypost.office.states import State, follows
from waypost.office.tables import Tables
from waypost.office.world import World

_STATE = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"
_NOBODY = -1  # the box of the postmaster, who has none


def bounce(desk: Desk, letter: Consignment, delivery: Pending, reason: str) -> None:
    """Note that a delivery is given up, and tell the sender, who may have to do something."""
    now, uuid = desk.world.now(), desk.world.uuid()
    caller = Caller(POSTMASTER, letter.project)

    def decision(tables: Tables) -> Event | None:
        state = tables.value(_STATE, delivery.letter, delivery.box)
        if state is None or not follows(state, State.BOUNCED):
            return None
        sender = members.find(tables, letter.project, letter.sender)
        if sender is None or sender.kind == PEOPLE or sender.carrier == KEY:
            data: Json = {"deliveries": [[delivery.letter, delivery.box]], "state": State.BOUNCED}
            data["noted"] = True
            return event_of(caller, "letters.moved", now, data, {"note": reason})
        message = _message(desk.world, letter, delivery.name, reason, now, uuid)
        data = _letter(letter, message, sender) | {"bounces": [delivery.letter, delivery.box]}
        texts = {"subject": (message.fields or {})["subject"], "note": reason}
        event = event_of(caller, "letter.sent", now, data, texts)
        return event._replace(message=message.raw, fields=message.fields)

    desk.decide([f"delivery:{delivery.letter}/{delivery.box}"], decision, lambda _: None)


def _message(
    world: World, letter: Consignment, name: str, reason: str, now: int, uuid: str
) -> Message:
    what = f"{letter.type} {letter.id}" + (f" ({letter.subject})" if letter.subject else "")
    fields: Json = {
        "id": uuid,
        "from": POSTMASTER,
        "to": letter.sender,
        "type": "notification",
        "priority": "P1",
        "subject": first_line(f"Not delivered to {name}: {letter.subject}", LONGEST_SUBJECT),
        "conversation_id": letter.thread,
        "parent_message_id": letter.id,
        "body": f"Your {what} was not delivered to {name}: {reason}\n",
    }
    blanks = world.blanks(now, uuid)
    return dialect("oacp").compose(fields, blanks, allow_secrets=True)


def _letter(letter: Consignment, message: Message, sender: Member) -> Json:
    envelope = envelope_of("oacp", message.fields or {})
    postmaster = Member(_NOBODY, POSTMASTER, members.AGENT, {}, None)
    data = letter_data(envelope, "oacp", envelope.priority, postmaster, [sender])
    data |= {"thread": letter.thread, "reply_to": letter.id, "given": digest(message.raw)}
    return {**data, "from_box": None}
