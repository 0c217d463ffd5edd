"""`oacp inbox`: what is there to deal with, in which order."""

import argparse
import sys
from collections.abc import Sequence

from waypost.carriers.folders.home import Mailbox
from waypost.commands.console import Console, Parser
from waypost.commands.oacp_items import age, item_json, now
from waypost.commands.oacp_place import add_options, find_place, find_project, same_place
from waypost.dialects.oacp.types import TYPES
from waypost.errors import UnreadableError, UsageError, quoted, visible
from waypost.letters.names import did_you_mean
from waypost.letters.words import brief, word
from waypost.mailbox.items import PRIORITIES, Item, inbox, twins
from waypost.mailbox.sending import recover_project

_INBOX_EXAMPLES = """\
  oacp inbox                       your mail, in the order to deal with it
  oacp inbox my-app --agent codex --unexpired
  oacp inbox --next                the one to work on now
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """List one inbox or all of them."""
    parser = Parser("oacp inbox", "List mail in processing order.", _INBOX_EXAMPLES)
    parser.add_argument("project", nargs="?", help="the project")
    parser.add_argument("--all", action="store_true", help="all agents' inboxes")
    parser.add_argument("--next", action="store_true", help="only the message to work on next")
    parser.add_argument("--type", dest="kind", help="only messages of this type")
    parser.add_argument("--priority", choices=PRIORITIES, help="only of this priority")
    parser.add_argument("--unexpired", action="store_true", help="leave out what has expired")
    add_options(parser)
    arguments = parser.parse_args(argv)
    if arguments.kind is not None and arguments.kind not in TYPES:
        hint = did_you_mean(arguments.kind, TYPES) or "they are " + ", ".join(TYPES)
        raise UsageError(f"no message type is called {quoted(arguments.kind)}", hint=hint)
    if arguments.all:
        project = find_project(arguments)
        boxes = [project.mailbox(agent) for agent in project.agents()]
    else:
        place = find_place(arguments)
        project, boxes = place.project, [place.mailbox]
    recover_project(project)
    listed = [(box, _wanted(box, arguments)) for box in boxes]
    if console.as_json:
        console.json(
            {
                "project": project.name,
                "mode": "all" if arguments.all else "agent",
                "agents": [_box_json(box, found) for box, found in listed],
            }
        )
    else:
        _show_all(console, listed, arguments)
    return int(any(isinstance(found, UnreadableError) for _, found in listed))


def _show_all(
    console: Console,
    listed: Sequence[tuple[Mailbox, list[Item] | UnreadableError]],
    arguments: argparse.Namespace,
) -> None:
    readable = []
    for box, found in listed:
        if isinstance(found, UnreadableError):
            console.fail(found)
        else:
            _show_box(console, box, found)
            readable.append((box, found))
    _show_next(console, readable, arguments)


def _wanted(box: Mailbox, arguments: argparse.Namespace) -> list[Item] | UnreadableError:
    """What was asked for of one inbox; among all, one that can't be read is told of as well."""
    try:
        items = inbox(box)
    except UnreadableError as error:
        if not arguments.all:
            raise
        return error
    today = now()
    chosen = [
        item
        for item in items
        if (arguments.kind is None or item.entry.type == arguments.kind)
        and (arguments.priority is None or item.text("priority") == arguments.priority)
        and not (arguments.unexpired and item.is_expired(today))
    ]
    return chosen[:1] if arguments.next else chosen


def _warnings(found: list[Item]) -> list[str]:
    return [
        visible(f"{item.name} and {first.name} share the id {brief(item.id)}; both are kept")
        for item, first in twins(found)
    ]


def _box_json(box: Mailbox, found: list[Item] | UnreadableError) -> dict[str, object]:
    shown: dict[str, object] = {"agent": box.agent, "inbox_path": box.inbox}
    if isinstance(found, UnreadableError):
        return shown | {"message_count": 0, "messages": []} | found.to_json()
    messages = (item_json(item) for item in found)
    if warnings := _warnings(found):
        shown["warnings"] = warnings
    return shown | {"message_count": len(found), "messages": messages}


def _count(number: int) -> str:
    return f"{number} message" + ("" if number == 1 else "s")


def _show_box(console: Console, box: Mailbox, items: list[Item]) -> None:
    console.data(console.paint(f"{box.agent} in {box.project}: {_count(len(items))}", "bold"))
    for item in items:
        marks = " (expired)" if item.is_expired(now()) else ""
        if item.header is None:
            console.data(f"  {'unreadable':<10} {visible(item.name)}")
            console.data(f"             {item.entry.problems[0].message}")
            continue
        marks += "" if item.entry.valid else " (invalid)"
        head = f"  {brief(item.text('priority'), 10) or '--':<3} {age(item):>4}"
        who = f"{brief(item.text('from'), 64):<12} {brief(item.entry.type or '?', 40):<19}"
        console.data(f"{head}  {who} {brief(item.text('subject'))}{marks}")
        console.data(console.paint(f"             {brief(item.id)}", "dim"))
    for warning in _warnings(items):
        console.talk(f"{console.paint('warning:', 'yellow', sys.stderr)} {warning}")


def _show_next(
    console: Console, listed: Sequence[tuple[Mailbox, list[Item]]], arguments: argparse.Namespace
) -> None:
    """Name the command that shows the first message, as it works from here."""
    if len(listed) == 1 and (items := listed[0][1]) and items[0].id:
        console.talk(f"next: oacp show{same_place(arguments)} {word(items[0].handle)}")
