"""Putting mail away: into the archive, out of the world, or among what can't be delivered."""

import os
import time

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, prepare
from waypost.errors import NotFoundError
from waypost.mailbox.items import Item


def archive(mailbox: Mailbox, item: Item) -> str:
    """Move a message from the inbox to the archive, over nothing that is there; gives its place."""
    return _move(item, mailbox, "inbox/archive")


def delete(item: Item) -> None:
    """Really remove a message from the inbox."""
    if not files.remove(item.path):
        raise _gone(item)
    files.sync_folder(os.path.dirname(item.path))


def bury(mailbox: Mailbox, item: Item, reason: str) -> str:
    """Move a file that is no message to `dead_letter/`, with the reason beside it."""
    path = _move(item, mailbox, "dead_letter")
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    os.close(files.create(f"{path}.reason.txt", f"{when}\n{reason}\n".encode()))
    return path


def _move(item: Item, mailbox: Mailbox, folder: str) -> str:
    prepare(mailbox, "inbox", folder)
    final = files.move(item.path, f"{mailbox.path}/{folder}", item.name)
    if final is None:
        raise _gone(item)
    files.sync_folder(os.path.dirname(final))
    files.sync_folder(os.path.dirname(item.path))
    return final


def _gone(item: Item) -> NotFoundError:
    return NotFoundError(f"{item.path} is gone", hint="somebody else dealt with it")
