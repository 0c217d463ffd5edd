"""`waypost guard`: a hook that keeps commits off files which another agent holds."""

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.commands.console import Console, Parser
from waypost.errors import (
    FilesHeldError,
    NotFoundError,
    UsageError,
    WaypostError,
    quoted,
    visible,
)
from waypost.letters.names import did_you_mean
from waypost.setup.git import WorkingTree

if TYPE_CHECKING:
    from waypost.runtime.config import Setting
    from waypost.runtime.place import Place

_EXAMPLES = """\
  waypost guard install              ask before every commit in this repository
  waypost guard check                what is staged: does another agent hold it?
  waypost guard check src/auth.ts    these files
  waypost guard uninstall            take the hook out
"""
_ACTIONS = ("install", "uninstall", "check")
_PATIENCE = 3.0  # seconds; a commit waits no longer for a locked office
_CLIENTS = ("claude", "codex", "gemini", "cursor")
_A_PERSON = "people"  # as whom the office is asked when no agent commits
_MOST_SHOWN = 20


def run(console: Console, argv: Sequence[str]) -> int:
    """Install, uninstall or do what the hook does; exit 7 when another agent holds a file."""
    parser = Parser("waypost guard", "Keep commits off files that another agent holds.", _EXAMPLES)
    parser.add_argument("action", nargs="?", help=", ".join(_ACTIONS))
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files; else what is staged")
    parser.add_argument("--agent", metavar="NAME", help="who commits; else WAYPOST_AGENT")
    parser.add_argument("--project", metavar="P", help="the project; else that of this folder")
    parser.add_argument("--home", metavar="DIR", help="the office; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_intermixed_args(argv)
    if arguments.action is None:
        raise UsageError("say what guard is to do", hint=", ".join(_ACTIONS))
    if arguments.action not in _ACTIONS:
        hint = did_you_mean(arguments.action, _ACTIONS) or ", ".join(_ACTIONS)
        raise UsageError(f"guard can't {quoted(arguments.action)}", hint=hint)
    if arguments.action == "check":
        return _check(console, arguments)
    if arguments.paths:
        raise UsageError(f"guard {arguments.action} takes no paths", hint="only check does")
    return _change(console, arguments)


def _change(console: Console, arguments: argparse.Namespace) -> int:
    from waypost.setup import hook_file
    from waypost.setup.launch import find_launch

    tree = WorkingTree(os.getcwd())
    if arguments.action == "install":
        given = {"agent": arguments.agent, "project": arguments.project, "home": arguments.home}
        options = [f"--{option}={value}" for option, value in given.items() if value]
        change = hook_file.install(tree, find_launch(os.environ).command, options)
    else:
        change = hook_file.uninstall(tree)
    path = os.path.join(tree.hooks(), hook_file.NAME)
    if console.as_json:
        console.json({"path": path, "change": change})
    else:
        console.data(f"{change:<9}  {visible(path)}")
    return 0


def _check(console: Console, arguments: argparse.Namespace) -> int:
    """Ask the office; when it can't be asked, say so in one line and let the commit pass."""
    from waypost.runtime.place import Place, project_folder

    place = Place(os.environ, os.getcwd(), arguments.home)
    agent = _agent(place, arguments.agent)
    try:
        folder = project_folder(os.getcwd())
        if (url := place.config.look("office.url")) is not None:
            agent, reservations = _held_elsewhere(url, arguments)
        else:
            reservations = _held_here(place, place.project(arguments.project).value, agent)
    except WaypostError as error:
        return _pass(console, visible(error.details))
    paths = _given(arguments.paths, folder) or _staged(folder)
    return _judge(console, paths, reservations, agent)


def _judge(
    console: Console,
    paths: Sequence[str],
    reservations: Sequence[Mapping[str, Any]],
    agent: str | None,
) -> int:
    from waypost.setup import guard

    try:
        guard.check(paths, reservations, agent)
    except FilesHeldError as error:
        if not console.as_json:
            for one in error.conflicts[:_MOST_SHOWN]:
                why = f": {one['reason']}" if one.get("reason") else ""
                held = f"{one['path']}  {one['holder']}, {one['mode']} until {one['until']}{why}"
                console.talk(f"  {visible(held)}")
        raise
    if console.as_json:
        console.json({"checked": len(paths), "asked": True})
    return 0


def _pass(console: Console, why: str) -> int:
    if console.as_json:
        console.json({"checked": 0, "asked": False, "details": why})
    else:
        console.talk(f"waypost guard: nobody was asked, since {why}")
    return 0


def _agent(place: Any, flag: str | None) -> str | None:
    """Who commits, or None when nothing says so: then it is a person."""
    try:
        found: str = place.agent(flag, lambda: _CLIENTS).value
    except UsageError:
        if flag is not None:
            raise
        return None
    return found


def _held_here(place: "Place", project: str, agent: str | None) -> list[dict[str, Any]]:
    """What is held in the project. Raises NotFoundError when there is no office to ask."""
    from waypost.office import open_office
    from waypost.office.callers import Caller
    from waypost.office.database import FILE

    home = place.home.value
    if not os.path.lexists(os.path.join(home, FILE)):
        raise NotFoundError(f"there is no office at {home}")
    with open_office(home, journal=place.journal(), patience=_PATIENCE) as office:
        caller = Caller(agent or _A_PERSON, project, "cli")
        return [held.to_json() for held in office.reservations(caller)]


def _held_elsewhere(
    url: "Setting", arguments: argparse.Namespace
) -> tuple[str, list[dict[str, Any]]]:
    """Who commits, as the token says, and what is held where the office lives."""
    from waypost.runtime.remote import Remote

    office = Remote(url, os.environ, arguments.project, arguments.agent, patience=_PATIENCE)
    return office.agent.value, office.ask("reservations")["reservations"]


def _staged(folder: str) -> list[str]:
    """What is to be committed, as the project calls it; what lies outside of it is nobody's."""
    tree = WorkingTree(os.getcwd())
    paths = [os.path.relpath(os.path.join(tree.top, path), folder) for path in tree.staged()]
    return [path for path in paths if path.split(os.sep)[0] != os.pardir]


def _given(paths: Sequence[str], folder: str) -> list[str]:
    """The paths from the command line, as the project calls them. Raises UsageError."""
    given: list[str] = []
    for path in paths:
        inside = os.path.relpath(os.path.realpath(os.path.dirname(path) or "."), folder)
        name = os.path.normpath(os.path.join(inside, os.path.basename(path)))
        if name.split(os.sep)[0] == os.pardir:
            raise UsageError(
                f"{quoted(path)} is outside of {folder}", hint="name files of the project"
            )
        given.append(name)
    return given
