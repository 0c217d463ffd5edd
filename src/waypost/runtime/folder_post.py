"""Brings letters into folders: a letter under one name for all its recipients, which it implies.

Letters that go together share the waits for the disk, and the event that notes them.

Whoever repeats a delivery after a crash comes to the same name, and finds by the sender's outbox
that it was made; so a file that its reader has removed meanwhile never comes back.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from waypost.carriers.folders.deliver import SENT, Names, Parcel, deliver, deliver_all, finish
from waypost.carriers.folders.home import Home, Mailbox, Project
from waypost.carriers.folders.reading import read_file
from waypost.dialects import dialect
from waypost.dialects.oacp import ids
from waypost.errors import ConflictError, WaypostError
from waypost.mailbox.sending import recover_project
from waypost.office import Office, carrying
from waypost.office.carrying import Handover
from waypost.office.consigning import Consignment, Pending, Rendering
from waypost.office.events import digest
from waypost.office.rendering import MOST_NAMED, Ends, render
from waypost.office.world import moment

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
ALIEN_SECONDS = 3.0  # that a tool of somebody else may take to write to all its recipients


class Load(NamedTuple):
    """A letter for folders, as it is written there, and whose they are."""

    letter: Consignment
    rendering: Rendering
    deliveries: Sequence[Pending]


class FolderPost:
    """The way into the folders of one OACP home."""

    def __init__(self, office: Office, home: Home) -> None:
        self._office = office
        self._home = home
        self.bringing: set[str] = set()  # files in inboxes that the journal doesn't know yet

    def rendering(self, letter: Consignment, deliveries: Sequence[Pending]) -> Rendering:
        """What goes into the folders. Raises NoTranslationError, InvalidMessageError."""
        names = letter.to
        if len(names) > MOST_NAMED:
            names = tuple(delivery.name for delivery in deliveries[:MOST_NAMED])
        return render(self._office.desk, letter, "oacp", Ends(letter.sender, names))

    def carry(self, loads: Sequence[Load]) -> list[Exception | None]:
        """Let messages appear in the folders, and note that they have.

        Gives what kept each from it, if anything did; that one has to be done again.
        """
        failures: list[Exception | None] = [None] * len(loads)
        addresses = _Addresses(self._home)
        parcels: dict[int, Parcel] = {}
        for number, load in enumerate(loads):
            try:
                parcels[number] = _parcel(load, addresses)
            except (OSError, WaypostError) as error:
                failures[number] = error
        paths = {path for parcel in parcels.values() for path in _paths(parcel)}
        self.bringing |= paths
        try:
            failed = self._deliver(parcels)
            made = {number: one for number, one in parcels.items() if number not in failed}
            failed |= self._note(loads, made)
        finally:
            self.bringing -= paths
        for number, failure in failed.items():
            failures[number] = failure
        return failures

    def _deliver(self, parcels: Mapping[int, Parcel]) -> dict[int, Exception]:
        """Deliver what wasn't delivered before; gives what failed."""
        failures: dict[int, Exception] = {}
        new: dict[int, Parcel] = {}
        for number, parcel in parcels.items():
            try:
                if not _was_made(parcel):
                    new[number] = parcel
            except (OSError, WaypostError) as error:
                failures[number] = error
        for number, outcome in zip(new, deliver_all(list(new.values())), strict=True):
            try:
                if isinstance(outcome, ConflictError):
                    self._deliver_anew(new[number])
                elif isinstance(outcome, Exception):
                    failures[number] = outcome
            except (OSError, WaypostError) as error:
                failures[number] = error
        return failures

    def _deliver_anew(self, parcel: Parcel) -> None:
        """Another was faster, or died half-way under this very name."""
        recover_project(self._home.project(parcel.sender.project))
        if not _was_made(parcel):
            deliver(*parcel)

    def _note(self, loads: Sequence[Load], made: Mapping[int, Parcel]) -> dict[int, Exception]:
        """Note what was brought, in one event a project; gives what couldn't be noted."""
        failures: dict[int, Exception] = {}
        by_project: dict[str, dict[int, Handover]] = {}
        for number, parcel in made.items():
            letter, _, deliveries = loads[number]
            file = (parcel.names.usual, digest(parcel.data))
            handover = Handover(letter.position, [one.box for one in deliveries], file)
            by_project.setdefault(letter.project, {})[number] = handover
        for project, handovers in by_project.items():
            try:
                carrying.handed_over(self._office.desk, project, list(handovers.values()))
            except WaypostError as error:
                failures |= dict.fromkeys(handovers, error)
        return failures


class _Addresses:
    """Where mailboxes are, each looked up once for all letters that go together."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._projects: dict[str, Project] = {}
        self._mailboxes: dict[tuple[str, str], Mailbox] = {}

    def project(self, name: str) -> Project:
        """A project's folders."""
        if name not in self._projects:
            self._projects[name] = self._home.create_project(name)
        return self._projects[name]

    def mailbox(self, project: str, name: str) -> Mailbox:
        """The mailbox that somebody has or could have. Raises ConflictError."""
        if (project, name) not in self._mailboxes:
            mailbox = self.project(project).future_mailbox(name)
            self._mailboxes[project, name] = mailbox
        return self._mailboxes[project, name]


def _parcel(load: Load, addresses: _Addresses) -> Parcel:
    letter, rendering, deliveries = load
    sender, name = addresses.mailbox(letter.project, letter.sender), None
    if letter.door == "folder":
        recover_project(addresses.project(letter.project))
        name = _own_copy(sender, rendering.message)  # its own tool wrote to them all
    name = name or _name(letter, rendering, deliveries)
    recipients = [addresses.mailbox(letter.project, one.name) for one in deliveries]
    return Parcel(rendering.message, Names(name, name), sender, recipients)


def _paths(parcel: Parcel) -> list[str]:
    return [f"{box.inbox}/{parcel.names.usual}" for box in parcel.recipients]


def _own_copy(sender: Mailbox, data: bytes) -> str | None:
    """The name of the copy that a sender put into its outbox once all inboxes had the message.

    A reader may have removed its file since, unseen; it must not come back to it.
    """
    with suppress(OSError), os.scandir(sender.outbox) as entries:
        for entry in entries:
            if entry.stat().st_size == len(data) and read_file(entry.path) == data:
                return entry.name
    return None


def _was_made(parcel: Parcel) -> bool:
    """Whether this very delivery was made before; what was begun for good is finished."""
    data, (name, _), sender, recipients = parcel
    if os.path.lexists(f"{sender.sending}/{name}{SENT}"):
        finish(name, sender, recipients)
        return True
    path = f"{sender.outbox}/{name}"
    if not os.path.lexists(path) or read_file(path) != data:
        return False
    for box in recipients:
        if os.path.lexists(f"{box.incoming}/{name}"):
            finish(name, sender, recipients)
    return True


def _name(letter: Consignment, rendering: Rendering, deliveries: Sequence[Pending]) -> str:
    """The name of a letter's file: the usual one, and an end that only this delivery has."""
    fields = dialect("oacp").read(rendering.message).fields or {}
    created = str(fields.get("created_at_utc"))
    if not _MOMENT.match(created):
        created = moment(letter.sent_at)
    kind = rendering.type if rendering.type in dialect("oacp").types else "message"
    names = " ".join(sorted(delivery.name for delivery in deliveries))
    own = digest(rendering.message + names.encode())[:12]
    return ids.file_name(created, letter.sender, kind, own)
