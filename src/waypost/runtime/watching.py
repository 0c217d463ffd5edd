"""Keeps an eye on all folders of an OACP home, in a thread of its own."""

import logging
import threading
import time

from waypost.carriers.folders.home import Mailbox
from waypost.carriers.folders.watch import Changes, Names, Watcher
from waypost.errors import WaypostError
from waypost.runtime.tree import Tree

_LOOK_SECONDS = 1.0
_LONG_LOOK = 0.02  # seconds; after a longer one an inbox rests, or a full one takes all the time
_SOON = 0.05  # seconds, in which a delivery of our own is noted
_LATER = 5.0  # seconds, after which an inbox that couldn't be looked at is tried again
_RESTS = 9  # times as long as the look took
log = logging.getLogger("waypost.folders")


class FolderWatch:
    """Sweeps an inbox whenever something in it changes, and all of them at the start."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._stopped = threading.Event()
        self._is_anew = threading.Event()
        self._thread = threading.Thread(target=self._run, name="waypost-folders", daemon=True)
        self._inboxes: dict[str, Mailbox] = {}
        self._changed: Changes = {}
        self._rests_until: dict[str, float] = {}

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def look_anew(self) -> None:
        """Look at every inbox once more, soon: another node's files may be ours now."""
        self._is_anew.set()

    def stop(self) -> None:
        """End after the file that is under way; the next start looks at all of them again."""
        self._tree.is_ending = True
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        watcher = Watcher()
        try:
            self._find(watcher)
            while not self._stopped.is_set():
                changes = watcher.wait(self._patience())
                if changes.keys() - self._inboxes.keys():  # a folder of projects or agents
                    self._find(watcher)
                for path in changes.keys() & self._inboxes.keys():
                    self._note(path, changes[path])
                if self._is_anew.is_set():
                    self._is_anew.clear()
                    self._changed.update(dict.fromkeys(self._inboxes))
                for path in [one for one in self._changed if self._rest_of(one) <= 0]:
                    self._look(self._inboxes[path], self._changed.pop(path))
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

    def _rest_of(self, path: str) -> float:
        return self._rests_until.get(path, 0.0) - time.monotonic()

    def _patience(self) -> float:
        rests = [self._rest_of(path) for path in self._changed]
        return max(0.001, min([_LOOK_SECONDS, *rests]))

    def _note(self, path: str, names: Names) -> None:
        """Note which names of an inbox have to be looked at, or all of them."""
        before = self._changed.setdefault(path, set())
        self._changed[path] = None if before is None or names is None else before | names

    def _look(self, mailbox: Mailbox, names: Names = None) -> None:
        begun = time.monotonic()
        is_done, again = False, names
        try:
            again = self._tree.look(mailbox, names)
            is_done = True
        except (WaypostError, OSError) as error:
            log.error("%s can't be swept: %s", mailbox.inbox, error)
        except Exception:
            log.exception("%s can't be swept", mailbox.inbox)
        finally:
            now = time.monotonic()
            rests = _RESTS * (now - begun) if now - begun > _LONG_LOOK else 0.0
            if again is None or again:
                self._note(mailbox.inbox, again)
                rests = max(rests, _SOON if is_done else _LATER)
            self._rests_until[mailbox.inbox] = now + rests
