"""After a crash: finishes what was sent, sweeps away what wasn't, and leaves the living alone."""

import os
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from waypost.carriers.folders import files
from waypost.carriers.folders.deliver import NEW, SENT, TMP, finish, sweep
from waypost.carriers.folders.home import Mailbox, Project, prepare
from waypost.errors import WaypostError

_ORPHANED_NS = 3600 * 10**9


class Leftover(NamedTuple):
    """A message that was on its way when its sender died."""

    name: str
    sender: Mailbox
    is_sent: bool  # past the point of no return


def recover(project: Project, recipients_of: Callable[[bytes], Sequence[str]]) -> list[Leftover]:
    """Finish what was sent and sweep away what wasn't; tells of both.

    Processes that live are left alone, and what can't be mended now waits for the next time.
    """
    boxes = [
        Mailbox(project.name, agent, f"{project.path}/agents/{agent}") for agent in project.agents()
    ]
    done = [
        left
        for box in boxes
        for entry in _names_in(box.sending)
        if (left := _recover_one(entry, box, boxes, recipients_of))
    ]
    for box in boxes:
        for name in _names_in(box.incoming):
            _remove_orphan(f"{box.incoming}/{name}", name, boxes)
    return done


def _recover_one(
    entry: str,
    sender: Mailbox,
    boxes: Sequence[Mailbox],
    recipients_of: Callable[[bytes], Sequence[str]],
) -> Leftover | None:
    path = f"{sender.sending}/{entry}"
    name, ending = os.path.splitext(entry)
    if ending not in (TMP, NEW, SENT):
        return None
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # gone meanwhile, not ours to change, or no file
        return None
    try:
        if not files.try_lock(descriptor) or not _is_at(path, descriptor):
            return None
        if ending == TMP:
            files.remove(path)
            return None
        if ending == NEW:
            sweep(name, sender, boxes)
        if ending == SENT:
            wanted = recipients_of(os.pread(descriptor, 1 << 21, 0))
            if not wanted:  # damaged by strangers: for people to look at
                return None
            _finish_dead(name, sender, [box for box in boxes if box.agent in wanted])
        return Leftover(name, sender, ending == SENT)
    except (OSError, WaypostError):
        return None
    finally:
        os.close(descriptor)


def _is_at(path: str, descriptor: int) -> bool:
    """Tell whether an open file is still what its path names, and a regular file."""
    status = os.fstat(descriptor)
    return os.path.samestat(os.lstat(path), status) and stat.S_ISREG(status.st_mode)


def _finish_dead(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    """Finish for a dead process: a copy that the recipient archived already is not sent again."""
    for box in recipients:
        prepare(box, "inbox")
        if files.same_file(f"{box.incoming}/{name}", f"{box.archive}/{name}"):
            files.remove(f"{box.incoming}/{name}")
    prepare(sender, "outbox")
    finish(name, sender, recipients)


def _remove_orphan(staged: str, name: str, boxes: Sequence[Mailbox]) -> None:
    """Remove a staged copy whose claim the loss of power took.

    Only an old one: its name holds a minute that is past, so nobody is staging the same again.
    """
    with suppress(OSError):
        if time.time_ns() - os.lstat(staged).st_mtime_ns < _ORPHANED_NS:
            return
        # In this order: a claim only ever goes from new to sent.
        claims = [f"{box.sending}/{name}{ending}" for ending in (NEW, SENT) for box in boxes]
        if not any(os.path.lexists(claim) for claim in claims):
            files.remove(staged)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != "counters")
    except OSError:
        return []
