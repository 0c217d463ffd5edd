"""Decide, append, and decide again when somebody was faster: what every use-case does.

Where the scopes stand is noted *before* the tables are asked. So whatever moves them afterwards
makes the append stale, and the decision is made anew on what is known then.
"""

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from waypost.errors import OfficeBusyError
from waypost.office.callers import Caller
from waypost.office.database import Database
from waypost.office.events import Entry, Event, Json
from waypost.office.journal import Journal, StaleError
from waypost.office.tables import Tables
from waypost.office.talk import Talk
from waypost.office.world import World

Answer = TypeVar("Answer")
_MOST_ATTEMPTS = 200


class Desk(NamedTuple):
    """What a use-case works with.

    One decision is made at a time in a process, while others are written to the disk: threads that
    decide at once would only take the interpreter from each other, and from the one that writes.
    """

    journal: Journal
    database: Database
    world: World
    thinking: threading.Lock
    talk: Talk

    def decide(
        self,
        scopes: Sequence[str],
        decision: Callable[[Tables], Event | Answer],
        shown: Callable[[Entry], Answer],
    ) -> Answer:
        """Bring a decision into the journal. It gives an event, or the answer if there is none.

        Raises whatever the decision raises, OfficeBusyError, or an error of the world.
        """
        for _ in range(_MOST_ATTEMPTS):
            with self.thinking, self.database.reading() as tables:
                expect = {scope: tables.position_of(scope) for scope in scopes}
                decided = decision(tables)
            if not isinstance(decided, Event):
                return decided
            try:
                return shown(self.journal.append(decided, expect))
            except StaleError:
                continue
        raise OfficeBusyError(
            "too many want to change the same thing at once",
            hint="nothing was changed; do it again in a moment",
            retryable=True,
        )


def event_of(caller: Caller, kind: str, now: int, data: Json, texts: Json | None = None) -> Event:
    """An event that a caller causes; facts that aren't known are left out."""
    known = {key: value for key, value in data.items() if value is not None}
    who = caller.project, caller.agent, caller.door, caller.proof
    return Event(kind, *who, now, known, texts or None)
