"""Whether a person keeps two apart: asked when a letter is sent, and once more by the guards on the
way of a carrier, for what was sent before."""

import json
from collections.abc import Sequence

from waypost.dialects.message import Message
from waypost.office.delivering import PAIR
from waypost.office.events import Event
from waypost.office.members import POSTMASTER, Member
from waypost.office.states import State
from waypost.office.tables import Tables
from waypost.office.talk import Talk, weighed

_ONE = (
    "SELECT held_by, texts FROM pairs LEFT JOIN contents ON contents.position = noted"
    " WHERE project = ? AND sender = ? AND recipient = ?"
)
_IS_ANY = "SELECT 1 FROM pairs WHERE project = ?"


def why_held(tables: Tables, project: str, sender: str, recipient: str) -> str | None:
    """Why letters from one to another are held; None when they aren't."""
    row = tables.one(_ONE, project, sender, recipient)
    if row is None:
        return None
    reason = reason_in(row[1])
    return f"{row[0]} holds what {sender} writes to {recipient}" + (reason and f": {reason}")


def held_back(
    talk: Talk, tables: Tables, event: Event, message: Message, sender: Member, to: Sequence[Member]
) -> Event:
    """The event of a letter that says for whom it is held: by a guard, or by a person."""
    return kept_back(tables, weighed(talk, tables, event, message, sender, to), sender, to)


def kept_back(tables: Tables, event: Event, sender: Member, to: Sequence[Member]) -> Event:
    """The event of a letter that says for whom it is held, since a person keeps the two apart."""
    data = event.data
    if sender.name == POSTMASTER or not tables.one(_IS_ANY, event.project):
        return event
    states = data.get("states") or [State.STORED] * len(to)
    held, reasons = list(data.get("held", ())), []
    known = {box for box, _ in held}
    for member, state in zip(to, states, strict=True):
        reason = why_held(tables, event.project, sender.name, member.name)
        if reason and state == State.STORED and member.id not in known:
            held.append([member.id, PAIR])
            reasons.append(reason)
    if not reasons:
        return event
    texts = {**(event.texts or {})}
    texts["note"] = "; ".join([*filter(None, [texts.get("note")]), *reasons])
    return event._replace(data={**data, "held": held}, texts=texts)


def reason_in(texts: str | None) -> str:
    """The reason that an event holds."""
    return str(json.loads(texts or "{}").get("reason", ""))
