"""Taking in messages that were written elsewhere: from a folder, from a peer, from an old home.

The bytes stay as they are. The same bytes twice are one letter, so a carrier may repeat itself and
an import may be run again.
"""

from collections.abc import Mapping, Sequence

from waypost.dialects.detect import read
from waypost.dialects.message import Message
from waypost.errors import InvalidMessageError, UsageError, quoted
from waypost.office import finding, members
from waypost.office.apart import held_back
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import one_line
from waypost.office.deciding import Desk, event_of
from waypost.office.envelope import Envelope, envelope_of
from waypost.office.events import Event, Json, digest
from waypost.office.finding import listed
from waypost.office.members import Member
from waypost.office.sending import earlier, letter_data, receipt_of, scope_of
from waypost.office.states import State
from waypost.office.tables import Tables
from waypost.office.views import Receipt

_REACHED = "SELECT 1 FROM deliveries WHERE letter = ? AND agent = ?"
_SAME = (
    "SELECT letters.position, thread, type, recipients FROM letters"
    " LEFT JOIN contents ON contents.position = letters.position"
    " WHERE id = ? AND project = ? AND sender = ? AND (given = ? OR message = ?)"
)


def accept(
    desk: Desk,
    caller: Caller,
    message: bytes,
    to: Sequence[str],
    dialect: str | None = None,
    sent_at: int | None = None,
    states: Mapping[str, str] | None = None,
    thread: str | None = None,
    keep_both: bool = False,
    files: Mapping[str, str] | None = None,
    until: int | None = None,
    answers: str | None = None,
) -> Receipt:
    """Take in a message as it is. `states` and `files` say how far it got, and as which file.

    A peer waits `until` then; `answers` says what it is about if it doesn't. Other content under
    a used id raises ConflictError, or is kept (`keep_both`). Raises InvalidMessageError.
    """
    taken = read(message, dialect)
    envelope = _envelope(taken, thread)
    given, now, reached = digest(message), desk.world.now(), _states(states or {}, to)

    def decision(tables: Tables) -> Event | Receipt:
        if same := _same(tables, checked_caller(caller), envelope.id, message):
            return same
        sender = members.of_caller(tables, caller)
        if not keep_both:
            earlier(tables, caller, envelope.id, given)
        boxes = members.recipients(tables, sender, caller.project, to)
        data = letter_data(envelope, taken.dialect or "", envelope.priority, sender, boxes)
        data |= _placing(tables, caller.project, envelope, answers, sender, taken)
        data |= {"given": given, "sent_at": sent_at} | _arrived(boxes, reached, files, until)
        data["node"] = desk.journal.company.me if files else None
        event = event_of(caller, "letter.sent", now, data, {"subject": envelope.subject})
        event = event._replace(message=message, fields=taken.fields)
        return held_back(desk.talk, tables, event, taken, sender, boxes)

    scope = scope_of(caller, f"{envelope.id}/{given}" if keep_both else envelope.id)
    return desk.decide([scope], decision, receipt_of)


def _arrived(
    boxes: Sequence[Member],
    reached: Mapping[str, State],
    files: Mapping[str, str] | None,
    until: int | None,
) -> Json:
    """How far the letter got with each recipient before it came here, as which file, and until
    when a peer waits for its answer."""
    facts: Json = {"until": until}
    if files:
        facts["files"] = [[box.id, files[box.name]] for box in boxes if box.name in files]
    if reached:
        facts["states"] = [reached.get(box.name, State.STORED) for box in boxes]
    return facts


def _placing(
    tables: Tables,
    project: str,
    envelope: Envelope,
    answers: str | None,
    sender: Member,
    taken: Message,
) -> Json:
    """What a letter belongs to, and what it says of the letter that it answers.

    An ack took or refused that; other answers end it, and what tells how far a task is doesn't.
    """
    parent = finding.meant(tables, project, envelope.reply_to or answers)
    facts: Json = {"thread": envelope.thread or (parent.thread if parent else envelope.id)}
    facts["reply_to"] = parent.id if parent else envelope.reply_to
    if parent is None or not tables.value(_REACHED, parent.position, sender.id):
        return facts
    if taken.type != "notify":
        facts["answers"] = [parent.position, sender.id]
    if taken.type == "ack":
        accepted = (taken.fields or {})["payload"].get("accepted") is True
        facts |= {"answer_state": State.ACKNOWLEDGED, "accepted": accepted}
    return facts


def _same(tables: Tables, caller: Caller, message_id: str, message: bytes) -> Receipt | None:
    """The first receipt of these very bytes, whichever way they came."""
    who = caller.project, caller.agent
    row = tables.one(_SAME, message_id, *who, digest(message), message)
    if row is None:
        return None
    return Receipt(message_id, listed(row[3]), row[1], row[0], row[2], is_repeat=True)


def _envelope(taken: Message, thread: str | None) -> Envelope:
    """The envelope of a message that has one; it needn't be valid otherwise."""
    fields = taken.fields or {}
    named = fields.get("message_id" if taken.dialect == "agentmail" else "id")
    if taken.dialect is None or not taken.type or not isinstance(named, str):
        raise InvalidMessageError("that is no message", problems=taken.problems)
    one_line(named, "the message's id")
    one_line(taken.type, "the message's type")
    envelope = envelope_of(taken.dialect, fields)
    return envelope._replace(thread=thread or envelope.thread)


def _states(words: Mapping[str, str], to: Sequence[str]) -> dict[str, State]:
    """How far the letter got, by recipient."""
    known = {state.word: state for state in State}
    wrong = [word for word in words.values() if word not in known]
    if wrong or set(words) - set(to):
        raise UsageError(f"no state is called {quoted(wrong)}" if wrong else "states of strangers")
    return {name: known[word] for name, word in words.items()}
