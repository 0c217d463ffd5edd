"""What a person does about letters that don't get on: try again, give to somebody else, discard.

Each takes one letter or many. All are looked up before anything is done; then every delivery is a
decision of its own, and what moved on by itself meanwhile is left alone.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from waypost.errors import ConflictError, UsageError, quoted
from waypost.office import bouncing, consigning, finding, members
from waypost.office.callers import Caller
from waypost.office.checks import free_text, names_of, required_text
from waypost.office.consigning import Pending
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event, Json
from waypost.office.holding import ALLOWED
from waypost.office.looking import person_of
from waypost.office.members import FOLDER, KEY, Member
from waypost.office.states import State
from waypost.office.tables import Tables
from waypost.office.views import filled

MOST_AT_ONCE = 200
_DELIVERIES = (
    "SELECT letters.id, state, waiting.letter IS NOT NULL, deliveries.letter, agents.id,"
    " agents.name, agents.project, carrier, agents.key_id, coalesce(tries, 0), next_at, guard,"
    " since FROM deliveries JOIN letters ON letters.position = deliveries.letter"
    " JOIN agents ON agents.id = deliveries.agent LEFT JOIN waiting"
    " ON waiting.letter = deliveries.letter AND waiting.agent = deliveries.agent"
    " WHERE deliveries.letter = ? ORDER BY agents.id"
)
_STATE = "SELECT state FROM deliveries WHERE letter = ? AND agent = ?"
_ENVELOPE = "SELECT sender, dialect, expires_at FROM letters WHERE position = ?"
_FAILED = (State.BOUNCED, State.EXPIRED)


class Mended(NamedTuple):
    """A delivery that something was done about, and who has the letter now."""

    id: str
    recipient: str
    to: str | None = None

    def to_json(self) -> Json:
        return filled(self._asdict())


class Deeds(NamedTuple):
    """What was done, delivery by delivery."""

    letters: tuple[Mended, ...]

    def to_json(self) -> Json:
        return {"letters": [one.to_json() for one in self.letters]}


class _Found(NamedTuple):
    """A delivery as it stands."""

    id: str
    state: State
    is_waiting: bool
    delivery: Pending


def _is_undelivered(one: _Found) -> bool:
    return one.is_waiting or one.state in _FAILED


def _can_go_again(one: _Found) -> bool:
    return one.is_waiting or one.state == State.BOUNCED


def _can_go_elsewhere(one: _Found) -> bool:
    return _is_undelivered(one) or one.state <= State.HANDED_OVER


def retry(
    desk: Desk, caller: Caller, letters: str | Sequence[str], recipient: str | None = None
) -> Deeds:
    """Try again now what waits or came back; what is held goes on.

    Of a letter to several, `recipient` says whose delivery. Raises ConflictError, NotFoundError.
    """

    def do(one: _Found) -> bool:
        if one.state == State.BOUNCED:
            return _reopen(desk, caller, one)
        return _hurry(desk, caller, one)

    return _each(desk, caller, letters, recipient, _can_go_again, do)


def redirect(
    desk: Desk,
    caller: Caller,
    letters: str | Sequence[str],
    to: str,
    reason: str | None = None,
    recipient: str | None = None,
) -> Deeds:
    """Give letters that nobody has read to somebody else; their first recipients lose them.

    Sender, thread and bytes stay. Raises ConflictError, NotFoundError, UnknownRecipientError.
    """
    why = free_text(reason, "the reason", 1000).strip()

    def do(one: _Found) -> bool:
        return _redirect(desk, caller, one, to, why)

    return _each(desk, caller, letters, recipient, _can_go_elsewhere, do, to)


def discard(
    desk: Desk,
    caller: Caller,
    letters: str | Sequence[str],
    reason: str,
    recipient: str | None = None,
) -> Deeds:
    """Take what doesn't arrive off the list, with a reason; who was waiting for it is told.

    Raises ConflictError, NotFoundError.
    """
    why = f"{caller.agent} discarded it: {required_text(reason, 'the reason', 1000).strip()}"

    def do(one: _Found) -> bool:
        if one.state == State.STORED:
            whole = consigning.consignment(desk, one.delivery.letter)
            bouncing.bounce(desk, whole, one.delivery, why, caller, State.WITHDRAWN)
            return True
        return _close(desk, caller, one, why)

    return _each(desk, caller, letters, recipient, _is_undelivered, do)


def _each(
    desk: Desk,
    caller: Caller,
    letters: str | Sequence[str],
    recipient: str | None,
    can: Callable[[_Found], bool],
    do: Callable[[_Found], bool],
    to: str | None = None,
) -> Deeds:
    wanted = names_of(letters)
    if not 1 <= len(wanted) <= MOST_AT_ONCE:
        raise UsageError(f"name 1 to {MOST_AT_ONCE} letters", hint="waypost undelivered lists them")
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        found = [
            one for named in dict.fromkeys(wanted)
            for one in _chosen(tables, caller, me, named, recipient, can)
        ]  # fmt: skip
        if to is not None:
            for one in found:
                _new_recipient(tables, caller, one, to, desk.world.now())
    done = [one for one in found if do(one)]
    return Deeds(tuple(Mended(one.id, one.delivery.name, to) for one in done))


def _chosen(
    tables: Tables,
    caller: Caller,
    me: Member,
    named: str,
    recipient: str | None,
    can: Callable[[_Found], bool],
) -> list[_Found]:
    """The deliveries of a letter that are meant, and that something can be done about."""
    rows = tables.all(_DELIVERIES, finding.position_of(tables, caller.project, me, named))
    all_found = [_Found(row[0], State(row[1]), bool(row[2]), Pending(*row[3:])) for row in rows]
    meant = [one for one in all_found if recipient in (None, one.delivery.name)]
    open_ones = [one for one in meant if can(one)]
    failing = [one for one in open_ones if _is_undelivered(one)]
    if not open_ones:
        stands = ", ".join(f"{one.delivery.name}: {one.state.word}" for one in meant[:5])
        raise ConflictError(
            f"nothing is to be done about {quoted(named)}"
            + (f" any more ({stands})" if stands else f" for {recipient}"),
            hint="waypost undelivered lists what can be helped",
        )
    if not failing and len(open_ones) > 1:
        names = ", ".join(one.delivery.name for one in open_ones[:5])
        raise UsageError(f"{quoted(named)} is unread by {names}", hint="say which with --for")
    return failing or open_ones


def _new_recipient(tables: Tables, caller: Caller, one: _Found, to: str, now: int) -> Member:
    """Who gets a letter instead. Raises UnknownRecipientError, NotAllowedError, ConflictError."""
    sender, dialect, expires_at = tables.one(_ENVELOPE, one.delivery.letter) or ("", "", None)
    writer = members.find(tables, caller.project, sender)
    asks = writer or members.of_caller(tables, caller)
    (member,) = members.recipients(tables, asks, caller.project, [_single(to)])
    if tables.one(_STATE, one.delivery.letter, member.id) is not None:
        raise ConflictError(f"{to} has the letter {one.id} already", hint="choose somebody else")
    if sender == to:
        raise ConflictError(f"{to} wrote the letter {one.id}", hint="choose somebody else")
    if member.carrier == KEY and dialect == "acp":
        raise ConflictError(
            f"the letter {one.id} is addressed to another key than that of {to}",
            hint="choose an agent with a mailbox, or write it anew",
        )
    if expires_at is not None and expires_at <= now:
        raise ConflictError(
            f"the time of the letter {one.id} is over", hint="write it anew, or discard it"
        )
    return member


def _single(to: str) -> str:
    if to in ("*", members.EVERYONE):
        raise UsageError("a letter is redirected to one recipient", hint="name one")
    return to


def _redirect(desk: Desk, caller: Caller, one: _Found, to: str, why: str) -> bool:
    now, letter, box = desk.world.now(), one.delivery.letter, one.delivery.box
    note = f"{caller.agent} gave it to {to}" + (f": {why}" if why else "")

    def decision(tables: Tables) -> Event | bool:
        state = tables.value(_STATE, letter, box)
        if state > State.HANDED_OVER and state not in _FAILED:
            return False  # it was read meanwhile
        member = _new_recipient(tables, caller, one, to, now)
        data = {"delivery": [letter, box], "box": member.id, "shown_to": member.name}
        return event_of(caller, "letter.redirected", now, data, {"note": note})

    scopes = [f"delivery:{letter}/{box}", f"handover:{letter}"]
    return desk.decide(scopes, decision, lambda _: True)


def _reopen(desk: Desk, caller: Caller, one: _Found) -> bool:
    now, letter, box = desk.world.now(), one.delivery.letter, one.delivery.box

    def decision(tables: Tables) -> Event | bool:
        if tables.value(_STATE, letter, box) != State.BOUNCED:
            return False
        data = {"delivery": [letter, box], "shown_to": one.delivery.name}
        note = {"note": f"{caller.agent} has it tried again"}
        return event_of(caller, "delivery.reopened", now, data, note)

    return desk.decide([f"delivery:{letter}/{box}"], decision, lambda _: True)


def _hurry(desk: Desk, caller: Caller, one: _Found) -> bool:
    """Have a delivery tried at once; one that a guard holds is let go on."""
    now, delivery = desk.world.now(), one.delivery
    data: Json = {"delivery": [delivery.letter, delivery.box], "tries": delivery.tries}
    data |= {"next_at": now, "guard": ALLOWED if delivery.guard else ""}
    if delivery.carrier not in (FOLDER, KEY):
        data["shown_to"] = delivery.name
    note = {"note": f"{caller.agent} " + ("lets it go on" if delivery.guard else "has it tried")}

    def decision(tables: Tables) -> Event | bool:
        if tables.value(_STATE, delivery.letter, delivery.box) != State.STORED:
            return False
        return event_of(caller, "delivery.waits", now, data, note)

    scope = f"delivery:{delivery.letter}/{delivery.box}"
    return desk.decide([scope], decision, lambda _: True)


def _close(desk: Desk, caller: Caller, one: _Found, why: str) -> bool:
    now, letter, box = desk.world.now(), one.delivery.letter, one.delivery.box

    def decision(tables: Tables) -> Event | bool:
        if tables.value(_STATE, letter, box) not in _FAILED:
            return False
        data: Json = {"deliveries": [[letter, box]], "state": State.WITHDRAWN}
        return event_of(caller, "letters.moved", now, data | {"closes": True}, {"note": why})

    return desk.decide([f"delivery:{letter}/{box}"], decision, lambda _: True)
