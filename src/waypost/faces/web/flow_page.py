"""The page of who writes to whom: how often, which are hot, and whose letters a person holds."""

from typing import Any, NamedTuple

from waypost.faces.web.flow import drawn
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.faces.web.showing import url
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.glancing import Pair
from waypost.office.pairing import HeldPair

SPANS = {"15m": (15, "15 minutes"), "1d": (24 * 60, "a day")}
_ROWS = 50


class Way(NamedTuple):
    """From one to another: letters of late and of a day, and whether they are held."""

    sender: str
    to: str
    late: int
    day: int
    last_at: int
    is_hot: bool
    is_held: bool


class Apart(NamedTuple):
    """Two whom somebody keeps apart, one way or both ways, with how many letters wait."""

    held: HeldPair
    is_both_ways: bool
    letters: int


def flow(office: Office, caller: Caller, query: Query) -> Page:
    """Who writes to whom, as a picture and as a table."""
    span = query.get("span") if query.get("span") in SPANS else "15m"
    late, day = (office.traffic(caller, minutes) for minutes, _ in SPANS.values())
    held = office.held_pairs(caller)
    kept = {(one.sender, one.to) for one in held}
    ways = _ways(late, day, kept)
    chosen = late if span == "15m" else day
    data: dict[str, Any] = {
        "ways_found": ways[:_ROWS],
        "pairs": chosen,
        "picture": drawn(chosen),
        "kept": kept,
    }
    hot = {(one.sender, one.to) for one in late if one.is_hot}
    data |= {"span": span, "spans": SPANS, "apart": _apart(held), "hot": hot}
    data["names"] = [one.name for one in office.agents(caller) if one.kind != "people"]
    return Page("flow", "Flow", data)


def hold(office: Office, caller: Caller, form: Query) -> str:
    """Keep letters between two."""
    office.hold_pair(caller, form.get("from"), form.get("to"), form.get("reason"),
                     form.get("ways") != "one")  # fmt: skip
    return url("/flow", did="held")


def let_go(office: Office, caller: Caller, form: Query) -> str:
    """Let the letters between two go on."""
    both_ways = form.get("ways") != "one"
    office.release_pair(caller, form.get("from"), form.get("to"), both_ways)
    return url("/flow", did="let_go")


def _ways(late: tuple[Pair, ...], day: tuple[Pair, ...], kept: set[tuple[str, str]]) -> list[Way]:
    """Every way of a day, the hot and then the busy of late first."""
    recent = {(one.sender, one.to): one for one in late}
    ways = []
    for one in day:
        found = recent.get((one.sender, one.to))
        count, is_hot = (found.letters, found.is_hot) if found else (0, False)
        is_held = (one.sender, one.to) in kept
        ways.append(Way(one.sender, one.to, count, one.letters, one.last_at, is_hot, is_held))
    return sorted(ways, key=lambda way: (not way.is_hot, -way.late, -way.day, way.sender, way.to))


def _apart(held: tuple[HeldPair, ...]) -> list[Apart]:
    """The held pairs, those of both ways as one."""
    found = {(one.sender, one.to): one for one in held}
    shown: list[Apart] = []
    for (sender, to), one in list(found.items()):
        back = found.get((to, sender))
        if back is None:
            shown.append(Apart(one, False, one.letters))
        elif sender < to:
            shown.append(Apart(one, True, one.letters + back.letters))
    return shown
