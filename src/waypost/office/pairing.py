"""Pairs that a person keeps apart: letters from one to the other are stored, and held for now.

Whether a letter is held for that is asked in `apart`.
"""

from typing import NamedTuple

from waypost.errors import NotFoundError, UsageError, quoted
from waypost.letters.names import did_you_mean
from waypost.office import members
from waypost.office.apart import reason_in
from waypost.office.callers import Caller
from waypost.office.checks import required_text
from waypost.office.deciding import Desk, event_of
from waypost.office.delivering import PAIR
from waypost.office.events import Entry, Event, Json
from waypost.office.looking import person_of
from waypost.office.tables import Tables
from waypost.office.views import filled, when

_ALL = (
    "SELECT sender, recipient, held_by, since, texts, (SELECT count(*) FROM waiting"
    "  JOIN letters ON letters.position = letter JOIN agents ON agents.id = agent"
    "  WHERE next_at IS NULL AND guard = ?1 AND letters.project = pairs.project"
    "  AND letters.sender = pairs.sender AND agents.name = recipient)"
    " FROM pairs LEFT JOIN contents ON contents.position = noted"
    " WHERE project = ?2 ORDER BY since DESC, sender, recipient"
)
_NAMES = "SELECT name FROM agents WHERE project = ?"


class HeldPair(NamedTuple):
    """From whom to whom letters are held, by whom, since when, why, and how many wait now."""

    sender: str
    to: str
    held_by: str
    since: int
    reason: str = ""
    letters: int = 0

    def to_json(self) -> Json:
        shown = {"from": self.sender, "to": self.to, "held_by": self.held_by}
        rest = {"since": when(self.since), "reason": self.reason}
        return {**shown, **filled(rest), "letters": self.letters}


class Pairs(NamedTuple):
    """The pairs that were held or released."""

    pairs: tuple[HeldPair, ...]

    def to_json(self) -> Json:
        return {"pairs": [one.to_json() for one in self.pairs]}


def held_pairs(desk: Desk, caller: Caller) -> tuple[HeldPair, ...]:
    """Whose letters to whom are held, the latest first."""
    with desk.database.reading() as tables:
        person_of(tables, caller)
        return all_held(tables, caller.project)


def all_held(tables: Tables, project: str) -> tuple[HeldPair, ...]:
    """Every held pair of a project."""
    rows = tables.all(_ALL, PAIR, project)
    return tuple(
        HeldPair(sender, to, held_by, since, reason_in(texts), letters)
        for sender, to, held_by, since, texts, letters in rows
    )


def hold_pair(
    desk: Desk, caller: Caller, sender: str, to: str, reason: str, both_ways: bool = True
) -> Pairs:
    """Keep letters from one to another, and back, until they are released; nobody is told.

    Raises NotAllowedError, NotFoundError, UsageError.
    """
    why = required_text(reason, "the reason", 1000)
    now = desk.world.now()

    def decision(tables: Tables) -> Event:
        person_of(tables, caller)
        pairs = _pairs(tables, caller.project, sender, to, both_ways=both_ways)
        return event_of(caller, "pairs.held", now, {"pairs": pairs}, {"reason": why})

    def shown(entry: Entry) -> Pairs:
        pairs = entry.event.data["pairs"]
        return Pairs(tuple(HeldPair(one, other, caller.agent, now, why) for one, other in pairs))

    return desk.decide([f"pairs:{caller.project}"], decision, shown)


def release_pair(desk: Desk, caller: Caller, sender: str, to: str, both_ways: bool = True) -> Pairs:
    """Let the letters between two go on, those that were held first. Raises NotFoundError."""
    now = desk.world.now()
    found: list[HeldPair] = []

    def decision(tables: Tables) -> Event:
        person_of(tables, caller)
        pairs = _pairs(tables, caller.project, sender, to, both_ways=both_ways)
        found[:] = [
            one for one in all_held(tables, caller.project) if [one.sender, one.to] in pairs
        ]
        if not found:
            raise NotFoundError(
                f"no letters from {sender} to {to} are held", hint="waypost flow shows who is"
            )
        data = {"pairs": [[one.sender, one.to] for one in found]}
        return event_of(caller, "pairs.released", now, data)

    return desk.decide([f"pairs:{caller.project}"], decision, lambda _: Pairs(tuple(found)))


def _pairs(
    tables: Tables, project: str, sender: str, to: str, *, both_ways: bool
) -> list[list[str]]:
    """The ways that are meant. Raises NotFoundError, UsageError."""
    for name in (sender, to):
        if members.find(tables, project, name) is None:
            near = did_you_mean(name, [row[0] for row in tables.all(_NAMES, project)])
            said = f"no agent called {quoted(name)} in {project}"
            raise NotFoundError(said, hint=near or "agents lists all")
    if sender == to:
        raise UsageError("a pair is two different names")
    return [[sender, to], [to, sender]] if both_ways else [[sender, to]]
