"""A letter in the dialect of whom it goes to: its own bytes, or a translation that is kept.

The id of a translation follows from the letter, so that after a crash the same one is made again.
"""

from collections.abc import Sequence
from typing import NamedTuple

from waypost.bridge.context import Answered, Context
from waypost.bridge.translate import translate
from waypost.dialects import dialect
from waypost.errors import NoTranslationError
from waypost.office import Office, carrying, consigning
from waypost.office.consigning import Consignment, Rendering
from waypost.office.events import digest


class Ends(NamedTuple):
    """Sender and recipients as the target dialect names them; `lane` keeps translations apart."""

    sender: str
    recipients: Sequence[str]
    lane: str = ""


def render(office: Office, letter: Consignment, target: str, ends: Ends) -> Rendering:
    """What a letter is in a dialect; a translation is recorded with its losses before it goes.

    Raises NoTranslationError, InvalidMessageError.
    """
    if letter.message is None:
        raise NoTranslationError("its content was removed")
    if letter.dialect == target:
        return Rendering(letter.id, letter.type, letter.message)
    if made := consigning.rendering(office.desk, letter.position, target, ends.lane):
        return made
    world = office.desk.world
    identity = _identity(letter, target, ends.lane)
    context = Context(
        blanks=world.blanks(world.now(), identity),
        sender=ends.sender,
        recipients=tuple(ends.recipients),
        answered=_answered(office, letter, target),
        thread=letter.thread if target != "acp" else None,
        identity=identity,
    )
    done = translate(dialect(letter.dialect).read(letter.message), target, context)
    rendering = Rendering(identity, str(done.message.type), done.message.raw)
    losses = [loss.to_json() for loss in done.losses]
    carrying.translated(office.desk, letter, target, ends.lane, rendering, losses)
    return rendering


def _identity(letter: Consignment, target: str, lane: str) -> str:
    """A UUID that only this translation has."""
    of = digest(f"{letter.project}\0{letter.sender}\0{letter.id}\0{target}\0{lane}".encode())
    return f"{of[:8]}-{of[8:12]}-4{of[13:16]}-a{of[17:20]}-{of[20:32]}"


def _answered(office: Office, letter: Consignment, target: str) -> Answered | None:
    """The letter that is answered, as those who speak the target dialect know it."""
    if letter.reply_to is None:
        return None
    parent = consigning.letter_meant(office.desk, letter.project, letter.reply_to)
    known = consigning.known_as(office.desk, parent, target) if parent else None
    if parent is None or known is None:
        return None
    return Answered(known[1], known[0], own=parent.sender == letter.sender)
