"""A message of a type that nobody knows is refused, and the journal says so to whoever asks why."""

from waypost.errors import visible
from waypost.office import members
from waypost.office.callers import Caller
from waypost.office.checks import LONGEST_LINE
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event
from waypost.office.tables import Tables


def unknown_type(desk: Desk, caller: Caller, kind: str, message_id: str | None) -> None:
    """Note that the caller tried to send what no dialect has. Raises if nobody knows the caller."""
    now = desk.world.now()

    def decision(tables: Tables) -> Event:
        members.of_caller(tables, caller)
        facts = {"error": "unknown_type", "id": message_id and visible(message_id[:LONGEST_LINE])}
        texts = {"type": visible(kind[:LONGEST_LINE])}
        return event_of(caller, "message.refused", now, facts, texts)

    desk.decide([], decision, lambda _: None)
