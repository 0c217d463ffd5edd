"""Many subscriptions at once, told as soon as something happens."""

import os
from typing import NamedTuple

from waypost.carriers.folders.home import Project
from waypost.carriers.folders.watch import SWEEP_SECONDS, Names, Watcher
from waypost.mailbox.sending import recover_project
from waypost.mailbox.watching import Event, Subscription

_SETTLING_STEP = 0.2  # seconds between two looks at a file that isn't right yet


class _Box(NamedTuple):
    project: Project
    subscription: Subscription


class Follower:
    """Finds what is new in several mailboxes, and waits for more."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._boxes: dict[str, _Box] = {}
        self._unfinished: set[str] = set()  # projects where a delivery may have lost its sender
        self.has_strange_changes = False  # in a folder that somebody else watches

    def add(self, project: Project, subscription: Subscription) -> None:
        """Follow one more mailbox; begins with all that is new in it."""
        box = subscription.mailbox
        self._boxes[box.inbox] = _Box(project, subscription)
        self._watcher.add(box.inbox)
        self._watcher.add(box.incoming, push=False)
        recover_project(project)

    def subscription_of(self, event: Event) -> Subscription:
        """The subscription that an event came from."""
        return self._boxes[event.mailbox.inbox].subscription

    def subscriptions(self) -> list[Subscription]:
        return [box.subscription for box in self._boxes.values()]

    def look(self) -> list[Event]:
        """All that is new, everywhere."""
        return [event for box in self._boxes.values() for event in box.subscription.look()]

    def wait(self, seconds: float | None = None) -> list[Event]:
        """Wait for news, at most so long; may come back with none."""
        changes = self._watcher.wait(self._patience(seconds))
        self.has_strange_changes = False
        for folder in changes:
            if folder.endswith("/.incoming"):
                self._unfinished.add(folder)
            elif folder not in self._boxes:
                self.has_strange_changes = True
        self._finish_deliveries()
        events = []
        for inbox, box in self._boxes.items():
            unsettled = box.subscription.unsettled
            if inbox in changes or unsettled:
                names: Names = changes.get(inbox, set())
                wanted = None if names is None else names | unsettled
                events += box.subscription.look(wanted)
        return events

    def _patience(self, seconds: float | None) -> float | None:
        limits = [] if seconds is None else [seconds]
        if any(box.subscription.unsettled for box in self._boxes.values()):
            limits.append(_SETTLING_STEP)
        if self._unfinished:
            limits.append(SWEEP_SECONDS)
        return min(limits, default=None)

    def _finish_deliveries(self) -> None:
        """Let appear what was sent by one who died before it was there for us to see.

        What a living sender has on its way is left alone, and looked at again later.
        """
        for box in self._boxes.values():
            incoming = box.subscription.mailbox.incoming
            if incoming in self._unfinished:
                recover_project(box.project)
                if not _has_entries(incoming):
                    self._unfinished.discard(incoming)


def _has_entries(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
