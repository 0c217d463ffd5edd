"""`oacp inbox`, `show`, `done` and `thread`: reading one's mail and putting it away."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from functools import lru_cache

from waypost.carriers.folders.home import Mailbox
from waypost.commands.console import Console, Parser
from waypost.commands.oacp_place import add_options, find_place, find_project, same_place
from waypost.commands.report import show_problems
from waypost.dialects.oacp.types import TYPES
from waypost.errors import NotFoundError, UnreadableError, UsageError, quoted, visible
from waypost.letters.names import did_you_mean
from waypost.letters.words import brief, word
from waypost.mailbox.consuming import archive, delete
from waypost.mailbox.items import PRIORITIES, Item, find, inbox
from waypost.mailbox.sending import answer_type, recover_project
from waypost.mailbox.threads import find_thread

_DEEPEST = 20  # how far a thread is indented
_LISTED = (
    *("id", "from", "to", "type", "priority", "subject", "created_at_utc", "conversation_id"),
    *("parent_message_id", "expires_at", "channel"),
)
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
    now = _now()
    chosen = [
        item
        for item in items
        if (arguments.kind is None or item.entry.type == arguments.kind)
        and (arguments.priority is None or item.text("priority") == arguments.priority)
        and not (arguments.unexpired and item.is_expired(now))
    ]
    return chosen[:1] if arguments.next else chosen


def _box_json(box: Mailbox, found: list[Item] | UnreadableError) -> dict[str, object]:
    shown: dict[str, object] = {"agent": box.agent, "inbox_path": box.inbox}
    if isinstance(found, UnreadableError):
        return shown | {"message_count": 0, "messages": []} | found.to_json()
    messages = (item_json(item) for item in found)
    return shown | {"message_count": len(found), "messages": messages}


def item_json(item: Item) -> dict[str, object]:
    """One message in a listing; the fields of the existing command, and more."""
    fields = item.header or {}
    shown: dict[str, object] = dict.fromkeys(("from", "type", "priority"), "?")
    shown["subject"] = "(not a message)"
    shown["created_at_utc"] = fields.get("created_at_utc") or _stamp(item.entry.stamp.mtime)
    shown |= {name: fields[name] for name in _LISTED if name in fields}
    shown |= {"age": _age(item), "path": item.path, "valid": item.entry.valid}
    if "expires_at" in fields and item.is_expired(_now()):
        shown["expired"] = True
    if not item.entry.valid:
        shown["problems"] = [problem.to_json() for problem in item.entry.problems]
    return shown


def _count(number: int) -> str:
    return f"{number} message" + ("" if number == 1 else "s")


def _show_box(console: Console, box: Mailbox, items: list[Item]) -> None:
    console.data(console.paint(f"{box.agent} in {box.project}: {_count(len(items))}", "bold"))
    for item in items:
        marks = " (expired)" if item.is_expired(_now()) else ""
        if item.header is None:
            console.data(f"  {'unreadable':<10} {visible(item.name)}")
            console.data(f"             {item.entry.problems[0].message}")
            continue
        marks += "" if item.entry.valid else " (invalid)"
        head = f"  {brief(item.text('priority'), 10) or '--':<3} {_age(item):>4}"
        who = f"{brief(item.text('from'), 64):<12} {brief(item.entry.type or '?', 40):<19}"
        console.data(f"{head}  {who} {brief(item.text('subject'))}{marks}")
        console.data(console.paint(f"             {brief(item.id)}", "dim"))


def _show_next(
    console: Console, listed: Sequence[tuple[Mailbox, list[Item]]], arguments: argparse.Namespace
) -> None:
    """Name the command that shows the first message, as it works from here."""
    if len(listed) == 1 and (items := listed[0][1]) and items[0].id:
        console.talk(f"next: oacp show{same_place(arguments)} {word(items[0].handle)}")


def show(console: Console, argv: Sequence[str]) -> int:
    """Show one message, for people or as its bytes."""
    parser = Parser(
        "oacp show", "Show a message.", "  oacp show msg-20260313T1430Z\n  oacp show ID --raw\n"
    )
    parser.add_argument(
        "message", metavar="ID|FILE", help="the message, or the beginning of its id"
    )
    parser.add_argument("--raw", action="store_true", help="print the bytes as they are")
    add_options(parser)
    arguments = parser.parse_args(argv)
    item = find(find_place(arguments).mailbox, arguments.message)
    if arguments.raw:
        sys.stdout.flush()
        sys.stdout.buffer.write(item.message.raw)
    elif console.as_json:
        console.json(item_json(item) | {"body": (item.message.fields or {}).get("body")})
    else:
        _show_item(console, item, same_place(arguments))
    return 0


def _show_item(console: Console, item: Item, there: str) -> None:
    if item.header is None:
        show_problems(console, item.path, item.message)
        return
    for name, value in (item.message.fields or {}).items():
        if name != "body":
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            console.data(f"{console.paint(name + ':', 'dim')} {visible(text)}")
    body = (item.message.fields or {}).get("body", "")
    console.data()
    console.data(visible(_body_text(body), keep="\n\t").rstrip("\n"))
    if item.message.problems:
        console.data()
        show_problems(console, item.path, item.message)
    if item.id:
        usual = answer_type(item)
        console.talk(f"\nanswer: oacp reply{there} {word(item.handle)} --type {usual} -b …")
        console.talk(f"put away: oacp done{there} {word(item.handle)}")


def _body_text(body: object) -> str:
    if isinstance(body, dict):
        from waypost.dialects.oacp.emitter import write_mapping

        return write_mapping(body)
    return str(body)


def done(console: Console, argv: Sequence[str]) -> int:
    """Archive messages that are dealt with."""
    parser = Parser(
        "oacp done", "Put messages away that are dealt with.", "  oacp done msg-20260313T1430Z\n"
    )
    parser.add_argument("messages", nargs="+", metavar="ID|FILE")
    parser.add_argument("--delete", action="store_true", help="really delete, instead of archiving")
    add_options(parser)
    arguments = parser.parse_args(argv)
    box = find_place(arguments).mailbox
    found = [find(box, wanted, ("inbox",)) for wanted in arguments.messages]
    items = list({item.path: item for item in found}.values())
    for item in items:
        if os.path.dirname(os.path.abspath(item.path)) != os.path.abspath(box.inbox):
            raise NotFoundError(
                f"{item.name} is not in the inbox", hint="only inbox messages are put away"
            )
    results: list[dict[str, object]] = []
    for item in items:
        if arguments.delete:
            delete(item)
            results.append({"id": item.id, "deleted": item.path})
        else:
            results.append({"id": item.id, "archived": archive(box, item)})
        if not console.as_json:
            console.data(
                f"{'deleted' if arguments.delete else 'archived'} {visible(item.id or item.name)}"
            )
    if console.as_json:
        console.json(results)
    return 0


def thread(console: Console, argv: Sequence[str]) -> int:
    """Draw a conversation."""
    parser = Parser(
        "oacp thread", "Show a conversation as a tree.", "  oacp thread conv-20260313-claude-001\n"
    )
    parser.add_argument("conversation", metavar="CONVERSATION|ID")
    add_options(parser)
    arguments = parser.parse_args(argv)
    found = find_thread(find_project(arguments), arguments.conversation)
    owed = [{"id": item.id, "owing": agents} for item, agents in found.owed()]
    if console.as_json:
        console.json(
            {
                "conversation_id": found.conversation,
                "owed": owed,
                "messages": [item_json(item) for item in found.items],
            }
        )
        return 0
    console.data(console.paint(brief(found.conversation), "bold"))
    owed_by = {item.id: agents for item, agents in found.owed()}
    for depth, item in found.in_order():
        _draw(console, item, min(depth, _DEEPEST), owed_by.get(item.id))
    return 0


def _draw(console: Console, item: Item, depth: int, owing: list[str] | None) -> None:
    wait = console.paint(f"  waits for {brief(', '.join(owing))}", "yellow") if owing else ""
    who = f"{brief(item.text('from'), 64)} → {brief(', '.join(item.recipients))}"
    what = f"{brief(item.entry.type or '?', 40)}: {brief(item.text('subject'))}"
    console.data(f"{'  ' * depth}{who}  {what}{wait}")


def _stamp(nanoseconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(nanoseconds // 1_000_000_000))


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _age(item: Item) -> str:
    """How old a message is, in the largest unit that fits."""
    return _age_at(item.text("created_at_utc")[:16], int(time.time()) // 60)


@lru_cache
def _age_at(text: str, now: int) -> str:
    from calendar import timegm

    try:
        created = timegm(
            (int(text[:4]), int(text[5:7]), int(text[8:10]), int(text[11:13]), int(text[14:16]), 0)
        )
    except ValueError:
        return "?"
    minutes = max(0, now - created // 60)
    for size, unit in ((1440, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"
