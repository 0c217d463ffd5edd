"""The files of an inbox as the office sees them: which are messages, what they hold, and away."""

import logging
import os
import stat
from collections.abc import Iterable

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, leads_out, prepare
from waypost.carriers.folders.reading import read_file
from waypost.errors import Problem

_ENDINGS = (".yaml", ".yml")
Stamp = tuple[int, int, int]
log = logging.getLogger("waypost.folders")


def is_message(name: str) -> bool:
    """Whether a file of this name is one to read."""
    return name.endswith(_ENDINGS) and not name.startswith(".")


def names_in(mailbox: Mailbox) -> set[str]:
    """The names of the message files in an inbox."""
    try:
        return set(filter(is_message, os.listdir(mailbox.inbox)))
    except OSError:
        return set()


def still_in(mailbox: Mailbox, names: Iterable[str]) -> set[str]:
    """Those of some names under which there is a message file."""
    return {
        name for name in names if is_message(name) and os.path.lexists(f"{mailbox.inbox}/{name}")
    }


def stamp_of(path: str) -> Stamp | None:
    """What changes when a file does; None when it is gone."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def content_of(path: str, mailbox: Mailbox) -> bytes | None:
    """A file's bytes; None where nothing may be read, or nothing is."""
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode) and leads_out(path, mailbox):
            log.warning("%s is a link that leads out of the project", path)
            return None
    except OSError:
        return None
    data = read_file(path)
    if isinstance(data, Problem):
        if data.code != "not_found":
            log.warning("%s %s", path, data.message)
        return None
    return data or None


def put_away(mailbox: Mailbox, name: str) -> None:
    """Put a file away whose letter is in the office."""
    prepare(mailbox, "inbox", "inbox/archive")
    stem, ending = os.path.splitext(name)
    for number in range(1000):
        final = f"{mailbox.archive}/{name if number == 0 else f'{stem}.{number}{ending}'}"
        try:
            files.publish(f"{mailbox.inbox}/{name}", final)
        except FileExistsError:
            continue
        except FileNotFoundError:
            return
        return
    log.warning("%s has a thousand files called %s", mailbox.archive, name)
