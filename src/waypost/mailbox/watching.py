"""What is new in a mailbox since a subscriber last looked.

An event is found first, told by the caller, and only then noted in the cursor: whoever dies in
between hears of it again, and nobody misses any. A message is known by its file's name, and, when
the file under that name has changed, by its id: another id is another message.
"""

import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from waypost.carriers.folders.cursor import Cursor, Entry
from waypost.carriers.folders.home import Mailbox
from waypost.carriers.folders.reading import unreadable
from waypost.errors import Problem
from waypost.mailbox.items import Item, read_item

NEW, ARCHIVED, ERROR = "new_message", "message_archived", "error"
SETTLING_SECONDS = 1.0  # for so long a file that isn't right may still be in the writing
_SHOWN = ("id", "from", "type", "priority", "subject")
_LONGEST = 200


class Event(NamedTuple):
    """Something that a subscriber hears of."""

    kind: str
    mailbox: Mailbox
    file: str
    entry: Entry  # what the cursor keeps of it
    order: tuple[object, ...] = ()
    created: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.mailbox.inbox}/{self.file}" if self.file else self.mailbox.inbox

    def text(self, field: str) -> str:
        """What is known of the message's field, or ""."""
        value = self.entry.get(field)
        return value if isinstance(value, str) else ""

    @property
    def details(self) -> str:
        """What is wrong, as a sentence."""
        return f"the {'message' if self.file else 'inbox'} {self.problems[0].message}"

    def to_json(self) -> dict[str, object]:
        """The event as a line of JSON: the existing command's fields, and more."""
        shown: dict[str, object] = {
            "event": self.kind,
            "agent": self.mailbox.agent,
            "project": self.mailbox.project,
            "file": self.file,
        }
        if self.kind != ARCHIVED:
            shown["path"] = self.path
        if self.kind == ERROR:
            shown |= {"error": self.problems[0].code, "details": self.details}
        else:
            shown |= {name: self.text(name) for name in _SHOWN}
        if any(problem.is_error for problem in self.problems):
            shown["problems"] = [problem.to_json() for problem in self.problems]
        return shown


class Subscription:
    """One subscriber's view of one mailbox."""

    def __init__(
        self, mailbox: Mailbox, cursor: Cursor, *, archived: bool = False, patient: bool = False
    ) -> None:
        self.mailbox = mailbox
        self.cursor = cursor
        self.unsettled: set[str] = set()  # files to look at again in a moment
        self._tells_archived = archived
        self._is_patient = patient
        self._trouble = ""  # with the inbox as a whole

    def begin(self, since: str) -> None:
        """On the first run, take what was there before a moment (UTC, as in messages) as known."""
        if not self.cursor.is_new:
            return
        for event in self.look():
            if event.kind == NEW and event.created[:19] < since:
                self.note([event])
        self.cursor.commit()
        self.cursor.is_new = False
        self._trouble = ""  # not told yet

    def look(self, names: Iterable[str] | None = None) -> list[Event]:
        """Find what is new, among some names or all: in processing order, then the rest."""
        try:
            present, gone = self._listing(names)
        except OSError as error:  # an inbox that is away for a while is not an empty one
            return self._in_trouble(unreadable(error))
        self._trouble = ""
        self.unsettled.difference_update(present, gone)
        found = [self._event(name, stamp) for name, stamp in present.items()]
        events = sorted((event for event in found if event), key=lambda event: event.order)
        archived = [self._gone(name) for name in gone if name in self.cursor.messages]
        self.note(self._gone(name) for name in gone if name in self.cursor.unreadable)
        if self._tells_archived:
            return events + archived
        self.note(archived)
        return events

    def note(self, events: Iterable[Event]) -> None:
        """Remember that these events were told; `cursor.commit` makes it last."""
        for event in events:
            if not event.file:
                continue
            self.cursor.has_changed = True
            if event.kind == ERROR:
                self.cursor.unreadable[event.file] = event.entry["seen"]
                self.cursor.messages.pop(event.file, None)
                continue
            self.cursor.unreadable.pop(event.file, None)
            if event.kind == NEW:
                self.cursor.messages[event.file] = event.entry
            else:
                self.cursor.messages.pop(event.file, None)

    def _listing(self, names: Iterable[str] | None) -> tuple[dict[str, str], list[str]]:
        """The message files that are there, each with its stamp, and the known ones that aren't."""
        present = {}
        if names is None:
            for entry in os.scandir(self.mailbox.inbox):
                if _is_message_name(entry.name) and not entry.is_dir(follow_symlinks=False):
                    with suppress(FileNotFoundError):
                        present[entry.name] = _stamp(entry.stat(follow_symlinks=False))
            known = [*self.cursor.messages, *self.cursor.unreadable]
            return present, [name for name in known if name not in present]
        gone = []
        for name in sorted(names):
            if _is_message_name(name):
                try:
                    status = os.lstat(f"{self.mailbox.inbox}/{name}")
                except FileNotFoundError:
                    gone.append(name)
                    continue
                if not stat.S_ISDIR(status.st_mode):
                    present[name] = _stamp(status)
        return present, gone

    def _gone(self, name: str) -> Event:
        return Event(ARCHIVED, self.mailbox, name, self.cursor.messages.get(name, {}))

    def _in_trouble(self, problem: Problem) -> list[Event]:
        """An error, unless it was told already."""
        before, self._trouble = self._trouble, problem.message
        event = Event(ERROR, self.mailbox, "", {}, problems=(problem,))
        return [] if before == self._trouble else [event]

    def _event(self, name: str, stamp: str) -> Event | None:
        known = self.cursor.messages.get(name)
        if known is not None and known.get("stamp", stamp) == stamp:
            if "stamp" not in known:
                known["stamp"], self.cursor.has_changed = stamp, True
            return None
        item = read_item(f"{self.mailbox.inbox}/{name}", self.mailbox)
        if item is None:
            return None
        if not item.message.valid and self._is_patient and may_be_unfinished(item):
            self.unsettled.add(name)
            return None
        if item.message.fields is None:
            return self._unreadable(item, stamp)
        event = self._new(item, stamp)
        if known is not None and event.text("id") and known.get("id") == event.text("id"):
            self.note([event])  # the same message, edited
            return None
        return event

    def _new(self, item: Item, stamp: str) -> Event:
        entry: Entry = {name: item.text(name)[:_LONGEST] for name in _SHOWN}
        entry |= {"file": item.name, "stamp": stamp}
        created = item.text("created_at_utc")
        if not created[:4].isdigit():
            created = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(item.entry.stamp.mtime / 1e9))
        problems = () if item.message.valid else item.message.problems
        return Event(NEW, self.mailbox, item.name, entry, item.order(), created, problems)

    def _unreadable(self, item: Item, stamp: str) -> Event | None:
        """An error, unless it was told already; such a file is tried again at every look."""
        problem = item.message.problems[0]
        seen = f"{stamp} {problem.code}"
        if self.cursor.unreadable.get(item.name) == seen:
            return None
        entry: Entry = {"seen": seen}
        return Event(ERROR, self.mailbox, item.name, entry, item.order(), "", (problem,))


def _is_message_name(name: str) -> bool:
    return name.endswith((".yaml", ".yml")) and not name.startswith(".")


def _stamp(status: os.stat_result) -> str:
    return f"{status.st_ino}-{status.st_mtime_ns}-{status.st_size}"


def may_be_unfinished(item: Item) -> bool:
    """Whether a file is so young that its writer may still be at it."""
    return 0 <= time.time() - item.entry.stamp.mtime / 1e9 < SETTLING_SECONDS
