"""Whom our live agents trust: the lists are files beside their keys; the journal says who changed
them, and when."""

from waypost.office import members
from waypost.office.callers import Caller
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event
from waypost.office.tables import Tables


def note_trust(
    desk: Desk, caller: Caller, agent: str, peer: str, key_id: str, *, is_trusted: bool
) -> None:
    """Note that an agent trusts a key under a name, or trusts it no more."""
    now = desk.world.now()
    kind = "peer.enrolled" if is_trusted else "peer.revoked"

    def decision(tables: Tables) -> Event:
        members.of_caller(tables, caller)
        data = {"agent": agent, "name": peer, "key_id": key_id}
        return event_of(caller, kind, now, data)

    desk.decide([], decision, lambda _: None)
