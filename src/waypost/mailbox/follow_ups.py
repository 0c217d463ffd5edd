"""Deferred work: the follow_up messages of a project, and which of them are dealt with.

One is done when its owner has answered it, or has put away or removed the copy in the inbox. A
prose body names no owner; then whoever got the message stands in.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from waypost.carriers.folders.home import Project
from waypost.errors import NotFoundError
from waypost.letters.names import did_you_mean
from waypost.mailbox.items import Item, items_in
from waypost.mailbox.review import body_of
from waypost.mailbox.threads import project_items

_TIERS = ("P2", "P3")
_TRIES = 3


class FollowUp(NamedTuple):
    """One piece of deferred work."""

    item: Item
    body: dict[str, Any]
    done: str | None  # answered, archived, removed; None while it is open

    @property
    def owner(self) -> str:
        return str(self.body.get("owner") or "")

    @property
    def tier(self) -> str:
        return str(self.body.get("risk_tier") or self.item.text("priority"))

    @property
    def summary(self) -> str:
        return str(self.body.get("summary") or self.item.text("subject"))

    def order(self) -> tuple[object, ...]:
        """By risk tier, then owner; within these the open ones first, then by age."""
        rank = _TIERS.index(self.tier) if self.tier in _TIERS else len(_TIERS)
        return (
            rank,
            self.tier,
            self.owner,
            self.done is not None,
            self.item.text("created_at_utc"),
        )


def follow_ups(project: Project, owner: str | None = None) -> list[FollowUp]:
    """All deferred work of a project, or one owner's.

    Raises NotFoundError when there is neither an agent nor an owner of that name.
    """
    found = _tried(project)
    if owner is None:
        return found
    known = {*project.agents(), *(one.owner for one in found if one.owner)}
    if owner not in known:
        hint = did_you_mean(owner, known) or "there are " + ", ".join(sorted(known)[:20])
        raise NotFoundError(f'nobody called "{owner}" in {project.name}', hint=hint)
    return [one for one in found if one.owner == owner]


def _tried(project: Project) -> list[FollowUp]:
    for _ in range(_TRIES):
        with suppress(NotFoundError):  # a message was put away while we read; look again
            return _found(project)
    return _found(project)


def _found(project: Project) -> list[FollowUp]:
    items = project_items(project)
    answers: dict[str, set[str]] = {}
    for item in items:
        answers.setdefault(item.text("parent_message_id"), set()).add(item.text("from"))
    folders = _Folders(project)
    found = []
    for item in items:
        if item.entry.type == "follow_up":
            body = body_of(item)
            owner = body.get("owner")
            owners = [owner] if isinstance(owner, str) else item.recipients
            done = _done(item, owners, answers.get(item.id, set()), folders)
            found.append(FollowUp(item, body, done))
    return sorted(found, key=FollowUp.order)


class _Folders:
    """The ids in the agents' folders, each folder read once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._agents = project.agents()
        self._ids: dict[tuple[str, str], set[str]] = {}

    def holds(self, agent: str, folder: str, item: Item) -> bool:
        """Tell whether a message is in a folder."""
        if (agent, folder) not in self._ids:
            box = self._project.mailbox(agent)
            self._ids[agent, folder] = {one.id for one in items_in(box, folder)}
        return item.id in self._ids[agent, folder]

    def has(self, agent: str) -> bool:
        """Tell whether an agent has a mailbox here."""
        return agent in self._agents


def _done(item: Item, owners: Iterable[str], answered: set[str], folders: _Folders) -> str | None:
    for owner in owners:
        if owner in answered:
            return "answered"
        if owner not in item.recipients or not folders.has(owner):
            continue
        if not folders.holds(owner, "inbox", item):
            return "archived" if folders.holds(owner, "inbox/archive", item) else "removed"
    return None
