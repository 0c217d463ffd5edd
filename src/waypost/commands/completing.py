"""How a word of a command line may go on: commands, their flags and words, names and ids.

Flags and words come from the help of each command, so that nothing is said twice. Names and ids
are looked up where the command would look, and looking changes nothing.
"""

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from itertools import pairwise
from typing import TYPE_CHECKING

from waypost.commands.console import Command, Console, load
from waypost.errors import UsageError

if TYPE_CHECKING:
    from waypost.carriers.folders.home import Home, Project
    from waypost.office import Office
    from waypost.runtime.place import Place

_MOST = 200
_PATIENCE_SECONDS = 0.2
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_WORDS = re.compile(r"^  \{([a-z][\w,-]*)\}$", re.MULTILINE)
_LISTED = re.compile(r"^  ([a-z][a-z-]*) {2,}\S", re.MULTILINE)
_NAMING = ("--agent", "--from", "--to", "--as", "--allow", "--deny", "--actor")
_OF_IDS = (
    "read",
    "reply",
    "ack",
    "done",
    "withdraw",
    "thread",
    "show",
    "answer",
    "held",
    "undelivered",
)
_TO_AGENTS = ("send", "ask", "delegate", "notify", "ping", "discover", "agents", "flow")
_CLIENTS = ("claude", "codex", "gemini", "cursor", "service")
_SHELLS = ("bash", "zsh", "fish")
_OF_COMMANDS = {"setup": _CLIENTS, "completion": _SHELLS}


def candidates(program: str, words: Sequence[str]) -> list[str]:
    """All that the last word may become, given those before it."""
    *before, current = words or [""]
    return [word for word in _candidates(program, before, current) if word.startswith(current)]


def _candidates(program: str, before: list[str], current: str) -> Iterable[str]:
    commands = _commands(program)
    if not before:
        return [*(command.name for command in commands), "--help", "--version"]
    command = next((one for one in commands if one.name == before[0]), None)
    if command is None:
        return []
    if current.startswith("-"):
        return sorted(set(_FLAG.findall(_help(command, before[1:2]))))
    if before[-1] in _NAMING:
        return _agents(program, before)
    if before[-1] == "--project":
        return _projects(program, before)
    if before[-1].startswith("-"):  # the value of a flag; whatever it is, a file may be one
        return []
    return _positional(program, command, before)


def _positional(program: str, command: Command, before: list[str]) -> Iterable[str]:
    """The words that may stand without a flag before them."""
    if command.name in _OF_COMMANDS:
        return _OF_COMMANDS[command.name]
    words = [] if len(before) > 1 else _subcommands(command)
    if words:
        return words
    if command.name in _OF_IDS:
        return _ids(program, before)
    return _agents(program, before) if command.name in _TO_AGENTS else []


def _commands(program: str) -> Sequence[Command]:
    from waypost.commands import oacp, waypost

    return oacp.COMMANDS if program == "oacp" else waypost.COMMANDS


def _subcommands(command: Command) -> list[str]:
    text = _help(command, [])
    if (found := _WORDS.search(text)) is not None:
        return found[1].split(",")
    return _LISTED.findall(text.partition("\ncommands:\n")[2].partition("\n\n")[0])


def _help(command: Command, words: Sequence[str]) -> str:
    """What a command, or the part of it that is named, says with --help."""
    for given in ([word for word in words if not word.startswith("-")], []):
        with redirect_stdout(io.StringIO()) as shown, suppress(Exception):
            load(command)(Console(), [*given, "--help"])
        if shown.getvalue():
            return shown.getvalue()
    return ""


def _given(before: Sequence[str], flag: str) -> str | None:
    """The value that a flag has further left."""
    return next((value for name, value in pairwise(before) if name == flag), None)


def _projects(program: str, before: Sequence[str]) -> Iterable[str]:
    if program == "oacp":
        return _folders(before).projects()
    with _office(before) as (office, _):
        return office.projects()[:_MOST]


def _agents(program: str, before: Sequence[str]) -> Iterable[str]:
    if program == "oacp":
        return _folder(before).agents()
    with _office(before) as (office, project):
        return office.names(project)[:_MOST]


def _ids(program: str, before: Sequence[str]) -> Iterable[str]:
    if program == "oacp":
        return _ids_in_folders(before)
    with _office(before) as (office, project):
        return office.recent(project, _MOST)


def _ids_in_folders(before: Sequence[str]) -> list[str]:
    from waypost.mailbox import place
    from waypost.mailbox.items import inbox

    box = place.find_agent(_folder(before), _given(before, "--agent"), os.environ)
    return [item.id for item in inbox(box)[:_MOST] if item.id]


def _folders(before: Sequence[str]) -> "Home":
    from waypost.mailbox import place

    return place.find_home(_given(before, "--oacp-dir"), os.environ, place.here())


def _folder(before: Sequence[str]) -> "Project":
    from waypost.mailbox import place

    named = _given(before, "--project")
    return place.find_project(_folders(before), named, os.environ, place.here())


@contextmanager
def _office(before: Sequence[str]) -> Iterator[tuple["Office", str]]:
    """The office of this machine and the project that is meant; it is made nowhere."""
    from waypost.office import open_office
    from waypost.office.database import FILE
    from waypost.runtime.place import Place

    place = Place(os.environ, os.getcwd(), _given(before, "--home"))
    os.stat(os.path.join(place.home.value, FILE))
    with open_office(place.home.value, patience=_PATIENCE_SECONDS) as office:
        yield office, _project(place, office, _given(before, "--project"))


def _project(place: "Place", office: "Office", named: str | None) -> str:
    """The project that is meant; nothing where nobody can tell, for lists that need none."""
    try:
        return place.project(named, office.projects).value
    except UsageError:
        return ""
