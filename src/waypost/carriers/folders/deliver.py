"""Delivers one message to every recipient's inbox and the sender's outbox: all of them or none.

    1. write the message to `.sending/UNIQUE.tmp`, locked while we live, and sync it
    2. claim a name: link it to `.sending/NAME.new`, which only one can do
    3. stage a copy for every recipient: `.incoming/NAME`, synced
    4. rename the claim to `.sending/NAME.sent` and sync: the point of no return
    5. let the copies appear in the inboxes, and the claim in the outbox

A process that dies before 4 has sent nothing, and what it left is swept away. After 4 whoever comes
next finishes 5. The lock tells a dead process from a slow one; since it is taken before anything
shows under a claim's name, no living one is ever mistaken for dead.
"""

import os
import stat
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, Project, prepare
from waypost.errors import ConflictError, UnreadableError, WaypostError

_TMP, _NEW, _SENT = ".tmp", ".new", ".sent"
_ATTEMPTS = 100
_ORPHANED_NS = 3600 * 10**9


class Delivered(NamedTuple):
    """Where the copies of a message are.

    `delayed` says why some can't be seen yet; the message is sent all the same, and the next
    command lets them appear.
    """

    inbox_paths: list[str]
    outbox_path: str
    delayed: str | None = None


class Names(NamedTuple):
    """What a message's file may be called: the usual name, and one that nobody else has."""

    usual: str
    unique: str


def deliver(data: bytes, names: Names, sender: Mailbox, recipients: Sequence[Mailbox]) -> Delivered:
    """Deliver a message for good.

    When this returns, the message survives the loss of power. When it raises OSError,
    UnreadableError or ConflictError, nothing was sent.
    """
    prepare(sender, "outbox", ".sending")
    _check_one_disk(sender.outbox, sender.sending)
    for recipient in recipients:
        prepare(recipient, "inbox", ".incoming")
        _check_one_disk(recipient.inbox, recipient.incoming)
    name, claim = _claim(data, names, sender, recipients)
    try:
        _stage(data, name, sender, recipients)
        _commit(name, sender, recipients)
        return _finish_or_delay(name, sender, recipients)
    finally:
        os.close(claim)


def _check_one_disk(visible: str, private: str) -> None:
    if os.stat(visible).st_dev != os.stat(private).st_dev:
        raise UnreadableError(
            f"{visible} is on another disk than its mailbox", hint="keep a mailbox on one disk"
        )


def _claim(
    data: bytes, names: Names, sender: Mailbox, recipients: Sequence[Mailbox]
) -> tuple[str, int]:
    """Write the message, locked, and claim the first name for it that is free everywhere."""
    for attempt in range(_ATTEMPTS):
        written = f"{sender.sending}/{names.unique}.{attempt}{_TMP}"
        try:
            descriptor = files.create(written, data, locked=True)
        except (FileExistsError, BlockingIOError):
            continue
        try:
            name = _link_claim(written, names, sender, recipients)
        except FileNotFoundError:  # swept away between its creation and its lock
            os.close(descriptor)
            continue
        except BaseException:
            with suppress(OSError):
                files.remove(written)
            os.close(descriptor)
            raise
        return name, descriptor
    raise ConflictError("something keeps removing what is being sent", hint="try again")


def _link_claim(written: str, names: Names, sender: Mailbox, recipients: Sequence[Mailbox]) -> str:
    for name in names:
        claim = f"{sender.sending}/{name}{_NEW}"
        try:
            os.link(written, claim)
        except FileExistsError:
            continue
        places = [sender.outbox, *(box.inbox for box in recipients)]
        taken = [f"{sender.sending}/{name}{_SENT}", *(f"{place}/{name}" for place in places)]
        if not any(os.path.lexists(path) for path in taken):
            os.unlink(written)
            return name
        os.unlink(claim)
    raise ConflictError(f"a file called {names.unique} is there already", hint="try again")


