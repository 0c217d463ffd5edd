"""`oacp show`, `done` and `thread`: reading messages and putting them away."""

import os
import sys
from collections.abc import Sequence

from waypost.carriers.folders.home import Mailbox
from waypost.commands.console import Console, Parser, system_error
from waypost.commands.oacp_items import item_json
from waypost.commands.oacp_place import add_options, find_place, find_project, same_place
from waypost.commands.report import show_problems
from waypost.errors import NotFoundError, WaypostError, visible
from waypost.letters.words import brief, word
from waypost.mailbox.consuming import archive, delete
from waypost.mailbox.items import Item, find
from waypost.mailbox.sending import answer_type
from waypost.mailbox.threads import find_thread

_DEEPEST = 20  # how far a thread is indented


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
    code, results = 0, list[dict[str, object]]()
    for item in items:
        try:
            results.append({"id": item.id} | _put_away(box, item, arguments.delete))
            if not console.as_json:
                verb = "deleted" if arguments.delete else "archived"
                console.data(f"{verb} {visible(item.id or item.name)}")
        except (WaypostError, OSError) as error:
            if len(items) == 1:
                raise
            told = error if isinstance(error, WaypostError) else system_error(error)
            code = told.exit_code
            results.append({"id": item.id} | told.to_json())
            if not console.as_json:
                console.fail(told)
    if console.as_json:
        console.json(results)
    return code


def _put_away(box: Mailbox, item: Item, for_good: bool) -> dict[str, object]:
    if for_good:
        delete(item)
        return {"deleted": item.path}
    return {"archived": archive(box, item)}


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
