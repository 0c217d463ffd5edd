"""The options that every command of the office shares, and the office they lead to."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from waypost.commands.console import Parser
from waypost.errors import NotAllowedError
from waypost.runtime.place import Place

if TYPE_CHECKING:
    from waypost.office import Office
    from waypost.runtime.client import Client


def add_options(parser: Parser, *, speaks: bool = True) -> None:
    """Add `--project`, `--agent`, `--home` and `--json`."""
    if speaks:
        parser.add_argument(
            "--agent",
            "--from",
            dest="agent",
            metavar="NAME",
            help="you; else WAYPOST_AGENT",
        )
    parser.add_argument("--project", metavar="PROJECT", help="which project; else WAYPOST_PROJECT")
    parser.add_argument("--home", metavar="DIR", help="the office's home; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")


def place_of(arguments: argparse.Namespace) -> Place:
    """Where the command stands."""
    return Place(os.environ, os.getcwd(), arguments.home)


def connect(arguments: argparse.Namespace, *, speaks: bool = True) -> "Client":
    """The office that the arguments mean, as the agent that they mean; to look, anyone will do."""
    from waypost.runtime import client

    agent, place = getattr(arguments, "agent", None), place_of(arguments)
    return client.connect(place, arguments.project, agent, person=person(), speaks=speaks)


def person() -> str | None:
    """The name of whoever sits at the terminal; None where nobody does."""
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    return login()


def login() -> str | None:
    """The name by which the system knows the user."""
    for variable in ("LOGNAME", "USER"):
        if name := os.environ.get(variable):
            return name
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return None


def same_place(arguments: argparse.Namespace) -> str:
    """The options that lead another command to where this one was led by its own."""
    told = [(name, getattr(arguments, name, None)) for name in ("project", "agent", "home")]
    if not any(value for _, value in told):
        return ""
    from shlex import quote  # not needed by most, and slow to load

    return "".join(f" --{name} {quote(value)}" for name, value in told if value)


def local_place(arguments: argparse.Namespace) -> Place:
    """Where the command stands, for what is done on the spot. Raises NotAllowedError elsewhere."""
    place = place_of(arguments)
    if (url := place.config.look("office.url")) is not None:
        raise NotAllowedError(
            f"this is done where the office lives, not over {url.value}",
            hint=f"do it there, or take {url.source} away",
        )
    return place


def local_office(arguments: argparse.Namespace) -> "Office":
    """The office of this machine's home."""
    from waypost.runtime.client import open_home

    return open_home(local_place(arguments))
