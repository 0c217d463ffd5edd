"""Are the folders of every mailbox there, and folders, and inside the project?"""

import os
from collections.abc import Callable, Iterator

from waypost.carriers.folders.home import AGENT_FOLDERS, Mailbox, Project, prepare
from waypost.doctor.finding import Finding
from waypost.errors import UnreadableError, words_of

_MADE_WHEN_NEEDED = (".incoming", ".sending")


def unlisted(project: Project) -> Finding | None:
    """Say why nobody can tell which agents a project has, if that is so."""
    try:
        project.agents()
    except OSError as error:
        what = f"the agents can't be listed: {words_of(error)}"
        return Finding("mailboxes", f"{project.path}/agents", what, "put a folder in its place")
    return None


def check(project: Project) -> Iterator[Finding]:
    """Look at every folder of every mailbox."""
    for agent in project.agents():
        box = project.mailbox(agent)
        for folder in (*AGENT_FOLDERS, *_MADE_WHEN_NEEDED):
            if not os.path.lexists(f"{box.path}/{folder}"):
                if folder in _MADE_WHEN_NEEDED:
                    continue
                yield Finding(
                    "mailboxes",
                    f"{box.path}/{folder}",
                    "the folder is missing",
                    "it is made again by --fix",
                    _maker(box, folder),
                )
                continue
            try:
                prepare(box, folder)
            except UnreadableError as error:
                yield Finding("mailboxes", f"{box.path}/{folder}", error.details, error.hint or "")


def _maker(box: Mailbox, folder: str) -> Callable[[], None]:
    return lambda: prepare(box, folder)
