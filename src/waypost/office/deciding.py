"""Decide, append, and decide again when somebody was faster: what every use-case does.

Where the scopes stand is noted *before* the tables are asked. So whatever moves them afterwards
makes the append stale, and the decision is made anew on what is known then.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from waypost.office.callers import Caller
from waypost.office.database import Database
from waypost.office.events import Entry, Event, Json
from waypost.office.journal import Journal
from waypost.office.rounds import Rounds
from waypost.office.tables import Tables
from waypost.office.talk import Talk
from waypost.office.world import World

Answer = TypeVar("Answer")


class Desk(NamedTuple):
    """What a use-case works with."""

    journal: Journal
    database: Database
    world: World
    rounds: Rounds
    talk: Talk

    def decide(
        self,
        scopes: Sequence[str],
        decision: Callable[[Tables], Event | Answer],
        shown: Callable[[Entry], Answer],
    ) -> Answer:
        """Bring a decision into the journal. It gives an event, or the answer if there is none.

        It may be made in another thread, and more than once. Raises whatever the decision raises,
        OfficeBusyError, or an error of the world.
        """
        settled: Entry | Answer = self.rounds.settle(scopes, decision)
        return shown(settled) if isinstance(settled, Entry) else settled


def event_of(caller: Caller, kind: str, now: int, data: Json, texts: Json | None = None) -> Event:
    """An event that a caller causes; facts that aren't known are left out."""
    known = {key: value for key, value in data.items() if value is not None}
    who = caller.project, caller.agent, caller.door, caller.proof
    return Event(kind, *who, now, known, texts or None)
