"""What is going on in a project: who has mail, who waits for whom, what will expire."""

from typing import NamedTuple

from waypost.carriers.folders.home import Project
from waypost.mailbox.items import PRIORITIES, Item, inbox
from waypost.mailbox.threads import project_items, threads


class Unread(NamedTuple):
    """An agent's waiting mail, counted by priority."""

    agent: str
    by_priority: dict[str, int]
    next: Item | None


class Situation(NamedTuple):
    """A project at a glance."""

    unread: list[Unread]
    waiting: list[tuple[Item, list[str]]]  # messages without an answer, and who owes it
    expiring: list[Item]  # not expired yet, the soonest first


def look(project: Project, now: str) -> Situation:
    """Look at every mailbox of a project."""
    unread, waiting_mail = [], []
    for agent in project.agents():
        items = inbox(project.mailbox(agent))
        counts = dict.fromkeys((*PRIORITIES, "other"), 0)
        for item in items:
            priority = item.text("priority")
            counts[priority if priority in PRIORITIES else "other"] += 1
        shown = {priority: count for priority, count in counts.items() if count}
        unread.append(Unread(agent, shown, items[0] if items else None))
        waiting_mail += items
    owed = [pair for thread in threads(project_items(project)) for pair in thread.owed()]
    expiring = {
        item.id: item
        for item in waiting_mail
        if item.text("expires_at") and not item.is_expired(now)
    }
    return Situation(
        unread, owed, sorted(expiring.values(), key=lambda item: item.text("expires_at"))
    )
