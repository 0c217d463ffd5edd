"""What a letter says, to whoever may see it: as it was written, or in the dialect that one reads.

Reading shows what a letter says, and is journalled when it happens for the first time.
"""

import json

from waypost.office import finding, members, rendering
from waypost.office.callers import Caller, checked_caller
from waypost.office.consigning import Rendering
from waypost.office.deciding import Desk
from waypost.office.events import unseal
from waypost.office.inboxes import mark
from waypost.office.members import Member
from waypost.office.states import State, follows
from waypost.office.tables import Tables
from waypost.office.views import Letter

_WHOLE = (
    "SELECT head, texts, message, door, redacted_at FROM letters JOIN events USING (position)"
    " LEFT JOIN contents USING (position) WHERE position = ?"
)
_NOTE = "SELECT texts FROM contents WHERE position = ?"


def read(
    desk: Desk, caller: Caller, letter: str, peek: bool = False, original: bool = False
) -> Letter:
    """A whole letter; its recipient has read it then, unless it only peeks.

    A reader with a dialect of its own gets it in that one, unless it wants the `original`.
    Raises NotFoundError.
    """
    checked_caller(caller)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        position = finding.position_of(tables, caller.project, me, letter)
        owner = finding.mailbox_of(tables, caller.project, position, me)
        delivery = finding.delivery_of(tables, position, owner, now) if owner else None
    if owner and delivery and not peek and follows(delivery.state, State.READ):
        mark(desk, caller, [(position, owner.id)], State.READ)
    with desk.database.reading() as tables:
        found = whole(tables, position, me, now)
        dialect = members.dialect_of(tables, owner) if owner and not original else None
    if owner is None or dialect is None:
        return found
    made = rendering.for_reader(desk, position, owner, dialect)
    return _said(found, dialect, made) if made else found


def _said(letter: Letter, dialect: str, made: Rendering) -> Letter:
    """A letter as its translation says it."""
    from waypost.dialects import dialect as named

    fields = named(dialect).read(made.message).fields or {}
    written = {"dialect": letter.header.dialect, "type": letter.header.type}
    header = letter.header._replace(dialect=dialect, type=made.type)
    return letter._replace(
        header=header, message=made.message, fields=fields, original=written, losses=made.losses
    )


def whole(tables: Tables, position: int, member: Member, now: int) -> Letter:
    """A letter with all that is kept of it."""
    from waypost.dialects import dialect

    row = tables.one(_WHOLE, position)
    assert row is not None
    event = unseal(position, *row[:3]).event
    header = finding.header_at(tables, position, member, now)
    fields = dialect(header.dialect).read(event.message).fields if event.message else None
    delivery = finding.delivery_of(tables, position, member, now)
    note = tables.value(_NOTE, delivery.noted) if delivery and delivery.noted else None
    options = tuple((event.texts or {}).get("options", ()))
    return Letter(header, row[3], event.message, fields or {}, _note(note), options, row[4])


def _note(texts: str | None) -> str | None:
    return json.loads(texts).get("note") if texts else None
