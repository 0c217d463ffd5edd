"""Where OACP's projects, agents and mailboxes are, and how they are made."""

import json
import os
import stat
import time
from typing import NamedTuple

from waypost.carriers.folders.files import FOLDER_MODE, create
from waypost.errors import (
    ConflictError,
    NotFoundError,
    UnknownRecipientError,
    UnreadableError,
    UsageError,
)
from waypost.letters.names import NAME_RULE, did_you_mean, is_name

_PROJECT_FOLDERS = (
    "agents", "packets/review", "packets/findings", "merges", "memory",
    "artifacts", "checkpoints", "state",
)  # fmt: skip
AGENT_FOLDERS = ("inbox", "inbox/archive", "outbox", "dead_letter")
WORKSPACE = "workspace.json"  # what a project knows of itself; also the mark of one


class Mailbox(NamedTuple):
    """The folders of one agent in one project."""

    project: str
    agent: str
    path: str

    @property
    def inbox(self) -> str:
        return f"{self.path}/inbox"

    @property
    def archive(self) -> str:
        return f"{self.path}/inbox/archive"

    @property
    def outbox(self) -> str:
        return f"{self.path}/outbox"

    @property
    def dead_letter(self) -> str:
        return f"{self.path}/dead_letter"

    @property
    def incoming(self) -> str:
        return f"{self.path}/.incoming"

    @property
    def sending(self) -> str:
        return f"{self.path}/.sending"


class Project(NamedTuple):
    """One project's tree."""

    name: str
    path: str

    def agents(self) -> list[str]:
        """The names of all agents, sorted."""
        return _names_in(f"{self.path}/agents")

    def mailbox(self, agent: str) -> Mailbox:
        """Give an agent's mailbox. Raises UnknownRecipientError with the near names."""
        check_name(agent, "agent")
        mailbox = self._mailbox(agent)
        if not os.path.isdir(mailbox.path):
            known = self.agents()
            raise UnknownRecipientError(
                f'no agent called "{agent}" in {self.name}',
                hint=did_you_mean(agent, known) or _all_of("agents", known),
            )
        return mailbox

    def future_mailbox(self, agent: str) -> Mailbox:
        """Give the mailbox that an agent has or could have.

        Raises ConflictError when the name differs from another only in case.
        """
        check_name(agent, "agent")
        _check_case("agent", agent, self.agents())
        return self._mailbox(agent)

    def add_agent(self, agent: str) -> bool:
        """Make an agent's mailbox; tells whether it is new."""
        path = self.future_mailbox(agent).path
        is_new = not os.path.isdir(path)
        for folder in AGENT_FOLDERS:
            os.makedirs(f"{path}/{folder}", FOLDER_MODE, exist_ok=True)
        return is_new

    def make(self, repository: str | None = None) -> None:
        """Make the tree, or complete one that is there; a repository gets a link to it."""
        for folder in _PROJECT_FOLDERS:
            os.makedirs(f"{self.path}/{folder}", FOLDER_MODE, exist_ok=True)
        path = f"{self.path}/{WORKSPACE}"
        if not os.path.exists(path):
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            about = {
                "project_name": self.name,
                "repo_path": os.path.abspath(repository) if repository else None,
                "created_at": now,
                "updated_at": now,
            }
            os.close(create(path, json.dumps(about, indent=2).encode()))
        if repository and not os.path.lexists(f"{repository}/.oacp"):
            os.symlink(path, f"{repository}/.oacp")

    def _mailbox(self, agent: str) -> Mailbox:
        return Mailbox(self.name, agent, f"{self.path}/agents/{agent}")


class Home:
    """The root of the tree: `$OACP_HOME`."""

    def __init__(self, path: str) -> None:
        """Name a home, which need not be there. Raises UsageError when `~` means nobody's."""
        whole = os.path.expanduser(path)
        if whole.startswith("~"):
            raise UsageError(
                f"nobody knows where {whole} is", hint="set OACP_HOME to a path that begins with /"
            )
        self.path = os.path.abspath(whole)

    def projects(self) -> list[str]:
        """The names of all projects, sorted."""
        return _names_in(f"{self.path}/projects")

    def project(self, name: str) -> Project:
        """Give a project. Raises NotFoundError with the near names."""
        check_name(name, "project")
        path = f"{self.path}/projects/{name}"
        if not os.path.isdir(path):
            known = self.projects()
            raise NotFoundError(
                f'no project called "{name}" in {self.path}',
                hint=did_you_mean(name, known) or _all_of("projects", known),
            )
        return Project(name, path)

    def future_project(self, name: str) -> Project:
        """Give a project that is there or could be made.

        Raises ConflictError when the name differs from another only in case.
        """
        check_name(name, "project")
        _check_case("project", name, self.projects())
        return Project(name, f"{self.path}/projects/{name}")

    def create_project(self, name: str, repository: str | None = None) -> Project:
        """Make a project's tree, or complete one that is there."""
        project = self.future_project(name)
        project.make(repository)
        return project


def prepare(mailbox: Mailbox, *folders: str) -> None:
    """Make sure that a mailbox's folders are there, are folders, and lie inside the mailbox.

    Raises UnreadableError: what stands in the way is a file, or a link to somewhere else.
    """
    for path in (mailbox.path, *(f"{mailbox.path}/{folder}" for folder in folders)):
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            os.makedirs(path, FOLDER_MODE, exist_ok=True)
            continue
        if stat.S_ISLNK(mode) and leads_out(path, mailbox):
            raise UnreadableError(
                f"{path} is a link that leads out of the project",
                hint="put a folder in its place",
            )
        if not os.path.isdir(path):
            raise UnreadableError(f"{path} is not a folder", hint="put a folder in its place")


def leads_out(path: str, mailbox: Mailbox) -> bool:
    """Tell whether a path, its links followed, is outside of the mailbox's project."""
    project = os.path.realpath(os.path.dirname(os.path.dirname(mailbox.path)))
    return os.path.commonpath([project, os.path.realpath(path)]) != project


def _names_in(path: str) -> list[str]:
    try:
        entries = list(os.scandir(path))
    except FileNotFoundError:
        return []
    return sorted(entry.name for entry in entries if is_name(entry.name) and _is_folder(entry))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links in a circle, or a way that is closed: nothing that could be used
        return False


def _check_case(what: str, name: str, known: list[str]) -> None:
    for other in known:
        if other.casefold() == name.casefold() and other != name:
            raise ConflictError(
                f'"{name}" differs from the {what} "{other}" only in case',
                hint=f"use {other}, or another name",
            )


def check_name(name: str, what: str) -> None:
    """Refuse what can't name an agent or a project. Raises UsageError."""
    if not is_name(name):
        from waypost.errors import quoted

        raise UsageError(f"{quoted(name)} is not a name for {what}s", hint=NAME_RULE)


def _all_of(what: str, known: list[str]) -> str:
    return f"the {what} are " + ", ".join(known[:20]) if known else f"there are no {what} yet"
