"""One running office: its folders watched, its letters handed over, its live agents online."""

import logging
from contextlib import suppress

from waypost.bridge.guards import Limits
from waypost.carriers.folders.home import Home
from waypost.errors import WaypostError
from waypost.office import Office, consigning
from waypost.office.events import Entry
from waypost.office.states import State
from waypost.runtime.courier import Courier
from waypost.runtime.dispatcher import Dispatcher, carry_once
from waypost.runtime.guarding import Guards
from waypost.runtime.tree import Tree
from waypost.runtime.waking import Waker
from waypost.runtime.watching import FolderWatch

log = logging.getLogger("waypost.serve")


class PostOffice:
    """Everything of an office that runs in threads; the doors and live peers run in a loop."""

    def __init__(
        self, office: Office, folders: str, limits: Limits | None = None, *, carries: bool = True
    ) -> None:
        self.carries = carries  # else there are doors only: another process carries
        home = Home(folders)
        courier = Courier(office, home, limits)
        self.tree = Tree(office, home, courier.is_bringing)
        self.dispatcher = Dispatcher(courier)
        self._waker = Waker(office, Guards(office, limits))
        self.dispatcher.followers += [self._heard, self._waker.heard]
        self.office = office
        self._watch = FolderWatch(self.tree)

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
