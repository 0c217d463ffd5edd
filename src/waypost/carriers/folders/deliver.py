"""Delivers messages to every recipient's inbox and the sender's outbox: to all of them or to none.

    1. write the message to `.sending/UNIQUE.tmp`, locked while we live
    2. claim a name: link it to `.sending/NAME.new`, which only one can do
    3. stage a copy for every recipient: `.incoming/NAME`; sync all that was written
    4. rename the claim to `.sending/NAME.sent` and sync: the point of no return
    5. let the copies appear in the inboxes, and the claim in the outbox

A process that dies before 4 has sent nothing, and what it left is swept away. After 4 whoever comes
next finishes 5. The lock tells a dead process from a slow one; since it is taken before anything
shows under a claim's name, no living one is ever mistaken for dead. The finishing is in `recover`.

Several messages take these steps side by side and share the syncs; each stands for itself.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, prepare
from waypost.errors import ConflictError, UnreadableError, WaypostError, words_of

TMP, NEW, SENT = ".tmp", ".new", ".sent"
_ATTEMPTS = 100


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


class Parcel(NamedTuple):
    """A message to be delivered."""

    data: bytes
    names: Names
    sender: Mailbox
    recipients: Sequence[Mailbox]


class _Passage(NamedTuple):
    """A message that has its name and is staged: its claim, open and locked, and its copies."""

    parcel: Parcel
    name: str
    descriptors: list[int]

    @property
    def claim(self) -> str:
        return f"{self.parcel.sender.sending}/{self.name}{NEW}"

    @property
    def sent(self) -> str:
        return f"{self.parcel.sender.sending}/{self.name}{SENT}"

    def sweep(self) -> None:
        sweep(self.name, self.parcel.sender, self.parcel.recipients)


Outcome = Delivered | Exception


def deliver(data: bytes, names: Names, sender: Mailbox, recipients: Sequence[Mailbox]) -> Delivered:
    """Deliver a message for good.

    When this returns, the message survives the loss of power. When it raises OSError,
    UnreadableError or ConflictError, nothing was sent.
    """
    (outcome,) = deliver_all([Parcel(data, names, sender, recipients)])
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def deliver_all(parcels: Sequence[Parcel]) -> list[Outcome]:
    """Deliver messages for good; gives for each what `deliver` gives or raises."""
    outcomes: list[Outcome] = []
    passages: dict[int, _Passage] = {}
    try:
        for number, parcel in enumerate(parcels):
            try:
                passages[number] = _staged(parcel)
            except (OSError, WaypostError) as error:
                outcomes.append(error)
            else:
                outcomes.append(ConflictError("it was interrupted", hint="try again"))
        failed = _send(passages)
        for number, passage in passages.items():
            outcomes[number] = failed.get(number) or _finish_or_delay(passage)
        return outcomes
    finally:
        for passage in passages.values():
            for descriptor in passage.descriptors:
                os.close(descriptor)


def _staged(parcel: Parcel) -> _Passage:
    """Claim a name and stage the copies."""
    data, names, sender, recipients = parcel
    prepare(sender, "outbox", ".sending")
    _check_way(sender.sending, sender.outbox)
    for recipient in recipients:
        prepare(recipient, "inbox", ".incoming")
        _check_way(recipient.incoming, recipient.inbox)
    name, claim = _claim(data, names, sender, recipients)
    passage = _Passage(parcel, name, [claim])
    try:
        for recipient in recipients:
            staged = f"{recipient.incoming}/{name}"
            files.remove(staged)  # left by one who died; nobody else has this name now
            passage.descriptors.append(files.create(staged, data, synced=False))
    except BaseException:
        passage.sweep()
        for descriptor in passage.descriptors:
            os.close(descriptor)
        raise
    return passage


def _send(passages: Mapping[int, _Passage]) -> dict[int, Exception]:
    """Bring all to the disk, and beyond the point of no return; gives what failed, and why."""
    failed: dict[int, Exception] = {}
    try:
        _sync_staged(passages.values())
    except BaseException as error:
        for passage in passages.values():
            passage.sweep()
        if not isinstance(error, OSError):
            raise
        return dict.fromkeys(passages, error)
    by_sender: dict[str, list[int]] = {}
    for number, passage in passages.items():
        try:
            os.rename(passage.claim, passage.sent)
        except OSError as error:
            passage.sweep()
            failed[number] = error
        else:
            by_sender.setdefault(passage.parcel.sender.sending, []).append(number)
    for folder, numbers in by_sender.items():
        try:
            files.sync_folder(folder)
        except OSError as error:  # back before the point of no return, the decision first
            for number in numbers:
                files.remove(passages[number].sent)
                _remove_staged(passages[number].name, passages[number].parcel.recipients)
                failed[number] = error
    return failed


def _sync_staged(passages: Iterable[_Passage]) -> None:
    descriptors = [one for passage in passages for one in passage.descriptors]
    folders = {box.incoming for passage in passages for box in passage.parcel.recipients}
    files.sync_all(descriptors, sorted(folders))


def _check_way(private: str, visible: str) -> None:
    """Refuse early what would only fail after the point of no return."""
    if os.stat(visible).st_dev != os.stat(private).st_dev:
        raise UnreadableError(
            f"{visible} is on another disk than its mailbox", hint="keep a mailbox on one disk"
        )
    if not os.access(visible, os.W_OK | os.X_OK):
        raise UnreadableError(
            f"{visible} can't be written",
            hint="look at its permissions, and how its disk is mounted",
        )


def _claim(
    data: bytes, names: Names, sender: Mailbox, recipients: Sequence[Mailbox]
) -> tuple[str, int]:
    """Write the message, locked, and claim the first name for it that is free everywhere."""
    for attempt in range(_ATTEMPTS):
        written = f"{sender.sending}/{names.unique}.{attempt}{TMP}"
        try:
            descriptor = files.create(written, data, locked=True, synced=False)
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
        if os.path.lexists(f"{sender.outbox}/{name}"):  # seen without touching the disk
            continue
        claim = f"{sender.sending}/{name}{NEW}"
        try:
            os.link(written, claim)
        except FileExistsError:
            continue
        places = [sender.outbox, *(box.inbox for box in recipients)]
        taken = [f"{sender.sending}/{name}{SENT}", *(f"{place}/{name}" for place in places)]
        if not any(os.path.lexists(path) for path in taken):
            os.unlink(written)
            return name
        os.unlink(claim)
    raise ConflictError(f"a file called {names.unique} is there already", hint="try again")


def sweep(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> None:
    """Take back what was staged; the claim goes last, since it is what others look at.

    Where another is being sent under the same name, the staged copies are that one's.
    """
    with suppress(OSError):
        if not os.path.lexists(f"{sender.sending}/{name}{SENT}"):
            _remove_staged(name, recipients)
        files.remove(f"{sender.sending}/{name}{NEW}")


def _remove_staged(name: str, recipients: Sequence[Mailbox]) -> None:
    for recipient in recipients:
        with suppress(OSError):  # one that can't be removed must not keep the others
            files.remove(f"{recipient.incoming}/{name}")


def _finish_or_delay(passage: _Passage) -> Delivered:
    name, (_, _, sender, recipients) = passage.name, passage.parcel
    try:
        return finish(name, sender, recipients)
    except (OSError, ConflictError) as error:  # it is sent, so this is no failure of the call
        inbox_paths = [f"{box.inbox}/{name}" for box in recipients]
        return Delivered(inbox_paths, f"{sender.outbox}/{name}", words_of(error))


def finish(name: str, sender: Mailbox, recipients: Sequence[Mailbox]) -> Delivered:
    """Let everything staged appear; safe to do again, and by another process."""
    inbox_paths = [_appear(f"{box.incoming}/{name}", box.inbox, name) for box in recipients]
    outbox_path = _appear(f"{sender.sending}/{name}{SENT}", sender.outbox, name)
    return Delivered(inbox_paths, outbox_path)


def _appear(staged: str, folder: str, name: str) -> str:
    """Publish a staged file, unless it has appeared before."""
    return files.move(staged, folder, name) or f"{folder}/{name}"
