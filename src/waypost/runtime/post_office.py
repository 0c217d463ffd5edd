"""One running office: its folders watched, its letters handed over, its live agents online."""

import logging
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress

from waypost import __version__
from waypost.bridge.guards import Limits
from waypost.carriers.folders.home import Home
from waypost.errors import UnreadableError, WaypostError, words_of
from waypost.office import Office, consigning
from waypost.office.events import Entry, Json
from waypost.office.states import State
from waypost.runtime.courier import Courier
from waypost.runtime.dispatcher import Dispatcher, carry_once
from waypost.runtime.guarding import Guards
from waypost.runtime.tree import Tree
from waypost.runtime.waking import Waker
from waypost.runtime.watching import FolderWatch

_TREE = ".waypost-tree"  # tells the folders of one home from those of another
log = logging.getLogger("waypost.serve")


class PostOffice:
    """Everything of an office that runs in threads; the doors and live peers run in a loop."""

    def __init__(
        self, office: Office, folders: str, limits: Limits | None = None, url: str | None = None
    ) -> None:
        self.online: Callable[[], Sequence[str]] = tuple  # our agents that live peers reach here
        self._url = url
        home = Home(folders)
        courier = Courier(office, home, limits)
        self.tree = Tree(office, home, courier.is_bringing)
        self.dispatcher = Dispatcher(courier)
        self._waker = Waker(office, Guards(office, limits))
        self.dispatcher.followers += [self._heard, self._waker.heard]
        self.office = office
        self._watch = FolderWatch(self.tree)

    def join(self) -> None:
        """Be a node of the office, where it has several. Raises ConflictError, UnreachableError."""
        company = self.office.desk.journal.company
        fixed: Json = {"url": self._url, "version": __version__}
        if company.me is not None:
            fixed["tree"] = _mark_of(self.tree.home.path)
        company.join(lambda: {**fixed, "online": list(self.online())}, self._duties_changed)

    def leave(self) -> None:
        """Be none any more, once nothing is under way."""
        self.office.desk.journal.company.leave()

    def start(self) -> None:
        """Begin: first the folders as they stand, then what changes."""
        for project in consigning.projects(self.office.desk):
            self._furnish(project)
        self._watch.start()
        self.dispatcher.start()
        self._waker.start()

    def stop(self) -> None:
        """End in good order: nothing more comes in, what is on its way arrives."""
        self._waker.stop()
        self._watch.stop()
        self.dispatcher.stop()

    def _duties_changed(self) -> None:
        self.dispatcher.duties_changed()
        self._watch.look_anew()

    def _heard(self, entry: Entry) -> None:
        """Keep the folders as the journal has it: everybody has one, withdrawn files go."""
        event = entry.event
        if event.kind.startswith("agent."):
            self._furnish(event.project)
        elif event.kind == "letters.moved" and event.data["state"] == State.WITHDRAWN:
            for letter, box in event.data["deliveries"]:
                self.tree.take_back(event.project, letter, box)
        elif event.kind == "letter.redirected":
            self.tree.take_back(event.project, *event.data["delivery"])

    def _furnish(self, project: str) -> None:
        try:
            self.tree.furnish_named(project)
        except (WaypostError, OSError) as error:
            log.error("the folders of %s can't be made: %s", project, error)


def _mark_of(folders: str) -> str:
    """What tells this tree of folders from others, whichever machine looks; made once."""
    path = f"{folders}/{_TREE}"
    try:
        os.makedirs(folders, exist_ok=True)
        with suppress(FileExistsError), open(path, "x", encoding="utf-8") as file:
            file.write(secrets.token_hex(16))
        with open(path, encoding="utf-8") as file:
            return file.read(64)
    except OSError as error:
        raise UnreadableError(f"{path}: {words_of(error)}") from error


def dispatch_once(office: Office, folders: str, project: str) -> None:
    """Sweep a project's folders and hand over its letters, for a command without a server.

    What can't be done now is left to the next command, or to a server.
    """
    home = Home(folders)
    tree = Tree(office, home)
    with suppress(WaypostError, OSError):
        tree.furnish_named(project)
        if project in home.projects():
            tree.sweep(home.project(project))
        carry_once(Courier(office, home), project)
