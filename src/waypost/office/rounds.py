"""Rounds of decisions: whoever comes first decides for all who came meanwhile.

Threads that decide at once would only take the interpreter from each other, and from the one that
writes. So one decides for all that wait and brings it to the journal in one piece; as soon as that
can take nobody along any more, the next begins with those who came since. Everybody else is woken
once, with the answer. A decision that others were faster than is made again in a later round.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from waypost.errors import OfficeBusyError
from waypost.office.database import Database
from waypost.office.events import Entry, Event
from waypost.office.journal import Journal, Proposal, StaleError
from waypost.office.tables import Tables

_MOST_AT_ONCE = 256
_MOST_ATTEMPTS = 200


class _Wish:
    """A decision that somebody waits for: or for being told to lead a round."""

    __slots__ = ("answer", "attempts", "decision", "error", "is_done", "is_gone", "leads",
                 "proposal", "scopes", "woken")  # fmt: skip

    def __init__(self, scopes: Sequence[str], decision: Callable[[Tables], Any]) -> None:
        self.scopes = scopes
        self.decision = decision
        self.proposal: Proposal | None = None
        self.answer: Any = None
        self.error: BaseException | None = None
        self.attempts = 0
        self.is_done = self.is_gone = self.leads = False
        self.woken = threading.Lock()
        self.woken.acquire()

    def end(self, answer: Any = None, error: BaseException | None = None) -> None:
        self.answer, self.error, self.is_done = answer, error, True


class Rounds:
    """The decisions of one process, round by round."""

    def __init__(self, journal: Journal, database: Database) -> None:
        self._journal = journal
        self._database = database
        self._waiting: list[_Wish] = []
        self._lock = threading.Lock()
        self._is_led = False

    def settle(self, scopes: Sequence[str], decision: Callable[[Tables], Any]) -> Any:
        """Give the entry that a decision's event became, or what it gave in place of an event.

        Raises what it raises, OfficeBusyError, or an error of the world.
        """
        wish = _Wish(scopes, decision)
        try:
            with self._lock:
                self._waiting.append(wish)
                is_first = wish.leads = not self._is_led
                self._is_led = True
            if is_first:
                self._lead(wish)
            while not wish.is_done:
                wish.woken.acquire()
                if wish.leads:
                    self._lead(wish)
        except BaseException:
            self._leave(wish)
            raise
        if wish.error is not None:
            raise wish.error
        return wish.answer

    def _leave(self, wish: _Wish) -> None:
        """Whoever is interrupted mustn't leave the others without somebody who leads."""
        with self._lock:
            wish.is_gone = True
            if wish in self._waiting:
                self._waiting.remove(wish)
            if wish.leads:
                self._pass_on(wish)

    def _lead(self, own: _Wish) -> None:
        """Decide and write for all who wait now; those whose time hasn't come wait on."""
        batch: list[_Wish] = []
        try:
            with self._lock:
                batch, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
            self._append(self._decide(batch), own)
        finally:
            with self._lock:
                again = [wish for wish in batch if not (wish.is_done or wish.is_gone)]
                self._waiting[:0] = again
                if own.leads or (again and not self._is_led):
                    self._pass_on(own)
            for wish in batch:
                if wish.is_done and wish is not own:
                    wish.woken.release()

    def _pass_on(self, own: _Wish) -> None:
        own.leads = False
        self._is_led = bool(self._waiting)
        if self._waiting:
            self._waiting[0].leads = True
            self._waiting[0].woken.release()

    def _decide(self, batch: Sequence[_Wish]) -> list[_Wish]:
        """Make the decisions; gives those with an event. Two on one scope aren't made at once."""
        moved: set[str] = set()
        proposed = []
        for wish in batch:
            if not moved.isdisjoint(wish.scopes):
                continue
            try:
                self._ask(wish)
            except Exception as error:
                wish.end(error=error)
            if wish.proposal is not None and not wish.is_done:
                proposed.append(wish)
                moved.update(wish.scopes)
        return proposed

    def _ask(self, wish: _Wish) -> None:
        wish.proposal = None
        with self._database.reading() as tables:
            expect = {scope: tables.position_of(scope) for scope in wish.scopes}
            decided = wish.decision(tables)
        if isinstance(decided, Event):
            wish.proposal = Proposal(decided, expect)
        else:
            wish.end(decided)

    def _append(self, proposed: Sequence[_Wish], own: _Wish) -> None:
        if not proposed:
            return

        def begun() -> None:
            with self._lock:
                self._pass_on(own)

        try:
            proposals = [wish.proposal for wish in proposed if wish.proposal is not None]
            outcomes = self._journal.append(proposals, begun)
        except Exception as error:
            outcomes = [error] * len(proposed)
        for wish, outcome in zip(proposed, outcomes, strict=True):
            wish.attempts += 1
            if isinstance(outcome, Entry):
                wish.end(outcome)
            elif not isinstance(outcome, StaleError):
                wish.end(error=outcome)
            elif wish.attempts == _MOST_ATTEMPTS:
                wish.end(error=_too_many())


def _too_many() -> OfficeBusyError:
    return OfficeBusyError(
        "too many want to change the same thing at once",
        hint="nothing was changed; do it again in a moment",
        retryable=True,
    )
