"""The messages in a mailbox's folders, and the order in which they should be dealt with."""

import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from waypost.carriers.folders.home import Mailbox, leads_out
from waypost.carriers.folders.reading import read_file
from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.dialects.text import finish
from waypost.errors import NotFoundError, Problem, UnreadableError, UsageError, words_of
from waypost.mailbox.cache import Cache, Entry, Stamp

PRIORITIES = ("P0", "P1", "P2", "P3")
_RANKS = {priority: rank for rank, priority in enumerate(PRIORITIES)}
_FIRST_AT_EQUAL_PRIORITY = ("task_request", "review_request")
_ENDINGS = (".yaml", ".yml")
_FOLDERS = ("inbox", "inbox/archive", "outbox")
_LONGEST_ID = 200
_LEADS_OUT = Problem(
    (), "not_a_file", "is a link that leads out of the project", "put the file itself there"
)


class Item:
    """One message file: what a listing needs of it; the whole message is read when asked for."""

    __slots__ = ("_message", "entry", "mailbox", "path")

    def __init__(
        self, path: str, mailbox: Mailbox, entry: Entry, message: Message | None = None
    ) -> None:
        self.path = path
        self.mailbox = mailbox
        self.entry = entry
        self._message = message

    @property
    def message(self) -> Message:
        """The whole message. Raises NotFoundError when its file has vanished."""
        if self._message is None:
            whole = read_item(self.path, self.mailbox)
            if whole is None:
                raise NotFoundError(f"{self.path} is gone", hint="somebody else dealt with it")
            self._message = whole.message
        return self._message

    @property
    def header(self) -> dict[str, Any] | None:
        """The fields besides the body, or None when the file is no message."""
        return self.entry.header

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    def text(self, field: str) -> str:
        """A field's text, or "" when there is none."""
        value = (self.entry.header or {}).get(field)
        return value if isinstance(value, str) else ""

    @property
    def id(self) -> str:
        return self.text("id")

    @property
    def handle(self) -> str:
        """What a command may call it by: its id, or its file where the id is no good for that."""
        good = self.id.isprintable() and self.id.strip() and not self.id.startswith("-")
        return self.id if good and len(self.id) <= _LONGEST_ID else self.name

    @property
    def recipients(self) -> list[str]:
        to = (self.entry.header or {}).get("to")
        names = to if isinstance(to, list) else [to]
        return [name for name in names if isinstance(name, str) and name]

    @property
    def identity(self) -> tuple[str, int, int]:
        """Equal for the copies of one message, unequal for two that share an id by mistake."""
        return (self.id, self.entry.stamp.size, self.entry.checksum)

    def is_expired(self, now: str) -> bool:
        """Expired messages stay; it is for the reader to know."""
        return bool(self.text("expires_at")) and self.text("expires_at")[:19] <= now[:19]

    def order(self) -> tuple[object, ...]:
        """The key that sorts an inbox: priority, type, age, arrival, name; the unreadable last."""
        arrived = self.entry.stamp.mtime
        if self.entry.header is None:
            return (9, 0, "", arrived, self.name)
        rank = _RANKS.get(self.text("priority"), len(PRIORITIES))
        later = self.entry.type not in _FIRST_AT_EQUAL_PRIORITY
        return (rank, later, self.text("created_at_utc"), arrived, self.name)


def read_item(path: str, mailbox: Mailbox) -> Item | None:
    """Read one file whole; None when it has vanished meanwhile."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    is_strange = stat.S_ISLNK(status.st_mode) and leads_out(path, mailbox)
    data = _LEADS_OUT if is_strange else read_file(path)
    if isinstance(data, Problem) and data.code == "not_found":
        return None
    if isinstance(data, Problem):
        message = Message("oacp", None, None, finish([data], None))
    else:
        message = dialect("oacp").read(data, os.path.basename(path))
    return Item(path, mailbox, _entry(Stamp.of(status), message), message)


def _entry(stamp: Stamp, message: Message) -> Entry:
    header = None
    if message.fields is not None:
        header = {key: value for key, value in message.fields.items() if key != "body"}
    problems = () if message.valid else message.problems
    return Entry(stamp, zlib.crc32(message.raw), message.type, header, problems)


def items_in(mailbox: Mailbox, folder: str) -> Iterator[Item]:
    """Give every message of one of a mailbox's folders; nothing that lies there stops it.

    Raises UnreadableError when something else stands in the folder's place.
    """
    path = f"{mailbox.path}/{folder}"
    try:
        entries = list(os.scandir(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise _no_folder(path, error) from error
    cache = Cache(f"{mailbox.path}/.cache/{folder.replace('/', '-')}.json")
    while entries:
        file = entries.pop()  # what a file's status takes in memory is given back at once
        if not file.name.endswith(_ENDINGS) or file.name.startswith("."):
            continue
        if file.is_dir(follow_symlinks=False):
            continue
        try:
            known = cache.get(file.name, Stamp.of(file.stat(follow_symlinks=False)))
        except FileNotFoundError:
            continue
        item = Item(file.path, mailbox, known) if known else read_item(file.path, mailbox)
        if item is not None:
            if not file.is_symlink():  # the file behind a link may change, and the link not
                cache.keep(file.name, item.entry)
            yield item if known else Item(file.path, mailbox, item.entry)
    cache.save()


def _no_folder(path: str, error: OSError) -> UnreadableError:
    if isinstance(error, NotADirectoryError):
        return UnreadableError(f"{path} is not a folder", hint="put a folder in its place")
    what = f"{path} can't be read: {words_of(error)}"
    return UnreadableError(what, hint="look at what stands there")


def twins(items: Iterable[Item]) -> Iterator[tuple[Item, Item]]:
    """Give what shares its id with an earlier message, but not the content, and that message."""
    seen: dict[str, Item] = {}
    for item in items:
        first = seen.setdefault(item.id, item) if item.id else item
        if first.identity != item.identity:
            yield item, first


def inbox(mailbox: Mailbox) -> list[Item]:
    """The inbox in processing order."""
    return sorted(items_in(mailbox, "inbox"), key=Item.order)


def everything(mailbox: Mailbox) -> Iterator[Item]:
    """All that a mailbox holds: what came, what was dealt with, what was sent."""
    for folder in _FOLDERS:
        yield from items_in(mailbox, folder)


def find(mailbox: Mailbox, wanted: str, folders: tuple[str, ...] = _FOLDERS) -> Item:
    """Find a message by id, the beginning of its id, or its file.

    Raises NotFoundError, or UsageError when several begin so.
    """
    if os.sep in wanted or wanted.endswith(_ENDINGS):
        for path in (wanted, *(f"{mailbox.path}/{folder}/{wanted}" for folder in folders)):
            if os.path.isfile(path) and (item := read_item(path, mailbox)) is not None:
                return item
    found: dict[str, Item] = {}
    for folder in folders:
        for item in items_in(mailbox, folder):
            if wanted and item.id.startswith(wanted):
                found.setdefault(item.id, item)
    if wanted in found:
        return found[wanted]
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise UsageError(
            f'"{wanted}" begins the ids of {len(found)} messages',
            hint="say more of it: " + ", ".join(sorted(found)[:5]),
        )
    raise NotFoundError(
        f'no message "{wanted}" in the mailbox of {mailbox.agent}', hint="oacp inbox shows the ids"
    )
