"""Did a process die with messages on their way?"""

import os
from collections.abc import Iterator, Sequence

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, Project
from waypost.doctor.finding import Finding
from waypost.mailbox.sending import recover_project

_CLAIMS = (".new", ".sent")


def check(project: Project) -> Iterator[Finding]:
    """Look for messages in the private folders that no living process holds."""
    boxes = [project.mailbox(agent) for agent in project.agents()]
    for box in boxes:
        for name in _names(box.sending):
            if not _is_held(f"{box.sending}/{name}"):
                sent = name.endswith(".sent")
                state = "was sent and waits to be finished" if sent else "was not sent in the end"
                yield _finding(project, f"{box.sending}/{name}", f"a message {state}")
        for name in _names(box.incoming):
            staged = f"{box.incoming}/{name}"
            if not _has_claim(name, boxes) and os.path.lexists(staged):
                yield _finding(project, staged, "a copy that belongs to nobody")


def _finding(project: Project, place: str, message: str) -> Finding:
    def repair() -> None:
        recover_project(project)

    hint = "--fix finishes it or sweeps it away; a copy without a sender when it is an hour old"
    return Finding("leftovers", place, message, hint, repair)


def _has_claim(name: str, boxes: Sequence[Mailbox]) -> bool:
    """Whether a staged copy is another file's to account for: that of its sender."""
    claims = [f"{box.sending}/{name}{ending}" for box in boxes for ending in _CLAIMS]
    return any(os.path.lexists(claim) for claim in claims)


def _is_held(path: str) -> bool:
    """Whether a living process is at work on a file, or was just now."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        return not files.try_lock(descriptor)
    finally:
        os.close(descriptor)


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != "counters")
    except OSError:
        return []
