"""What a translation could not say: where it stood in the source, a sentence, and why. Pure."""

from enum import StrEnum
from typing import NamedTuple

from waypost.bridge.table import TITLES
from waypost.errors import At, dotted


class Reason(StrEnum):
    """Why something is not in the translation."""

    NO_PLACE = "no_place"
    COARSER = "coarser"
    DEMANDED = "demanded"
    ENVELOPE = "envelope"
    UNFIT = "unfit"


MEANINGS = {
    Reason.NO_PLACE: "the type that it becomes has no place for it",
    Reason.COARSER: "the target can say it only roughly",
    Reason.DEMANDED: "another type would fit better, but demands what nobody gave",
    Reason.ENVELOPE: "the target's messages don't hold it; the office keeps it with the letter",
    Reason.UNFIT: "the target has a place for it, but this value doesn't fit there",
}


class Loss(NamedTuple):
    """One thing that the source says and the translation doesn't."""

    at: At
    sentence: str
    reason: Reason

    @property
    def path(self) -> str:
        """The place in the source as dotted text."""
        return dotted(self.at)

    def to_json(self) -> dict[str, str]:
        """The loss as every door prints it."""
        return {"path": self.path, "message": self.sentence, "reason": str(self.reason)}


def a(type_name: str) -> str:
    """A type with its article."""
    return ("an " if type_name[0] in "aeiou" else "a ") + type_name


def no_place(place: At, dialect: str, type_name: str) -> Loss:
    """The target type has no field for it, nor any free one."""
    return Loss(place, f"{TITLES[dialect]}'s {type_name} has no place for it", Reason.NO_PLACE)


def on_the_envelope(place: At, dialect: str, type_name: str, what: str) -> Loss:
    """The office knows it, the message doesn't say it."""
    sentence = f"{TITLES[dialect]}'s {type_name} doesn't hold {what}; the office keeps it"
    return Loss(place, sentence, Reason.ENVELOPE)


def unfit(place: At, why: str) -> Loss:
    """The value can't stand where it belongs."""
    return Loss(place, why, Reason.UNFIT)


def demanded(place: At, wanted: str, needs: tuple[str, ...], became: str) -> Loss:
    """A better type was not taken, for nothing is invented."""
    listed = ", ".join(needs[:-1]) + (" and " if needs[1:] else "") + needs[-1]
    sentence = f"{a(wanted)} demands {listed}, which nobody gave; it becomes {a(became)}"
    return Loss(place, sentence, Reason.DEMANDED)
