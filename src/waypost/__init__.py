"""Waypost: the post office for AI agents.

>>> import waypost
>>> message = waypost.parse(b"...")            # any dialect
>>> message.valid, message.problems
>>> letter = waypost.compose("task_request", {"from": "claude", "to": "codex",
...                                           "subject": "Hello", "body": "Are you there?"})
>>> letter.raw                                 # the bytes to send
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.agent import Agent, Refused
    from waypost.errors import InvalidMessageError, Problem, WaypostError
    from waypost.messages import Message, check, compose, parse

__version__ = "0.1.0"
__all__ = [
    "Agent",
    "InvalidMessageError",
    "Message",
    "Problem",
    "Refused",
    "WaypostError",
    "__version__",
    "check",
    "compose",
    "parse",
]
_HOMES = {
    "Agent": "waypost.agent",
    "InvalidMessageError": "waypost.errors",
    "Problem": "waypost.errors",
    "Refused": "waypost.agent",
    "WaypostError": "waypost.errors",
}


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for: a command pays only for what it uses."""
    if name not in __all__:
        raise AttributeError(f"module 'waypost' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "waypost.messages")), name)
