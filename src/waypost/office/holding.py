"""Letters that a guard holds until a person decides: which they are, and the decision."""

import json
from typing import NamedTuple

from waypost.errors import NotFoundError, UsageError, quoted
from waypost.office import bouncing, carrying, consigning
from waypost.office.consigning import Pending
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.tables import Row

_HELD = (
    "SELECT letters.id, sender, agents.name, subject, guard, texts, letters.position, agents.id,"
    " carrier, agents.key_id, tries, since FROM waiting"
    " JOIN letters ON letters.position = letter JOIN agents ON agents.id = agent"
    " LEFT JOIN contents ON contents.position = waiting.noted"
    " WHERE next_at IS NULL AND letters.project = ? ORDER BY letters.position"
)
ALLOWED = "allowed"


class Held(NamedTuple):
    """A letter on hold on its way to one recipient: which guard holds it, and why."""

    id: str
    sender: str
    to: str
    subject: str
    guard: str
    reason: str
    delivery: Pending

    def to_json(self) -> Json:
        shown = {"id": self.id, "from": self.sender, "to": self.to, "subject": self.subject}
        return {**shown, "guard": self.guard, "reason": self.reason}


def held(desk: Desk, project: str) -> list[Held]:
    """The letters of a project that wait for a person's word, the oldest first."""
    with desk.database.reading() as tables:
        rows = tables.all(_HELD, project)
    return [_held(row, project) for row in rows]


def _held(row: Row, project: str) -> Held:
    why = json.loads(row[5] or "{}").get("note", "")
    carrier = (row[8], row[9], row[10], None, row[4], row[11])
    delivery = Pending(row[6], row[7], row[2], project, *carrier)
    return Held(row[0], row[1], row[2], row[3], row[4], why, delivery)


def let_go(desk: Desk, project: str, letter: str, *, goes_on: bool) -> list[Held]:
    """Send a held letter on after all, or back to its sender. Raises NotFoundError, UsageError."""
    meant = [one for one in held(desk, project) if one.id.startswith(letter) and letter]
    if not meant:
        raise NotFoundError(
            f"no letter with the id {quoted(letter)} is held", hint="waypost held lists them"
        )
    if len({one.id for one in meant}) > 1:
        raise UsageError(f"{quoted(letter)} is the beginning of several ids", hint="say more of it")
    for one in meant:
        if goes_on:
            carrying.let_on(desk, one.delivery, "a person lets it go on", ALLOWED)
        else:
            whole = consigning.consignment(desk, one.delivery.letter)
            bouncing.bounce(desk, whole, one.delivery, f"a person decided so: {one.reason}")
    return meant
