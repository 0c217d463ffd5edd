"""Which letters may go on: small policies against loops, floods and letters that come to nothing.

Each guard sees one letter about to be carried, the chain of letters that led to it, and a count. It
says why the letter may not simply go on, or nothing. Pure: time and counts are arguments.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from waypost.bridge.small_talk import fingerprint, says_nothing
from waypost.dialects.acp.wire import MAX_BYTES as MOST_ON_THE_WIRE
from waypost.dialects.text import MAX_BYTES

ROOM: Mapping[str, int] = MappingProxyType(
    {"oacp": MAX_BYTES, "acp": MOST_ON_THE_WIRE, "agentmail": MAX_BYTES}
)  # how many bytes a message of each dialect may have

MOST_STEPS = 500  # of a chain are looked at


class Verdict(StrEnum):
    """What becomes of a letter."""

    ALLOW = "allow"
    HOLD = "hold"  # a person decides
    BOUNCE = "bounce"


class Limits(NamedTuple):
    """How much is too much."""

    hops: int = 8
    empty_in_a_row: int = 4
    pair: int = 60
    pair_minutes: int = 10
    rounds: int = 20


class Step(NamedTuple):
    """One letter of a chain: from whom to whom, and what it says, as a fingerprint."""

    sender: str
    recipient: str
    said: str
    is_empty: bool

    @classmethod
    def of(cls, sender: str, recipient: str, text: str) -> "Step":
        """The step that a letter with this text is."""
        return cls(sender, recipient, fingerprint(text), says_nothing(text))


class Passing(NamedTuple):
    """A letter about to be carried on.

    `chain` holds the letters that it answers or passes on, oldest first, and `hops` the offices
    that carried it before; `here` is this one. `recent` counts what its sender sent to its
    recipient within the last `pair_minutes`. `room` is how many bytes the recipient can take.
    """

    letter: Step
    size: int
    room: int
    now: int
    here: str
    expires_at: int | None = None
    hops: tuple[str, ...] = ()
    chain: tuple[Step, ...] = ()
    recent: int = 0

    @property
    def whole(self) -> tuple[Step, ...]:
        """The chain with this letter at its end, as far back as any guard looks."""
        return (*self.chain[-MOST_STEPS:], self.letter)


class Ruling(NamedTuple):
    """What becomes of a letter, which guard says so, and why."""

    verdict: Verdict
    guard: str = ""
    reason: str = ""


class Guard(NamedTuple):
    """One policy: what it is called, what it is against, how it rules, and its rule."""

    name: str
    against: str
    verdict: Verdict
    rule: Callable[[Passing, Limits], str | None]


def judge(passing: Passing, limits: Limits = Limits()) -> Ruling:  # noqa: B008 - it never changes
    """Ask every guard; one that bounces outweighs those that hold."""
    held = None
    for guard in GUARDS:
        reason = guard.rule(passing, limits)
        if reason and guard.verdict is Verdict.BOUNCE:
            return Ruling(guard.verdict, guard.name, reason)
        if reason and held is None:
            held = Ruling(guard.verdict, guard.name, reason)
    return held or Ruling(Verdict.ALLOW)


def _too_large(passing: Passing, limits: Limits) -> str | None:
    if passing.size <= passing.room:
        return None
    return f"it is {passing.size:,} bytes long; {passing.letter.recipient} takes {passing.room:,}"


def _expired(passing: Passing, limits: Limits) -> str | None:
    if passing.expires_at is None or passing.expires_at > passing.now:
        return None
    return "it expired before it could be handed over"


def _too_many_hops(passing: Passing, limits: Limits) -> str | None:
    if len(passing.hops) < limits.hops:
        return None
    return f"{len(passing.hops)} offices have carried it on, and no more may"


def _passed_here_before(passing: Passing, limits: Limits) -> str | None:
    return f"it passed {passing.here} before" if passing.here in passing.hops else None


def _back_at_its_writer(passing: Passing, limits: Limits) -> str | None:
    """The same words went on from one to the next, and now to one who has sent them."""
    letter, way = passing.letter, [passing.letter.sender]
    for step in reversed(passing.chain[-MOST_STEPS:]):
        if step.said != letter.said or step.recipient != way[0]:
            break
        way.insert(0, step.sender)
    if letter.is_empty or letter.recipient not in way or len(set(way)) < 3:
        return None
    names = " to ".join((*way[way.index(letter.recipient) :], letter.recipient))
    return f"the same words went from {names}, who sent them before"


def _going_round(passing: Passing, limits: Limits) -> str | None:
    """The same three agents or more write in the same turn, over and over."""
    ways = [(step.sender, step.recipient) for step in passing.whole]
    length = next((n for n in range(1, len(ways)) if ways[-1 - n] == ways[-1]), 0)
    circle = ways[len(ways) - length :]
    rounds = 1
    while length and ways[-length * (rounds + 1) : -length * rounds] == circle:
        rounds += 1
    if len({way[0] for way in circle}) < 3 or rounds <= limits.rounds:
        return None
    return f"it went round between {', '.join(way[0] for way in circle)} {rounds} times"


def _nothing_is_said(passing: Passing, limits: Limits) -> str | None:
    """Too many letters in a row are courtesies, or repeat what their own writer said before."""
    steps = passing.whole
    if len(steps) <= limits.empty_in_a_row:
        return None
    for index in range(len(steps) - limits.empty_in_a_row - 1, len(steps)):
        step = steps[index]
        own = {one.said for one in steps[:index] if one.sender == step.sender}
        if not (step.is_empty or step.said in own):
            return None
    return "this and the letters before it only thank, greet, or repeat what was said"


def _too_often(passing: Passing, limits: Limits) -> str | None:
    if passing.recent < limits.pair:
        return None
    letter, times = passing.letter, f"{passing.recent} letters in {limits.pair_minutes} minutes"
    return f"{letter.sender} sent {letter.recipient} {times}"


GUARDS = (
    Guard("size", "more than 1 MiB, or 64 KiB for a live peer", Verdict.BOUNCE, _too_large),
    Guard("expiry", "a letter whose time is over", Verdict.BOUNCE, _expired),
    Guard("hops", "{hops} offices or more on the way", Verdict.BOUNCE, _too_many_hops),
    Guard(
        "passed here",
        "a letter that this office carried before",
        Verdict.BOUNCE,
        _passed_here_before,
    ),
    Guard(
        "sent back",
        "the same words, passed on among three or more, back at one who sent them",
        Verdict.BOUNCE,
        _back_at_its_writer,
    ),
    Guard(
        "circle", "more than {rounds} rounds of three or more agents", Verdict.HOLD, _going_round
    ),
    Guard(
        "small talk",
        "more than {empty_in_a_row} letters in a row that only thank, greet or repeat",
        Verdict.HOLD,
        _nothing_is_said,
    ),
    Guard(
        "too often",
        "{pair} letters or more from one to another within {pair_minutes} minutes",
        Verdict.HOLD,
        _too_often,
    ),
)
