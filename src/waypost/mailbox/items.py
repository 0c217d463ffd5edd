"""The messages in a folder, in the order in which they should be dealt with."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from waypost.carriers.folders.home import Mailbox
from waypost.carriers.folders.reading import read_file
from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.dialects.text import finish
from waypost.errors import NotFoundError, Problem, UsageError

PRIORITIES = ("P0", "P1", "P2", "P3")
_FIRST_AT_EQUAL_PRIORITY = ("task_request", "review_request")


class Item(NamedTuple):
    """One message file: where it is, when it came, and what is in it."""

    path: str
    arrived: int  # nanoseconds
    message: Message

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def text(self, field: str) -> str:
        """A field's text, or "" when there is none."""
        value = (self.message.fields or {}).get(field)
        return value if isinstance(value, str) else ""

    @property
    def id(self) -> str:
        return self.text("id")

    @property
    def recipients(self) -> list[str]:
        to = (self.message.fields or {}).get("to")
        names = to if isinstance(to, list) else [to]
        return [name for name in names if isinstance(name, str)]

    def is_expired(self, now: str) -> bool:
        """Expired messages stay; it is for the reader to know."""
        return bool(self.text("expires_at")) and self.text("expires_at")[:19] <= now[:19]

    def order(self) -> tuple[object, ...]:
        """The key that sorts an inbox: priority, type, age, arrival, name; the unreadable last."""
        if self.message.fields is None:
            return (9, 0, "", self.arrived, self.name)
        priority = self.text("priority")
        rank = PRIORITIES.index(priority) if priority in PRIORITIES else len(PRIORITIES)
        later = self.message.type not in _FIRST_AT_EQUAL_PRIORITY
        return (rank, int(later), self.text("created_at_utc"), self.arrived, self.name)


def read_item(path: str) -> Item | None:
    """Read one file; None when it has vanished meanwhile."""
    try:
        arrived = os.lstat(path).st_mtime_ns
    except FileNotFoundError:
        return None
    data = read_file(path)
    if isinstance(data, Problem):
        if data.code == "not_found":
            return None
        return Item(path, arrived, Message("oacp", None, None, finish([data], None)))
    return Item(path, arrived, dialect("oacp").read(data, os.path.basename(path)))


def items_in(folder: str) -> Iterator[Item]:
    """Read every message file in a folder; nothing that lies there stops it."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.name.endswith((".yaml", ".yml")) and not entry.name.startswith("."):
            if entry.is_dir(follow_symlinks=False):
                continue
            if (item := read_item(entry.path)) is not None:
                yield item


def inbox(mailbox: Mailbox) -> list[Item]:
    """The inbox in processing order."""
    return sorted(items_in(mailbox.inbox), key=Item.order)


def everything(mailbox: Mailbox) -> Iterator[Item]:
    """All that a mailbox holds: what came, what was dealt with, what was sent."""
    for folder in (mailbox.inbox, mailbox.archive, mailbox.outbox):
        yield from items_in(folder)


def find(mailbox: Mailbox, wanted: str, folders: tuple[str, ...] | None = None) -> Item:
    """Find a message by id, the beginning of its id, or its file.

    Raises NotFoundError, or UsageError when several begin so.
    """
    if os.sep in wanted or wanted.endswith((".yaml", ".yml")):
        for path in (wanted, f"{mailbox.inbox}/{wanted}", f"{mailbox.archive}/{wanted}"):
            if os.path.isfile(path) and (item := read_item(path)) is not None:
                return item
    found: dict[str, Item] = {}
    for folder in folders or (mailbox.inbox, mailbox.archive, mailbox.outbox):
        for item in items_in(folder):
            if item.id == wanted:
                return item
            if wanted and item.id.startswith(wanted):
                found.setdefault(item.id, item)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise UsageError(f'"{wanted}" begins the ids of {len(found)} messages',
                         hint="say more of it: " + ", ".join(sorted(found)[:5]))  # fmt: skip
    raise NotFoundError(f'no message "{wanted}" in the mailbox of {mailbox.agent}',
                        hint="oacp inbox shows the ids")  # fmt: skip
