"""A project with a sender and three recipients, and short ways to deliver in it."""

from pathlib import Path
from typing import NamedTuple

from waypost.carriers.folders.deliver import Delivered, Names, deliver
from waypost.carriers.folders.home import Home, Mailbox, Project

USUAL, UNIQUE = "20260313T1430Z_ann_question.yaml", "20260313T1430Z_ann_question_a1b2.yaml"
NAMES = Names(USUAL, UNIQUE)


class Post(NamedTuple):
    """The mailboxes of one project."""

    project: Project
    ann: Mailbox
    bob: Mailbox
    cat: Mailbox

    def deliver(self, data: bytes = b"to: bob\n", *to: Mailbox, names: Names = NAMES) -> Delivered:
        """Deliver from ann, to bob unless told otherwise."""
        return deliver(data, names, self.ann, to or (self.bob,))

    def files(self) -> dict[str, bytes]:
        """What lies in the folders, by its place under agents/."""
        root = Path(self.project.path, "agents")
        found = [path for path in sorted(root.rglob("*")) if path.is_file()]
        return {str(path.relative_to(root)): path.read_bytes() for path in found}


def open_post(folder: Path) -> Post:
    """A new home with one project."""
    project = Home(str(folder)).create_project("my-app")
    for agent in ("ann", "bob", "cat"):
        project.add_agent(agent)
    return Post(project, *(project.mailbox(agent) for agent in project.agents()))
