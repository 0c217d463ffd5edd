"""Brings letters into folders: one file for all recipients of a letter, under a name it implies.

Whoever repeats a delivery after a crash comes to the same name, and finds by the sender's outbox
that it was made; so a file that its reader has removed meanwhile never comes back.
"""

import os
import re
from collections.abc import Sequence

from waypost.carriers.folders.deliver import SENT, Names, deliver, finish
from waypost.carriers.folders.home import Home, Mailbox, Project
from waypost.carriers.folders.reading import read_file
from waypost.dialects import dialect
from waypost.dialects.oacp import ids
from waypost.errors import ConflictError
from waypost.mailbox.sending import recover_project
from waypost.office import Office, carrying
from waypost.office.consigning import Consignment, Pending, Rendering
from waypost.office.events import digest
from waypost.office.rendering import MOST_NAMED, Ends, render
from waypost.office.world import moment

_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
ALIEN_SECONDS = 3.0  # that a tool of somebody else may take to write to all its recipients


class FolderPost:
    """The way into the folders of one OACP home."""

    def __init__(self, office: Office, home: Home) -> None:
        self._office = office
        self._home = home

    def rendering(self, letter: Consignment, deliveries: Sequence[Pending]) -> Rendering:
        """What goes into the folders. Raises NoTranslationError, InvalidMessageError."""
        names = letter.to
        if len(names) > MOST_NAMED:
            names = tuple(delivery.name for delivery in deliveries[:MOST_NAMED])
        return render(self._office.desk, letter, "oacp", Ends(letter.sender, names))

    def carry(
        self, letter: Consignment, rendering: Rendering, deliveries: Sequence[Pending]
    ) -> None:
        """Let the message appear in the folders, and note that it has.

        Raises OSError, UnreadableError, ConflictError; then it has to be done again.
        """
        project = self._home.create_project(letter.project)
        data, name = rendering.message, _name(letter, rendering, deliveries)
        sender = _mailbox(project, letter.sender)
        recipients = [_mailbox(project, delivery.name) for delivery in deliveries]
        if not _was_made(sender, name, data, recipients):
            try:
                deliver(data, Names(name, name), sender, recipients)
            except ConflictError:  # another was faster, or died half-way under this very name
                recover_project(project)
                if not _was_made(sender, name, data, recipients):
                    deliver(data, Names(name, name), sender, recipients)
        boxes = [delivery.box for delivery in deliveries]
        carrying.handed_over(
            self._office.desk, letter.project, letter.position, boxes, (name, digest(data))
        )


def _mailbox(project: Project, name: str) -> Mailbox:
    return project.future_mailbox(name)


def _was_made(sender: Mailbox, name: str, data: bytes, recipients: Sequence[Mailbox]) -> bool:
    """Whether this very delivery was made before; what was begun for good is finished."""
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
