"""Bringing back what somebody put away: the way back from `done`."""

from waypost.errors import ConflictError, NotAllowedError, quoted
from waypost.office import finding, members
from waypost.office.callers import Caller, checked_caller
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event
from waypost.office.members import FOLDER
from waypost.office.states import State
from waypost.office.tables import Tables
from waypost.office.views import Header


def bring_back(desk: Desk, caller: Caller, letter: str) -> Header:
    """Put a letter that was put away back on the caller's list.

    Raises ConflictError when it isn't put away, or when its file is.
    """
    checked_caller(caller)
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = members.of_caller(tables, caller)
        position = finding.position_of(tables, caller.project, me, letter)
        owner = finding.mailbox_of(tables, caller.project, position, me)
    if owner is None:
        raise NotAllowedError(f"the letter {quoted(letter)} didn't go to {caller.agent}")
    if owner.carrier == FOLDER:
        raise ConflictError("its file is in the archive", hint="move the file back to the inbox")

    def decision(tables: Tables) -> Event | None:
        delivery = finding.delivery_of(tables, position, owner, now)
        assert delivery is not None
        if delivery.state < State.DONE:
            return None
        if delivery.state != State.DONE:
            raise ConflictError(f"that letter was {delivery.state.word}")
        state = State.READ if delivery.accepted is None else State.ACKNOWLEDGED
        data = {"delivery": [position, owner.id], "state": state}
        return event_of(caller, "delivery.reopened", now, data)

    desk.decide([f"delivery:{position}/{owner.id}"], decision, lambda _: None)
    with desk.database.reading() as tables:
        return finding.header_at(tables, position, me, now)
