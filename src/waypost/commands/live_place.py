"""What the commands for live peers share: who acts, how long to wait, and a visit to a peer."""

import argparse
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from waypost.commands.console import Parser
from waypost.errors import NotFoundError, TooLargeError, UnreadableError, UsageError

if TYPE_CHECKING:
    from waypost.agent import Online

T = TypeVar("T")
MOST_BYTES = 64 * 1024
_LONGEST_SECONDS = 366 * 24 * 3600.0


def add_options(parser: Parser) -> None:
    """Add the options that every command for live peers takes."""
    parser.add_argument(
        "--as", dest="me", metavar="NAME", help="who acts; else WAYPOST_AGENT, or the only one"
    )
    parser.add_argument("--home", metavar="DIR", help="where keys lie; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_patience(parser: Parser, default: float, what: str = "the answer") -> None:
    """Add `--timeout`."""
    text = f"how long {what} may take; {default:g} if absent"
    parser.add_argument("--timeout", metavar="SECONDS", type=seconds, default=default, help=text)


def add_secrets(parser: Parser) -> None:
    """Add `--allow-secrets`."""
    parser.add_argument(
        "--allow-secrets", action="store_true", help="send it although it holds one"
    )


def seconds(text: str) -> float:
    """Read a number of seconds, for a parser."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return number


def count(text: str) -> int:
    """Read a whole number from 1, for a parser."""
    if not (text.isascii() and text.isdecimal()) or not 0 < int(text[:9]) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 1000000")
    return int(text)


def home_of(arguments: argparse.Namespace) -> Path:
    """The folder of keys and peers."""
    from waypost.runtime.place import find_home

    return Path(find_home(os.environ, arguments.home).value)


def who(arguments: argparse.Namespace) -> str:
    """The local agent that acts. Raises UsageError when nothing tells."""
    from waypost.carriers.keyring import local_names
    from waypost.runtime.config import Config

    home = home_of(arguments)
    if named := Config(str(home), os.environ).look("mail.agent", arguments.me, "--as"):
        return named.value
    known = local_names(home)
    if len(known) == 1:
        return known[0]
    more = ": " + ", ".join(known[:20]) if known else "; its key is made on first use"
    raise UsageError("which agent acts?", hint="say --as NAME, or set WAYPOST_AGENT" + more)


def has_key(arguments: argparse.Namespace) -> bool:
    """Whether the agent that acts has a key here; unless one is named, whether any has."""
    from waypost.carriers.keyring import local_names

    known = local_names(home_of(arguments))
    return arguments.me in known if arguments.me is not None else bool(known)


def members_for(arguments: argparse.Namespace, domain: str) -> list[dict[str, Any]] | None:
    """The members of the project who can answer for a domain; None when there is no office.

    Raises what keeps an office from being asked, if its project was named.
    """
    from waypost.runtime import client
    from waypost.runtime.place import Place

    place = Place(os.environ, os.getcwd(), arguments.home)
    try:
        with client.connect(place, arguments.project, arguments.me) as office:
            found, project = office.ask("agents", domain=domain)["agents"], office.project.value
    except (NotFoundError, UsageError):
        if arguments.project is not None:
            raise
        return None
    return [{"agent": one["name"], "project": project, "domains": one["domains"]} for one in found]


def text_of(word: str | None, what: str) -> str:
    """The text that a command is about: a word of it, or standard input."""
    if word is not None and word != "-":
        return word
    if word is None and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError(f"there is no {what}", hint="write it behind the peer's name, or pipe it")
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise TooLargeError(
            f"the {what} is longer than a live message may be ({MOST_BYTES >> 10} KiB)",
            hint="put the large part in a file and refer to it",
        )
    try:
        return data.decode().strip()
    except UnicodeDecodeError as error:
        raise UnreadableError("standard input is not UTF-8 text", hint="pipe text") from error


def json_of(text: str) -> Any:
    """What a text says: a JSON value, else the text itself."""
    from waypost.dialects import json_text

    value, problems = json_text.parse(text)
    return text if problems else value


def visit(arguments: argparse.Namespace, errand: "Callable[[Online], Awaitable[T]]") -> T:
    """Go online as the agent that acts, do the errand, and leave.

    A listener of the same agent goes on meanwhile and takes what isn't meant for the visit.
    """
    import asyncio

    from waypost.agent import Agent
    from waypost.carriers.keyring import identity

    home, name = home_of(arguments), who(arguments)
    identity(home, name, create=False)
    agent = Agent(name, allow_secrets=getattr(arguments, "allow_secrets", False))
    online = agent.online(home=home)
    online.is_visit = True

    async def go() -> T:
        async with online as me:
            return await errand(me)

    return asyncio.run(go())
