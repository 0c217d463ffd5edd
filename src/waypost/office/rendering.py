"""A letter in the dialect of whom it goes to: its own bytes, or a translation that is kept.

The id of a translation follows from the letter, so that after a crash the same one is made again.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from waypost.bridge.context import Answered, Context
from waypost.bridge.translate import translate
from waypost.dialects import dialect
from waypost.errors import InvalidMessageError, NoTranslationError
from waypost.office import carrying, consigning
from waypost.office.consigning import Consignment, Rendering
from waypost.office.deciding import Desk
from waypost.office.events import digest
from waypost.office.members import Member

MOST_NAMED = 10  # recipients that OACP's `to` can list


class Ends(NamedTuple):
    """Sender and recipients as the target dialect names them; `lane` keeps translations apart."""

    sender: str
    recipients: Sequence[str]
    lane: str = ""


def render(desk: Desk, letter: Consignment, target: str, ends: Ends) -> Rendering:
    """What a letter is in a dialect; a translation is recorded with its losses before it goes.

    Raises NoTranslationError, InvalidMessageError.
    """
    if letter.message is None:
        raise NoTranslationError("its content was removed")
    if letter.dialect == target:
        return Rendering(letter.id, letter.type, letter.message)
    if made := consigning.rendering(desk, letter.position, target, ends.lane):
        return made
    world = desk.world
    identity = _identity(letter, target, ends.lane)
    context = Context(
        blanks=world.blanks(world.now(), identity),
        sender=ends.sender,
        recipients=tuple(ends.recipients),
        answered=_answered(desk, letter, target),
        thread=letter.thread if target != "acp" else None,
        identity=identity,
    )
    done = translate(dialect(letter.dialect).read(letter.message), target, context)
    losses = tuple(loss.to_json() for loss in done.losses)
    rendering = Rendering(identity, str(done.message.type), done.message.raw, losses)
    carrying.translated(desk, letter, target, ends.lane, rendering)
    return rendering


def for_reader(desk: Desk, position: int, reader: Member, target: str) -> Rendering | None:
    """What a letter is to a member who fetches it and reads one dialect; None: as it was written.

    So it is when it is in that dialect, or can't be said in it. While the journal is away nothing
    can be recorded, so only a translation that was made before is shown.
    """
    letter = consigning.consignment(desk, position)
    if letter.dialect == target or letter.message is None:
        return None
    ends = Ends(letter.sender, letter.to)
    if len(letter.to) > MOST_NAMED:
        ends = Ends(letter.sender, (reader.name,), reader.name)
    if desk.journal.is_stale:
        return consigning.rendering(desk, position, target, ends.lane)
    with suppress(NoTranslationError, InvalidMessageError):
        return render(desk, letter, target, ends)
    return None


def _identity(letter: Consignment, target: str, lane: str) -> str:
    """A UUID that only this translation has."""
    of = digest(f"{letter.project}\0{letter.sender}\0{letter.id}\0{target}\0{lane}".encode())
    return f"{of[:8]}-{of[8:12]}-4{of[13:16]}-a{of[17:20]}-{of[20:32]}"


def _answered(desk: Desk, letter: Consignment, target: str) -> Answered | None:
    """The letter that is answered, as those who speak the target dialect know it."""
    if letter.reply_to is None:
        return None
    parent = consigning.letter_meant(desk, letter.project, letter.reply_to)
    known = consigning.known_as(desk, parent, target) if parent else None
    if parent is None or known is None:
        return None
    return Answered(known[1], known[0], own=parent.sender == letter.sender)
