"""The journal as the office sees it: an append-only list of events that many share.

A scope is a name for what a decision depends on: an agent's name, a project's reservations, a
letter's id. Whoever decides notes where each of its scopes stands *before* it looks at the tables,
and appends on the condition that they still stand there. Work on other scopes never gets in the
way. An engine may be one file or a cluster; when `append` returns, the event is durable, and the
tables that this process reads have it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from waypost.office.events import Entry, Event
from waypost.office.journal.company import Company

Expected = Mapping[str, int]  # by scope: the position of its last event; 0 for none
Listener = Callable[[int], None]


class StaleError(Exception):
    """A scope moved while its decision was made: decide again. Never reaches a user."""


class Proposal(NamedTuple):
    """An event, to be added if every scope still stands where expected; it moves them all."""

    event: Event
    expect: Expected


Outcome = Entry | Exception


class Journal(Protocol):
    """What a use-case may ask of the journal."""

    def append(self, proposals: Sequence[Proposal], begun: Callable[[], None]) -> list[Outcome]:
        """Add events; each stands for itself. Gives what became of each, in their order.

        That is an entry, a StaleError, or an error of the world (busy, disk full), after which the
        event is in the journal once or not at all. `begun` is called once nothing that comes later
        could go along: the time to prepare the next. Raises what keeps it from even beginning.
        """
        ...

    def read(self, after: int, limit: int) -> list[Entry]:
        """The events behind a position, in order."""
        ...

    def last(self) -> int:
        """The position of the last event that this process can see; 0 before the first."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Wait until there is an event behind a position; gives the last position seen."""
        ...

    def add_listener(self, listener: Listener) -> Callable[[], None]:
        """Call with the newest position after every change, from any thread; gives the way out."""
        ...

    def erase(self, positions: Sequence[int]) -> None:
        """Leave no bytes of the contents that an event removed, wherever this engine keeps them.

        Raises an error of the world; then it can be done again.
        """
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What keeps this journal from all that the office promises, for whoever runs it."""
        ...

    @property
    def is_stale(self) -> bool:
        """Whether others may have written what this process can't see at the moment."""
        ...

    @property
    def company(self) -> Company:
        """The nodes that share this journal."""
        ...

    def close(self) -> None:
        """Let go of everything that is held."""
        ...
