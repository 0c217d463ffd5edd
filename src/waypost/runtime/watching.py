"""Keeps an eye on all folders of an OACP home, in a thread of its own."""

import logging
import threading

from waypost.carriers.folders.home import Mailbox
from waypost.carriers.folders.watch import Watcher
from waypost.errors import WaypostError
from waypost.runtime.tree import Tree

_LOOK_SECONDS = 1.0
log = logging.getLogger("waypost.folders")


class FolderWatch:
    """Sweeps an inbox whenever something in it changes, and all of them at the start."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="waypost-folders", daemon=True)
        self._inboxes: dict[str, Mailbox] = {}

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the sweep that is under way."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        watcher = Watcher()
        try:
            self._find(watcher)
            while not self._stopped.is_set():
                changes = watcher.wait(_LOOK_SECONDS)
                changed = [self._inboxes[path] for path in changes if path in self._inboxes]
                if len(changed) < len(changes):  # a folder of projects or agents
                    self._find(watcher)
                for mailbox in changed:
                    self._look(mailbox)
        finally:
            watcher.close()

    def _find(self, watcher: Watcher) -> None:
        """Look for projects and agents that are new, and sweep their inboxes."""
        watcher.add(f"{self._tree.home.path}/projects")
        try:
            for project in self._tree.projects():
                watcher.add(f"{project.path}/agents")
                self._tree.furnish(project)
                for mailbox in self._tree.mailboxes(project):
                    if mailbox.inbox not in self._inboxes:
                        self._inboxes[mailbox.inbox] = mailbox
                        watcher.add(mailbox.inbox)
                        self._look(mailbox)
        except (WaypostError, OSError) as error:
            log.error("the folders can't be swept: %s", error)

    def _look(self, mailbox: Mailbox) -> None:
        try:
            self._tree.look(mailbox)
        except (WaypostError, OSError) as error:
            log.error("%s can't be swept: %s", mailbox.inbox, error)
        except Exception:
            log.exception("%s can't be swept", mailbox.inbox)
