"""`waypost inbox`, `read`, `ack`, `done`, `thread` and `search`: one's mail."""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect, same_place
from waypost.commands.office_show import count, short_ids, show_letters, show_tree, title
from waypost.errors import visible

_INBOX_EXAMPLES = """\
  waypost inbox                    what you haven't read, in the order to deal with it
  waypost inbox --all --limit 100
"""
_READ_EXAMPLES = """\
  waypost read 8e4a0b52            the beginning of an id is enough
  waypost read 8e4a0b52 --raw      the message as it was written
"""
_ACK_EXAMPLES = """\
  waypost ack 8e4a0b52
  waypost ack 8e4a0b52 --refuse --note "Not mine: ask gemini."
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """List the mail of one agent."""
    parser = Parser("waypost inbox", "List your mail, most urgent first.", _INBOX_EXAMPLES)
    parser.add_argument("--all", action="store_true", help="also what you have read")
    _add_page_options(parser)
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        page = office.ask(
            "inbox",
            unread_only=not arguments.all,
            limit=arguments.limit,
            after=arguments.after,
        )
        whose = f"{office.agent.value} in {office.project.value}"
    if console.as_json:
        console.json(page)
        return 0
    console.data(console.paint(visible(f"{whose}: {page['unread']:,} unread"), "bold"))
    show_letters(console, page["letters"])
    there = visible(same_place(arguments))
    if page.get("next"):
        console.talk(f"more: waypost inbox{there} --after {visible(page['next'])}")
    if page["letters"]:
        first = page["letters"][0]["id"]
        console.talk(f"next: waypost read{there} {short_ids(page['letters'])[first]}")
    return 0


def _add_page_options(parser: Parser) -> None:
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many, up to 200")
    parser.add_argument("--after", metavar="CURSOR", help="go on where a page ended")


def _add_letter(parser: Parser) -> None:
    parser.add_argument("letter", metavar="ID", help="the letter, or the beginning of its id")


def read(console: Console, argv: Sequence[str]) -> int:
    """Show one letter."""
    parser = Parser("waypost read", "Show a letter; it counts as read then.", _READ_EXAMPLES)
    _add_letter(parser)
    parser.add_argument("--raw", action="store_true", help="print the message as it was written")
    parser.add_argument("--peek", action="store_true", help="it stays unread")
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        letter = office.ask(
            "read",
            letter=arguments.letter,
            peek=arguments.peek or None,
            original=arguments.raw or None,
        )
    if arguments.raw:
        sys.stdout.flush()
        sys.stdout.buffer.write(letter.get("message", "").encode())
    elif console.as_json:
        console.json(letter)
    else:
        _show_letter(console, letter, visible(same_place(arguments)))
    return 0


def _show_letter(console: Console, letter: dict[str, Any], there: str) -> None:
    if "message" in letter:
        from waypost.letters.fence import fence

        who = letter["from"], letter["proof"], letter["door"], letter["sent_at"]
        console.data(fence(letter["message"], *who))
    else:
        console.data(f"the content of this letter was removed on {letter.get('redacted_at')}")
    if note := letter.get("note"):
        console.data(visible(f"note: {note}"))
    _show_losses(console, letter)
    name = short_ids([letter])[letter["id"]]
    if letter.get("wants_ack") and letter.get("state") == "read":
        console.talk(f"take it: waypost ack{there} {name}    or leave it: --refuse --note …")
    console.talk(f"answer:  waypost reply{there} {name} -b …")


def _show_losses(console: Console, letter: dict[str, Any]) -> None:
    """Of a letter that was translated for its reader: from what, and what isn't said."""
    if original := letter.get("original"):
        written = f"{original['type']} ({original['dialect']})"
        console.talk(visible(f"written as a {written}, which --raw prints"))
    for loss in letter.get("losses", ()):
        console.talk(visible(f"lost: {loss['path']}: {loss['message']}"))


