"""`waypost undelivered`: what doesn't get on, and what a person does about it."""

import argparse
from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect
from waypost.commands.office_show import short_ids
from waypost.errors import UsageError, visible

_EXAMPLES = """\
  waypost undelivered                                   what doesn't arrive, and why
  waypost undelivered retry 8e4a0b52 77b1c09d           try again now; held ones go on
  waypost undelivered redirect 8e4a0b52 --to gemini     somebody else gets it, thread and all
  waypost undelivered discard 8e4a0b52 --reason "done by hand"
"""
_TAKES = {"list": (), "retry": (), "redirect": ("to", "reason"), "discard": ("reason",)}
_NEEDS = {"redirect": "to", "discard": "reason"}
_WORDS = {"retry": "tries again", "redirect": "redirected", "discard": "discarded"}


def run(console: Console, argv: Sequence[str]) -> int:
    """List what doesn't arrive, or do something about it."""
    parser = Parser("waypost undelivered", "Letters that don't arrive; people help.", _EXAMPLES)
    parser.add_argument("action", nargs="?", default="list", choices=list(_TAKES))
    parser.add_argument("letters", nargs="*", metavar="ID", help="the letters, or how ids begin")
    parser.add_argument("--to", metavar="NAME", help="redirect: who gets them instead")
    parser.add_argument("--reason", metavar="TEXT", help="why; discard needs one")
    parser.add_argument("--for", dest="recipient", metavar="NAME", help="of several, this one's")
    add_options(parser)
    arguments = parser.parse_args(argv)
    _check(arguments)
    with connect(arguments) as office:
        if arguments.action == "list":
            found = office.ask("undelivered", limit=100)
        else:
            given = {name: getattr(arguments, name) for name in _TAKES[arguments.action]}
            given["recipient"] = arguments.recipient
            found = office.ask(arguments.action, letters=arguments.letters, **given)
    if console.as_json:
        console.json(found)
    elif arguments.action == "list":
        _show(console, found["failures"])
    else:
        for one in found["letters"]:
            to = f" to {one['to']}" if "to" in one else ""
            word = _WORDS[arguments.action]
            console.data(visible(f"{word:<11} {one['id']}  for {one['recipient']}{to}"))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    action = arguments.action
    hint = "waypost undelivered --help shows how it is used"
    if bool(arguments.letters) == (action == "list"):
        raise UsageError(f"{action} takes " + ("no ids" if action == "list" else "ids"), hint=hint)
    for name in ("to", "reason"):
        if getattr(arguments, name) is not None and name not in _TAKES[action]:
            raise UsageError(f"{action} takes no --{name}", hint=hint)
    if action in _NEEDS and getattr(arguments, _NEEDS[action]) is None:
        raise UsageError(f"{action} needs --{_NEEDS[action]}", hint=hint)


def _show(console: Console, failures: list[dict[str, Any]]) -> None:
    names = short_ids(failures)
    for one in failures:
        line = f"{one['state']:<8} {names[one['id']]}  {one['from']} to {one['recipient']}"
        console.data(visible(f"{line}: {one.get('subject', one['type'])}"))
        often = f" (tried {one['tries']} times, next {one['next_at']})" if "next_at" in one else ""
        console.data(visible(f"         {one.get('reason', 'nobody fetched it in time')}{often}"))
    if not failures:
        console.talk("everything arrived, or is on its way")
        return
    console.talk(f"next: waypost undelivered retry {names[failures[0]['id']]}    or: redirect")
