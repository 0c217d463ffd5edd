"""Bare `oacp`: the situation of the project at hand, and what to do next."""

import os
import time

from waypost.carriers.folders.home import Project
from waypost.commands.console import Console
from waypost.errors import UsageError, visible
from waypost.letters.words import brief, word
from waypost.mailbox import place
from waypost.mailbox.items import Item
from waypost.mailbox.sending import recover_project
from waypost.mailbox.situation import Situation, look

_MOST_LINES = 8
_NO_MAIL = "oacp send --from … --to … --type task_request -s … -b …   (oacp --help)"


def situation(console: Console) -> bool:
    """Show the situation; False when there is no project to speak of."""
    home = place.find_home(None, os.environ, place.here())
    try:
        project = place.find_project(home, None, os.environ, place.here())
    except UsageError:
        if console.as_json:
            raise
        return False
    recover_project(project)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    found = look(project, now)
    step = _next_step(project, found)
    if console.as_json:
        console.json(_as_json(project, found, step))
        return True
    console.data(console.paint(f"{project.name}, {visible(project.path)}", "bold"))
    _show_unread(console, found)
    _show_waiting(console, found)
    for item in found.expiring[:_MOST_LINES]:
        when = brief(item.text("expires_at"), 40)
        console.data(f"expires {when}: {brief(item.text('subject'))} ({brief(item.id)})")
    console.talk(f"next: {step or _NO_MAIL}")
    return True


def _next_step(project: Project, found: Situation) -> str | None:
    """The command that shows what to deal with first: one's own mail, else the most urgent."""
    try:
        me = place.find_agent(project, None, os.environ).agent
    except UsageError:
        me = ""
    waiting = [(one.agent != me, one.next.order(), one) for one in found.unread if one.next]
    for _, _, one in sorted(waiting, key=lambda entry: entry[:2]):
        item = one.next
        if item is not None and item.id:
            return f"oacp show --agent {one.agent} {word(item.handle)}"
    return None


def _show_unread(console: Console, found: Situation) -> None:
    for one in found.unread:
        counts = "  ".join(f"{count} {priority}" for priority, count in one.by_priority.items())
        console.data(f"  {one.agent:<16} {counts or 'no mail'}")


def _show_waiting(console: Console, found: Situation) -> None:
    for item, owing in found.waiting[:_MOST_LINES]:
        who = f"{brief(item.text('from'), 64)} waits for {brief(', '.join(owing))}"
        what = f"{item.entry.type} {brief(item.text('subject'))} ({brief(item.id)})"
        console.data(f"{who}: {what}")
    if (more := len(found.waiting) - _MOST_LINES) > 0:
        console.data(f"… and {more} more that wait for an answer")


def _as_json(project: Project, found: Situation, step: str | None) -> dict[str, object]:
    expiring = [_row(item) | {"expires_at": item.text("expires_at")} for item in found.expiring]
    return {
        "project": project.name,
        "path": project.path,
        "agents": [
            {"agent": one.agent, "unread": one.by_priority, "next": one.next and one.next.id}
            for one in found.unread
        ],
        "waiting": [_row(item) | {"owing": owing} for item, owing in found.waiting],
        "expiring": expiring,
        "next": step,
    }


def _row(item: Item) -> dict[str, object]:
    shown: dict[str, object] = {"id": item.id}
    return shown | {name: item.text(name) for name in ("from", "type", "priority", "subject")}
