"""Which letters may go on: small policies against loops, floods and letters that come to nothing.

Each guard sees one letter about to be carried, the chain of letters that led to it, and a count. It
says why the letter may not simply go on, or nothing. Pure: time and counts are arguments.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from waypost.bridge.small_talk import fingerprint, says_nothing


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
    """An earlier letter of the chain that led to this one."""

    sender: str
    recipient: str
    text: str


class Passing(NamedTuple):
    """A letter about to be carried on.

    `hops` are the offices that carried it before, `here` is this one. `chain` holds the letters
    that it answers or passes on, oldest first. `recent` counts what its sender sent to its
    recipient within the last `pair_minutes`. `room` is how many bytes the recipient's dialect takes.
    """

    sender: str
    recipient: str
    text: str
    size: int
    room: int
    now: int
    here: str
    expires_at: int | None = None
    hops: tuple[str, ...] = ()
    chain: tuple[Step, ...] = ()
    recent: int = 0


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


def judge(letter: Passing, limits: Limits = Limits()) -> Ruling:  # noqa: B008 - it never changes
    """Ask every guard; one that bounces outweighs those that hold."""
    held = None
    for guard in GUARDS:
        reason = guard.rule(letter, limits)
        if reason and guard.verdict is Verdict.BOUNCE:
            return Ruling(guard.verdict, guard.name, reason)
        if reason and held is None:
            held = Ruling(guard.verdict, guard.name, reason)
    return held or Ruling(Verdict.ALLOW)


def _too_large(letter: Passing, limits: Limits) -> str | None:
    if letter.size <= letter.room:
        return None
    return f"it is {letter.size:,} bytes long, and {letter.recipient} takes {letter.room:,}"


def _expired(letter: Passing, limits: Limits) -> str | None:
    if letter.expires_at is None or letter.expires_at > letter.now:
        return None
    return "it expired before it could be handed over"


def _too_many_hops(letter: Passing, limits: Limits) -> str | None:
    if len(letter.hops) < limits.hops:
        return None
    return f"{len(letter.hops)} offices have carried it on, which is as many as may"


def _passed_here_before(letter: Passing, limits: Limits) -> str | None:
    return f"it passed {letter.here} before" if letter.here in letter.hops else None


def _back_where_it_was_said(letter: Passing, limits: Limits) -> str | None:
    said = fingerprint(letter.text)
    by = [step.sender for step in letter.chain if fingerprint(step.text) == said]
    if letter.recipient not in by or len({*by, letter.sender}) < 3:
        return None
    way = " to ".join((*dict.fromkeys(by), letter.sender, letter.recipient))
    return f"the same words went from {way}, who sent them before"


def _going_round(letter: Passing, limits: Limits) -> str | None:
    ways = [(step.sender, step.recipient) for step in letter.chain]
    ways.append((letter.sender, letter.recipient))
    first = ways[-1]
    length = next((n for n in range(1, len(ways)) if ways[-1 - n] == first), 0)
    circle = ways[len(ways) - length :]
    rounds = 1
    while length and ways[-length * (rounds + 1) : -length * rounds] == circle:
        rounds += 1
    if length < 3 or rounds <= limits.rounds:
        return None
    return f"it goes round between {', '.join(way[0] for way in circle)} for the {rounds}th time"


def _nothing_is_said(letter: Passing, limits: Limits) -> str | None:
    steps = (*letter.chain, Step(letter.sender, letter.recipient, letter.text))
    row = 0
    while row < len(steps) and _is_empty(steps, len(steps) - 1 - row):
        row += 1
    if row <= limits.empty_in_a_row:
        return None
    return f"{row} letters in a row only thank, greet, or repeat what their writer said before"


def _is_empty(steps: tuple[Step, ...], index: int) -> bool:
    step = steps[index]
    if says_nothing(step.text):
        return True
    earlier = (one for one in steps[:index] if one.sender == step.sender)
    return fingerprint(step.text) in map(fingerprint, (one.text for one in earlier))


def _too_often(letter: Passing, limits: Limits) -> str | None:
    if letter.recent < limits.pair:
        return None
    minutes = limits.pair_minutes
    return f"{letter.sender} sent {letter.recipient} {letter.recent} letters in {minutes} minutes"


GUARDS = (
    Guard("size", "more than the recipient's dialect takes", Verdict.BOUNCE, _too_large),
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
        _back_where_it_was_said,
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
