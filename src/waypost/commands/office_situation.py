"""Bare `waypost`: the situation of the project at hand, and what to do next."""

import os
from typing import Any

from waypost.commands.console import Console
from waypost.commands.office_files import held_line
from waypost.commands.office_place import person
from waypost.commands.office_show import listed, short_ids, title
from waypost.errors import NotFoundError, UsageError, visible
from waypost.runtime.place import Place

_MOST_LINES = 8
_NO_MAIL = "waypost send TO -s … -b …   (waypost --help)"


def situation(console: Console) -> bool:
    """Show the situation; False when there is no office or project to speak of."""
    from waypost.runtime import client

    place = Place(os.environ, os.getcwd())
    try:
        office = client.connect(place, None, None, person=person())
    except (NotFoundError, UsageError):
        if console.as_json:
            raise
        return False
    with office:
        found = office.ask("overview")
        me, where = office.agent.value, office.where.value
    found["agent"] = me
    found["next"] = _next_step(found, me)
    if console.as_json:
        console.json(found)
        return True
    console.data(console.paint(visible(f"{me} in {found['project']}, {where}"), "bold"))
    _show_unread(console, found)
    _show_waiting(console, found)
    for one in found["reservations"][:_MOST_LINES]:
        console.data(held_line(one))
    console.talk(f"next: {found['next'] or _NO_MAIL}")
    return True


def _next_step(found: dict[str, Any], me: str) -> str | None:
    """The command that shows what to deal with first."""
    unread = {one["name"]: one.get("unread", {}) for one in found["agents"]}
    if unread.get(me):
        return "waypost inbox"
    is_person = any(one["name"] == me and one["kind"] == "person" for one in found["agents"])
    if is_person and unread.get("people"):
        return "waypost questions"
    mine = [one for one in found["waiting"] if me in one["owing"]]
    if mine:
        return f"waypost read {short_ids(mine)[mine[0]['id']]}"
    return None


def _show_unread(console: Console, found: dict[str, Any]) -> None:
    for one in found["agents"]:
        counts = "  ".join(f"{count} {word}" for word, count in one.get("unread", {}).items())
        console.data(visible(f"  {one['name']:<16} {counts or 'no mail'}"))


def _show_waiting(console: Console, found: dict[str, Any]) -> None:
    waiting = found["waiting"]
    names = short_ids(waiting)
    for one in waiting[:_MOST_LINES]:
        overdue = " (overdue)" if one.get("overdue") else ""
        who = f"{one['from']} waits for {listed(one['owing'])}"
        line = f"{who}: {one['type']} {title(one)} ({names[one['id']]}){overdue}"
        console.data(visible(line))
    if (more := len(waiting) - _MOST_LINES) > 0:
        console.data(f"… and {more} more that wait for an answer")
