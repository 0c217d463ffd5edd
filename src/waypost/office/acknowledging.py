"""An acknowledgement for a sender that sees only files: a letter that opens with the word for it.

A refusal is always told, that it was taken only of a letter that asks for something: else thanks
would be thanked for. Other senders read the states of their letters, or wait on the line. The
letter and the state are one event, so that neither is there without the other.
"""

from waypost.dialects import dialect
from waypost.office import finding, members
from waypost.office.asking import ASKING
from waypost.office.callers import Caller
from waypost.office.deciding import event_of
from waypost.office.envelope import LONGEST_SUBJECT, envelope_of, first_line
from waypost.office.events import Event, Json, digest
from waypost.office.members import FOLDER, Member
from waypost.office.sending import letter_data
from waypost.office.states import State
from waypost.office.tables import Tables
from waypost.office.views import Header
from waypost.office.world import World

WORDS = {True: "Accepted", False: "Refused"}


def letter_of(
    tables: Tables, world: World, caller: Caller, box: Member, position: int, accepted: bool,
    note: str,
) -> Event | None:  # fmt: skip
    """The event that tells a sender in a folder; None when nothing needs to be told."""
    now = world.now()
    me = members.of_caller(tables, caller)
    header = finding.header_at(tables, position, me, now)
    sender = members.find(tables, caller.project, header.sender)
    if sender is None or sender.carrier != FOLDER or sender.id == me.id:
        return None
    if accepted and not header.wants_ack and header.type not in ASKING:
        return None
    raw, fields = _message(world, header, me.name, WORDS[accepted], note, now)
    envelope = envelope_of("oacp", fields)
    data = letter_data(envelope, "oacp", envelope.priority, me, [sender])
    data |= {"thread": header.thread, "reply_to": header.id, "given": digest(raw)}
    data |= {"answers": [position, box.id], "answer_state": State.ACKNOWLEDGED}
    data |= {"accepted": accepted, "noted": bool(note) or None}
    texts: Json = {"subject": fields["subject"]}
    event = event_of(caller, "letter.sent", now, data, texts | ({"note": note} if note else {}))
    return event._replace(message=raw, fields=fields)


def _message(
    world: World, header: Header, name: str, word: str, note: str, now: int
) -> tuple[bytes, Json]:
    uuid = world.uuid()
    fields: Json = {
        "id": uuid,
        "from": name,
        "to": header.sender,
        "type": "notification",
        "priority": "P2",
        "subject": first_line(f"{word}: {header.subject}", LONGEST_SUBJECT),
        "conversation_id": header.thread,
        "parent_message_id": header.id,
        "body": note if note.strip() else f"{word}.",
    }
    message = dialect("oacp").compose(fields, world.blanks(now, uuid), allow_secrets=True)
    return message.raw, message.fields or {}