def _stage(data: bytes, name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    try:
        for recipient in recipients:
            staged = f"{recipient.incoming}/{name}"
            files.remove(staged)  # left by one who died; nobody else has this name now
            os.close(files.create(staged, data))
            files.sync_folder(recipient.incoming)
    except BaseException:
        _sweep(name, sender, recipients)
        raise


def _commit(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    claim, sent = f"{sender.sending}/{name}{_NEW}", f"{sender.sending}/{name}{_SENT}"
    try:
        os.rename(claim, sent)
    except BaseException:
        _sweep(name, sender, recipients)
        raise
    try:
        files.sync_folder(sender.sending)
    except OSError:  # back before the point of no return, the decision first
        files.remove(sent)
        _remove_staged(name, recipients)
        raise


def _sweep(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    """Take back what was staged; the claim goes last, since it is what others look at.

    Where another is being sent under the same name, the staged copies are that one's.
    """
    with suppress(OSError):
        if not os.path.lexists(f"{sender.sending}/{name}{_SENT}"):
            _remove_staged(name, recipients)
        files.remove(f"{sender.sending}/{name}{_NEW}")


def _remove_staged(name: str, recipients: Sequence[Mailbox]) -> None:
    for recipient in recipients:
        with suppress(OSError):  # one that can't be removed must not keep the others
            files.remove(f"{recipient.incoming}/{name}")


def _finish_or_delay(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> Delivered:
    try:
        return _finish(name, sender, recipients)
    except (OSError, ConflictError) as error:  # it is sent, so this is no failure of the call
        inbox_paths = [f"{box.inbox}/{name}" for box in recipients]
        return Delivered(inbox_paths, f"{sender.outbox}/{name}", str(error))


def _finish(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> Delivered:
    """Let everything staged appear; safe to do again, and by another process."""
    inbox_paths = [_appear(f"{box.incoming}/{name}", box.inbox, name) for box in recipients]
    outbox_path = _appear(f"{sender.sending}/{name}{_SENT}", sender.outbox, name)
    return Delivered(inbox_paths, outbox_path)


def _appear(staged: str, folder: str, name: str) -> str:
    """Publish a staged file; when a stranger took its name meanwhile, beside that one."""
    stem, ending = os.path.splitext(name)
    for number in range(1000):
        final = f"{folder}/{name}" if number == 0 else f"{folder}/{stem}.{number}{ending}"
        try:
            files.publish(staged, final)
            return final
        except FileNotFoundError:
            if os.path.lexists(staged):  # so it is the folder that is gone
                raise
            return f"{folder}/{name}"  # it has appeared before
        except FileExistsError:
            if _same_file(staged, final):
                files.remove(staged)
                return final
    raise ConflictError(f"{folder} has a thousand files called {name}")


def _same_file(one: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(one), os.lstat(other))
    except FileNotFoundError:
        return False


# -- after a crash -----------------------------------------------------------------------------


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
    if ending not in (_TMP, _NEW, _SENT):
        return None
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # gone meanwhile, not ours to change, or no file
        return None
    try:
        if not files.try_lock(descriptor) or not _is_at(path, descriptor):
            return None
        if ending == _TMP:
            files.remove(path)
            return None
        if ending == _NEW:
            _sweep(name, sender, boxes)
        if ending == _SENT:
            wanted = recipients_of(os.pread(descriptor, 1 << 21, 0))
            if not wanted:  # damaged by strangers: for people to look at
                return None
            _finish_dead(name, sender, [box for box in boxes if box.agent in wanted])
        return Leftover(name, sender, ending == _SENT)
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
        if _same_file(f"{box.incoming}/{name}", f"{box.archive}/{name}"):
            files.remove(f"{box.incoming}/{name}")
    prepare(sender, "outbox")
    _finish(name, sender, recipients)


def _remove_orphan(staged: str, name: str, boxes: Sequence[Mailbox]) -> None:
    """Remove a staged copy whose claim the loss of power took.

    Only an old one: its name holds a minute that is past, so nobody is staging the same again.
    """
    with suppress(OSError):
        if time.time_ns() - os.lstat(staged).st_mtime_ns < _ORPHANED_NS:
            return
        # In this order: a claim only ever goes from new to sent.
        claims = [f"{box.sending}/{name}{ending}" for ending in (_NEW, _SENT) for box in boxes]
        if not any(os.path.lexists(claim) for claim in claims):
            files.remove(staged)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != "counters")
    except OSError:
        return []
