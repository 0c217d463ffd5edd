"""The office: who has a mailbox, every letter and its state, files held, and the proof of it all.

What happens is an event in an append-only journal, and nothing else is the truth. Tables that
answer questions are built from events by `apply` alone. A use-case is a function: it decides on
what the tables say, appends one event, and shows what came of it. It knows neither how the journal
is kept nor who calls: command line, MCP, web and library all come through `Office`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.office.office import Office as Office
    from waypost.office.office import open_office as open_office

__all__ = ["Office", "open_office"]


def __getattr__(name: str) -> object:
    """Load the office itself only when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module("waypost.office.office"), name)
    return value
