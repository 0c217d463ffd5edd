"""Delivers one message to every recipient's inbox and the sender's outbox: all of them or none.

    1. claim the name: create `.sending/NAME.new`, locked while we live, and write the message
    2. stage a copy for every recipient: `.incoming/NAME`, synced
    3. rename the claim to `.sending/NAME.sent` and sync: the point of no return
    4. let the copies appear in the inboxes, and the claim in the outbox

A process that dies before 3 has sent nothing, and what it left is swept away. After 3 whoever comes
next finishes 4. The lock tells a dead process from a slow one.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, Project, prepare
from waypost.errors import ConflictError, UnreadableError

_NEW, _SENT = ".new", ".sent"


class Delivered(NamedTuple):
    """Where the copies of a message are."""

    inbox_paths: list[str]
    outbox_path: str


class Names(NamedTuple):
    """What a message's file may be called: the usual name, and one that nobody else has."""

    usual: str
    unique: str


def deliver(data: bytes, names: Names, sender: Mailbox, recipients: Sequence[Mailbox]) -> Delivered:
    """Deliver a message for good.

    When this returns, the message survives the loss of power. Raises OSError or UnreadableError
    when nothing was sent, and says so.
    """
    prepare(sender, "outbox", ".sending")
    for recipient in recipients:
        prepare(recipient, "inbox", ".incoming")
        _check_one_disk(recipient)
    name, claim = _claim(names, sender, recipients)
    try:
        _stage_and_commit(data, name, claim, sender, recipients)
        return _finish(name, sender, recipients)
    finally:
        os.close(claim)


def _check_one_disk(recipient: Mailbox) -> None:
    if os.stat(recipient.inbox).st_dev != os.stat(recipient.incoming).st_dev:
        raise UnreadableError(
            f"{recipient.inbox} is on another disk than its mailbox",
            hint="keep a mailbox on one disk",
        )


def _claim(names: Names, sender: Mailbox, recipients: Sequence[Mailbox]) -> tuple[str, int]:
    """Create the claim under the first name that is free everywhere."""
    for name in names:
        claim = f"{sender.sending}/{name}{_NEW}"
        places = [sender.outbox, *(box.inbox for box in recipients)]
        others = [f"{sender.sending}/{name}{_SENT}", *(f"{place}/{name}" for place in places)]
        if any(os.path.lexists(path) for path in others):
            continue
        try:
            descriptor = files.claim(claim)
        except FileExistsError:
            continue
        files.try_lock(descriptor)
        if not any(os.path.lexists(path) for path in others):  # nobody was quicker
            return name, descriptor
        os.unlink(claim)
        os.close(descriptor)
    raise ConflictError(f"a file called {names.unique} is there already", hint="try again")


def _stage_and_commit(
    data: bytes, name: str, claim: int, sender: Mailbox, recipients: Sequence[Mailbox]
) -> None:
    try:
        files.fill(claim, data)
        for recipient in recipients:
            staged = f"{recipient.incoming}/{name}"
            files.remove(staged)  # left by one who died; nobody else has this name now
            os.close(files.create(staged, data))
            files.sync_folder(recipient.incoming)
        os.rename(f"{sender.sending}/{name}{_NEW}", f"{sender.sending}/{name}{_SENT}")
        files.sync_folder(sender.sending)
    except BaseException:
        _sweep(name, sender, recipients)
        raise


def _sweep(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    """Take back what was staged; the claim goes last, since it is what others look at."""
    with suppress(OSError):
        for recipient in recipients:
            files.remove(f"{recipient.incoming}/{name}")
        for ending in (_SENT, _NEW):
            files.remove(f"{sender.sending}/{name}{ending}")


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
        except FileNotFoundError:  # it has appeared before
            return f"{folder}/{name}"
        except FileExistsError:
            if _same_file(staged, final):
                files.remove(staged)
                return final
    raise ConflictError(f"{folder} has a thousand files called {name}")


def _same_file(staged: str, final: str) -> bool:
    try:
        return os.path.samefile(staged, final)
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

    Costs a look into two small folders for every agent. Processes that live are left alone.
    """
    boxes = [
        Mailbox(project.name, agent, f"{project.path}/agents/{agent}") for agent in project.agents()
    ]
    staged = {(box.agent, name) for box in boxes for name in _names_in(box.incoming)}
    done = [left for box in boxes for left in _recover_sender(project, box, boxes, recipients_of)]
    if staged:
        on_their_way = {_stem(name) for box in boxes for name in _names_in(box.sending)}
        for box in boxes:
            for agent, name in staged:
                if agent == box.agent and name not in on_their_way:
                    files.remove(f"{box.incoming}/{name}")
    return done


def _recover_sender(
    project: Project,
    sender: Mailbox,
    boxes: Sequence[Mailbox],
    recipients_of: Callable[[bytes], Sequence[str]],
) -> Iterator[Leftover]:
    for entry in _names_in(sender.sending):
        name = _stem(entry)
        if name == entry:
            continue
        path = f"{sender.sending}/{entry}"
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            if not files.try_lock(descriptor) or not os.path.lexists(path):
                continue
            if entry.endswith(_SENT):
                wanted = set(recipients_of(os.pread(descriptor, 1 << 21, 0)))
                _finish_dead(name, sender, [box for box in boxes if box.agent in wanted])
            else:
                _sweep(name, sender, boxes)
            yield Leftover(name, sender, entry.endswith(_SENT))
        finally:
            os.close(descriptor)


def _finish_dead(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    """Finish for a dead process: a copy that the recipient archived already is not sent again."""
    for box in recipients:
        if os.path.lexists(f"{box.archive}/{name}"):
            files.remove(f"{box.incoming}/{name}")
    _finish(name, sender, recipients)


def _stem(entry: str) -> str:
    return entry.removesuffix(_SENT) if entry.endswith(_SENT) else entry.removesuffix(_NEW)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name != "counters")
    except (FileNotFoundError, NotADirectoryError):
        return []