def ack(console: Console, argv: Sequence[str]) -> int:
    """Say that one takes a letter, or won't."""
    parser = Parser("waypost ack", "Say that you take a letter, or won't.", _ACK_EXAMPLES)
    _add_letter(parser)
    parser.add_argument("--refuse", action="store_true", help="say that you won't")
    parser.add_argument("--note", metavar="TEXT", help="what its sender should know")
    add_options(parser)
    arguments = parser.parse_args(argv)
    accepted = False if arguments.refuse else None
    word = "refused" if arguments.refuse else "acknowledged"
    return _settle(console, arguments, "acknowledge", word, accepted=accepted, note=arguments.note)


def done(console: Console, argv: Sequence[str]) -> int:
    """Put a letter away."""
    parser = Parser(
        "waypost done", "Put a letter away that is dealt with.", "  waypost done 8e4a0b52\n"
    )
    _add_letter(parser)
    add_options(parser)
    return _settle(console, parser.parse_args(argv), "done", "put away")


_AFTER = {"acknowledge": ("acknowledged",), "done": ("done",), "withdraw": ("withdrawn",)}


def withdraw(console: Console, argv: Sequence[str]) -> int:
    """Take a letter back from those who haven't read it."""
    parser = Parser(
        "waypost withdraw", "Take back what nobody has read yet.", "  waypost withdraw 8e4a0b52\n"
    )
    _add_letter(parser)
    add_options(parser)
    return _settle(console, parser.parse_args(argv), "withdraw", "withdrew")


def _settle(
    console: Console, arguments: argparse.Namespace, use_case: str, word: str, **given: Any
) -> int:
    with connect(arguments) as office:
        header = office.ask(use_case, letter=arguments.letter, **given)
    if console.as_json:
        console.json(header)
    else:
        state = header.get("state")
        said = word if state in (None, *_AFTER[use_case]) else f"{state} before:"
        console.data(visible(f"{said} {header['id']}: {title(header)}"))
    return 0


def thread(console: Console, argv: Sequence[str]) -> int:
    """Draw a conversation."""
    parser = Parser(
        "waypost thread", "Show a conversation as a tree.", "  waypost thread 8e4a0b52\n"
    )
    parser.add_argument("thread", metavar="THREAD|ID", help="a thread, or a letter of it")
    _add_page_options(parser)
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        page = office.ask(
            "thread", thread=arguments.thread, limit=arguments.limit, after=arguments.after
        )
    if console.as_json:
        console.json(page)
        return 0
    for name in dict.fromkeys(letter["thread"] for letter in page["letters"]):
        console.data(console.paint(visible(name), "bold"))
        show_tree(console, [one for one in page["letters"] if one["thread"] == name])
    _show_more(console, "thread", arguments, page, arguments.thread)
    return 0


_SEARCH_EXAMPLES = """\
  waypost search "rate limit"
  waypost search from:claude type:task_request before:2026-04-01 tokens
"""


def search(console: Console, argv: Sequence[str]) -> int:
    """Find letters by their words."""
    parser = Parser("waypost search", "Find letters that you wrote or got.", _SEARCH_EXAMPLES)
    parser.add_argument(
        "words", nargs="+", metavar="WORD", help="also from: to: type: thread: before: after:"
    )
    _add_page_options(parser)
    add_options(parser)
    arguments = parser.parse_args(argv)
    words = " ".join(arguments.words)
    with connect(arguments) as office:
        page = office.ask("search", query=words, limit=arguments.limit, after=arguments.after)
    if console.as_json:
        console.json(page)
        return 0
    console.data(console.paint(f"{count(len(page['letters']), 'letter')} found", "bold"))
    show_letters(console, page["letters"])
    _show_more(console, "search", arguments, page, words)
    return 0


def _show_more(
    console: Console, command: str, arguments: argparse.Namespace, page: dict[str, Any], what: str
) -> None:
    if page.get("next"):
        from shlex import quote

        there = f"{same_place(arguments)} --after {page['next']} -- {quote(what)}"
        console.talk(visible(f"more: waypost {command}{there}"))
