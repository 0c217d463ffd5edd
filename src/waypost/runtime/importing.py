"""Taking an OACP home over into the office: every message once, how far it got, nothing changed.

A copy in an inbox is mail that waits; one in the archive is dealt with; one only in the outbox was
removed by its recipient, which counts as dealt with. Files that are no sound messages are told of
and left where they are. Doing it again takes only what is new.
"""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from waypost.carriers.folders.home import Mailbox, Project
from waypost.errors import WaypostError
from waypost.letters.names import is_name
from waypost.mailbox.items import Item, items_in, read_item
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.world import milliseconds

_FOLDERS = (("inbox", "handed_over"), ("inbox/archive", "done"), ("outbox", None))


class Left(NamedTuple):
    """A file that was not taken, and why."""

    path: str
    details: str

    def to_json(self) -> dict[str, object]:
        return self._asdict()


class Imported(NamedTuple):
    """What came of an import."""

    project: str
    members: tuple[str, ...]
    letters: int
    known: int
    left: tuple[Left, ...]

    def to_json(self) -> dict[str, object]:
        """The counts, and every file that was left."""
        shown = self._asdict() | {"members": list(self.members)}
        return shown | {"left": [one.to_json() for one in self.left]}


class _Found:
    """One message, with the place of a copy, and how far it got with each mailbox."""

    __slots__ = ("created", "id", "item", "sender", "states")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.id = item.id
        self.sender = item.text("from")
        self.created = item.text("created_at_utc")
        self.states: dict[str, str] = {}


def import_oacp(office: Office, project: Project) -> Imported:
    """Take a project's whole mail over. Raises what keeps an office from writing."""
    agents = project.agents()
    left: list[Left] = []
    found = _collected(project, agents, left)
    members = _register(office, project.name, [*agents, *_senders(found)], left)
    new = known = 0
    for one in sorted(found, key=lambda one: (one.created, one.id)):
        try:
            is_repeat = _accept(office, project.name, one, members)
        except WaypostError as error:
            if error.code in ("busy", "unreadable"):
                raise
            left.append(Left(one.item.path, error.details))
            continue
        known += is_repeat
        new += not is_repeat
    return Imported(project.name, tuple(members), new, known, tuple(left))


def _collected(project: Project, agents: Iterable[str], left: list[Left]) -> list[_Found]:
    """Every message once, whoever holds a copy."""
    found: dict[tuple[str, int, int], _Found] = {}
    for agent in agents:
        for folder, state in _FOLDERS:
            for item in _sound(project.mailbox(agent), folder, left):
                one = found.setdefault(item.identity, _Found(item))
                if state is not None:
                    one.states[agent] = state
    for one in found.values():
        for name in one.item.recipients:
            if name in agents:
                one.states.setdefault(name, "done")
    return list(found.values())


def _sound(mailbox: Mailbox, folder: str, left: list[Left]) -> Iterator[Item]:
    """The valid messages of a folder; the rest is noted."""
    try:
        for item in items_in(mailbox, folder):
            if item.header is None or not item.entry.valid:
                problem = next((one for one in item.entry.problems if one.is_error), None)
                left.append(Left(item.path, problem.message if problem else "is no message"))
            else:
                yield item
    except WaypostError as error:
        left.append(Left(f"{mailbox.path}/{folder}", error.details))


def _senders(found: Iterable[_Found]) -> list[str]:
    return sorted({one.sender for one in found if is_name(one.sender)})


def _register(office: Office, project: str, names: Iterable[str], left: list[Left]) -> list[str]:
    """Give everybody who has a mailbox, or wrote something, a mailbox here."""
    members = []
    for name in dict.fromkeys(names):
        try:
            office.register(Caller(name, project, "folder"), with_token=False)
        except WaypostError as error:
            if error.code in ("busy", "unreadable"):
                raise
            left.append(Left(name, error.details))
        else:
            members.append(name)
    return members


def _accept(office: Office, project: str, one: _Found, members: Iterable[str]) -> bool:
    """Put one message into the office; tells whether it was there."""
    to = [name for name in one.states if name in members]
    whole = read_item(one.item.path, one.item.mailbox)
    if whole is None:
        raise WaypostError(f"{os.path.basename(one.item.path)} has just vanished")
    if not to:
        raise WaypostError("none of its recipients has a mailbox")
    receipt = office.accept(
        Caller(one.sender, project, "folder"),
        whole.message.raw,
        to,
        dialect="oacp",
        sent_at=milliseconds(one.created),
        states={name: one.states[name] for name in to},
        keep_both=True,
    )
    return receipt.is_repeat
