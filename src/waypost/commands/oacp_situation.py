"""Bare `oacp`: the situation of the project at hand, and what to do next."""

import os
import time

from waypost.commands.console import Console
from waypost.errors import UsageError, visible
from waypost.mailbox import place
from waypost.mailbox.sending import recover_project
from waypost.mailbox.situation import Situation, look

_MOST_LINES = 8


def situation(console: Console) -> bool:
    """Show the situation; False when there is no project to speak of."""
    home = place.find_home(None, os.environ, os.getcwd())
    try:
        project = place.find_project(home, None, os.environ, os.getcwd())
    except UsageError:
        return False
    recover_project(project)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    found = look(project, now)
    console.data(console.paint(f"{project.name}, {project.path}", "bold"))
    _show_unread(console, found)
    _show_waiting(console, found)
    for item in found.expiring[:_MOST_LINES]:
        when = item.text("expires_at")
        console.data(f"expires {when}: {visible(item.text('subject'))} ({visible(item.id)})")
    first = next((one for one in found.unread if one.next is not None and one.next.id), None)
    if first is not None and first.next is not None:
        console.talk(f"next: oacp show --agent {first.agent} {visible(first.next.id)}")
    else:
        console.talk(
            "next: oacp send --from … --to … --type task_request -s … -b …   (oacp --help)"
        )
    return True


def _show_unread(console: Console, found: Situation) -> None:
    for one in found.unread:
        counts = "  ".join(f"{count} {priority}" for priority, count in one.by_priority.items())
        console.data(f"  {one.agent:<16} {counts or 'no mail'}")


def _show_waiting(console: Console, found: Situation) -> None:
    for item, owing in found.waiting[:_MOST_LINES]:
        who = f"{item.text('from')} waits for {', '.join(owing)}"
        console.data(visible(f"{who}: {item.entry.type} {item.text('subject')} ({item.id})"))
    if (more := len(found.waiting) - _MOST_LINES) > 0:
        console.data(f"… and {more} more that wait for an answer")
