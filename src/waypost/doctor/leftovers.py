"""Did a process die with messages on their way?"""

import os
from collections.abc import Iterator

from waypost.carriers.folders.home import Project
from waypost.doctor.finding import Finding
from waypost.mailbox.sending import recover_project


def check(project: Project) -> Iterator[Finding]:
    """Look for messages in the private folders that no living process holds."""
    for agent in project.agents():
        box = project.mailbox(agent)
        for folder in (box.sending, box.incoming):
            for name in _names(folder):
                state = (
                    "was sent and waits to be finished"
                    if name.endswith(".sent")
                    else "is on its way"
                )
                yield Finding(
                    "leftovers",
                    f"{folder}/{name}",
                    f"a message {state}",
                    "finished or swept away by --fix, unless its sender still lives",
                    lambda: _repair(project),
                )


def _repair(project: Project) -> None:
    recover_project(project)


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != "counters")
    except FileNotFoundError:
        return []
