"""Who calls: which agent, in which project, through which door, and how sure we are."""

from typing import NamedTuple

from waypost.errors import UsageError, quoted
from waypost.letters.names import NAME_RULE, is_name
from waypost.office.events import CLAIMED, DOORS, PROVEN


class Caller(NamedTuple):
    """The one on whose behalf a use-case acts. `proof` is "proven" (token, key) or "claimed"."""

    agent: str
    project: str
    door: str = "library"
    proof: str = CLAIMED


def checked_caller(caller: Caller) -> Caller:
    """Give the caller back if it is sound. Raises UsageError."""
    checked_name(caller.agent, "agent")
    checked_name(caller.project, "project")
    if caller.door not in DOORS or caller.proof not in (PROVEN, CLAIMED):
        raise UsageError(f"no door is called {quoted(caller.door)}", hint=", ".join(DOORS))
    return caller


def checked_name(name: object, what: str) -> str:
    """Give a name back if it may name something. Raises UsageError."""
    if not isinstance(name, str) or not is_name(name):
        raise UsageError(f"{quoted(name)} can't be the name of an {what}"
                         if what == "agent" else f"{quoted(name)} can't be the name of a {what}",
                         hint=NAME_RULE)  # fmt: skip
    return name
