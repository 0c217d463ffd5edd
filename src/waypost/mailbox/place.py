"""Where a command stands: which home, which project, and which agent speaks."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from waypost.carriers.folders.home import WORKSPACE, Home, Mailbox, Project
from waypost.carriers.folders.reading import read_file
from waypost.dialects import yaml_text
from waypost.errors import Problem, UsageError
from waypost.letters.names import is_name

# Which variables tell that a program runs us, and which runtime that is.
MARKS = {
    "CLAUDECODE": "claude",
    "CLAUDE_CODE": "claude",
    "CODEX_SHELL": "codex",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_CLI": "gemini",
    "GEMINI_AGENT": "gemini",
    "CURSOR_AGENT": "cursor",
}


class Found(NamedTuple):
    """A project that was found around the working directory."""

    home: str
    project: str


def here() -> str:
    """Where we stand; the root when our folder was removed meanwhile."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.sep


def find_upwards(start: str) -> Found | None:
    """Look for `.oacp` or `workspace.json` here and above: the marks of a project."""
    folder = os.path.abspath(start)
    while True:
        if found := marked(folder):
            return found
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def marked(folder: str) -> Found | None:
    """The project that a folder itself bears the mark of."""
    for candidate in (f"{folder}/.oacp", folder):
        path = os.path.realpath(candidate)
        if os.path.basename(path) == WORKSPACE:
            path = os.path.dirname(path)
        home, middle = os.path.split(os.path.dirname(path))
        if middle == "projects" and os.path.isfile(f"{path}/{WORKSPACE}"):
            return Found(home, os.path.basename(path))
    return None


def find_home(given: str | None, environment: Mapping[str, str], here: str) -> Home:
    """The home that a command means: by flag, by environment, by where it stands, by default."""
    if path := given or environment.get("OACP_HOME"):
        return Home(path)
    found = find_upwards(here)
    return Home(found.home if found else "~/oacp")


def find_project(
    home: Home,
    given: str | None,
    environment: Mapping[str, str],
    here: str,
    *,
    may_be_new: bool = False,
) -> Project:
    """The project that a command means. Raises UsageError that says how to name one."""
    if name := given or environment.get("WAYPOST_PROJECT"):
        return home.future_project(name) if may_be_new else home.project(name)
    found = find_upwards(here)
    if found and os.path.realpath(home.path) == found.home:
        return home.project(found.project)
    known = home.projects()
    if len(known) == 1:
        return home.project(known[0])
    if not known:
        raise UsageError(
            f"there is no project in {home.path} yet", hint="oacp init my-project makes one"
        )
    raise UsageError("which project?", hint="name it: " + ", ".join(known[:20]))


def find_agent(
    project: Project,
    given: str | None,
    environment: Mapping[str, str],
    *,
    may_be_new: bool = False,
) -> Mailbox:
    """The mailbox of the agent that speaks: by flag, by environment, by the program that runs us.

    Raises UsageError that says how to name one.
    """
    if name := given or environment.get("OACP_AGENT") or environment.get("AGENT_NAME"):
        return project.future_mailbox(name) if may_be_new else project.mailbox(name)
    known = project.agents()
    runtimes = {agent for mark, agent in MARKS.items() if environment.get(mark)}
    if runtime := environment.get("OACP_RUNTIME"):
        runtimes = {runtime}
    carded = [agent for agent in known if runtimes and _runtime_of(project, agent) in runtimes]
    named = carded or [agent for agent in known if agent in runtimes]
    if len(named) == 1:
        return project.mailbox(named[0])
    if len(known) == 1 and is_name(known[0]):
        return project.mailbox(known[0])
    raise UsageError(
        "which agent are you?",
        hint="say --from or --agent, or set OACP_AGENT: " + ", ".join(known[:20]),
    )


def _runtime_of(project: Project, agent: str) -> str | None:
    """What an agent's card says of the program behind it."""
    data = read_file(f"{project.path}/agents/{agent}/agent_card.yaml")
    if isinstance(data, Problem):
        return None
    card = yaml_text.read_fast(data.decode(errors="replace")) or {}
    runtime = card.get("runtime")
    return runtime if isinstance(runtime, str) else None
