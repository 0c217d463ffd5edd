"""`waypost init`: makes a project, its agents, and the mark that tells commands where they are."""

import argparse
import os
from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import local_place, login
from waypost.commands.office_show import listed
from waypost.errors import ConflictError, UsageError, quoted, visible
from waypost.letters.names import NAME_RULE, is_name
from waypost.runtime.config import Setting
from waypost.runtime.place import MARK, Place, find_mark

_EXAMPLES = """\
  waypost init
  waypost init my-app --agents claude,codex,reviewer
"""
_USUAL_AGENTS = "claude,codex"


def run(console: Console, argv: Sequence[str]) -> int:
    """Make a project, or complete one; doing it again changes nothing."""
    parser = Parser("waypost init", "Make a project and its mailboxes.", _EXAMPLES)
    parser.add_argument("project", nargs="?", help="its name; else the folder's")
    parser.add_argument(
        "--agents",
        metavar="A,B",
        help=f"names, with commas; else {_USUAL_AGENTS}, where nobody is yet",
    )
    parser.add_argument("--person", metavar="NAME", help="you; else your login name if it is new")
    parser.add_argument("--home", metavar="DIR", help="the office's home; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    place = local_place(arguments)
    project = _project(arguments, place)
    mark = _mark(place.here, project)
    agents = None if arguments.agents is None else _names(arguments.agents)
    person = _checked_person(arguments.person, agents or ())
    made = _register(place, project, agents, person)
    is_new = _write(mark, project) if mark else False
    _tell(console, place, project, made, mark if is_new else None)
    return 0


def _project(arguments: argparse.Namespace, place: Place) -> str:
    """The project's name: as given, as marked here, or the folder's."""
    found = arguments.project
    if found is None and (marked := find_mark(place.here)) is not None:
        found = marked.value
    if found is None:
        found = os.path.basename(os.path.abspath(place.here))
    if not is_name(found):
        raise UsageError(f"{quoted(found)} can't be the name of a project", hint=NAME_RULE)
    return str(found)


def _mark(here: str, project: str) -> str | None:
    """The mark to write; None when this folder is marked so. Raises ConflictError."""
    found = find_mark(here)
    if found is not None and found.value == project:
        return None
    path = os.path.join(os.path.abspath(here), MARK)
    if os.path.lexists(path):
        assert found is not None
        raise ConflictError(
            f"{path} says that this folder belongs to {found.value}",
            hint=f"change it there, or say waypost init {found.value}",
        )
    return path


def _names(given: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    folded = [name.casefold() for name in names]
    for name in names:
        if not is_name(name):
            raise UsageError(f"{quoted(name)} can't be the name of an agent", hint=NAME_RULE)
        if folded.count(name.casefold()) > 1:
            raise UsageError(f"the agent {quoted(name)} is named twice", hint="name each once")
    return names


def _checked_person(name: str | None, agents: Sequence[str]) -> str | None:
    if name is not None and not is_name(name):
        raise UsageError(f"{quoted(name)} can't be the name of a person", hint=NAME_RULE)
    if name is not None and name.casefold() in map(str.casefold, agents):
        raise UsageError(f"{quoted(name)} is named as agent and person", hint="choose another")
    return name


def _usual_person(agents: Sequence[str]) -> str | None:
    """Whoever is logged in; a login name that can't have a mailbox is passed over."""
    name = login()
    taken = {agent.casefold() for agent in agents}
    return name if name is not None and is_name(name) and name.casefold() not in taken else None


def _register(
    place: Place, project: str, agents: Sequence[str] | None, person: str | None
) -> list[dict[str, Any]]:
    """Give those who are named a mailbox, in a new project the usual ones; gives all who have."""
    from waypost.runtime.client import InProcess, open_home

    office = open_home(place, may_be_new=True)
    here = Setting(project, "init"), Setting("", "init")
    with InProcess(office, place.home, *here, "cli") as client:
        before = office.names(project)
        if not before:
            agents = agents if agents is not None else _names(_USUAL_AGENTS)
            person = person or _usual_person(agents)
        kinds = dict.fromkeys(agents or (), "agent") | ({person: "person"} if person else {})
        for name, kind in kinds.items():
            client.call("register", {"kind": kind, "with_token": False}, agent=name)
        there = office.names(project)
        if not there:
            raise UsageError("a project needs somebody in it", hint="name them with --agents")
        listed = client.call("agents", {}, agent=there[0])["agents"]
    return [
        {"name": one["name"], "kind": one["kind"], "is_new": one["name"] not in before}
        for one in listed
        if one["name"] in there
    ]


def _write(path: str, project: str) -> bool:
    """Write the mark, whole or not at all."""
    staged = f"{path}.{os.getpid()}"
    try:
        with open(staged, "x", encoding="utf-8") as file:
            file.write(f'project = "{project}"\n')
            file.flush()
            os.fsync(file.fileno())
        os.rename(staged, path)
    except BaseException:
        if os.path.lexists(staged):
            os.unlink(staged)
        raise
    return True


def _tell(
    console: Console,
    place: Place,
    project: str,
    made: Sequence[dict[str, Any]],
    mark: str | None,
) -> None:
    if console.as_json:
        shown: dict[str, object] = {"project": project, "home": place.home.value}
        console.json(shown | {"members": list(made)} | ({"mark": mark} if mark else {}))
        return
    console.data(visible(f"{project}, in the office {place.home.value}"))
    for kind, word in (("agent", "agents"), ("person", "people")):
        names = [one["name"] for one in made if one["kind"] == kind]
        if names:
            console.data(f"{word}: {listed(names)}")
    if mark:
        console.data(visible(f"wrote {os.path.basename(mark)}: this folder belongs to {project}"))
    agents = [one["name"] for one in made if one["kind"] == "agent"]
    if len(agents) > 1:
        pair = f"{agents[1]} --agent {agents[0]}"
        console.talk(f"next: waypost send {pair} -s Hello -b 'Are you there?'")
