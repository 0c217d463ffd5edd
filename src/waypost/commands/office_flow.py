"""`waypost flow`: who writes to whom, and keeping two apart for a while."""

import argparse
from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect
from waypost.commands.office_show import count
from waypost.errors import UsageError, visible

_EXAMPLES = """\
  waypost flow                                          who writes to whom, of late
  waypost flow hold claude codex --reason "a loop"      keep their letters, both ways
  waypost flow hold claude codex --one-way --reason …   only what claude writes to codex
  waypost flow release claude codex                     what was held goes on
"""
_DAY = 24 * 60


def run(console: Console, argv: Sequence[str]) -> int:
    """Show the pairs, or hold or release one."""
    parser = Parser("waypost flow", "Who writes to whom; a person keeps two apart.", _EXAMPLES)
    parser.add_argument("action", nargs="?", default="list", choices=["list", "hold", "release"])
    parser.add_argument("names", nargs="*", metavar="NAME", help="from whom, to whom")
    parser.add_argument("--one-way", action="store_true", help="not the way back")
    parser.add_argument("--reason", metavar="TEXT", help="hold: why")
    add_options(parser)
    arguments = parser.parse_args(argv)
    _check(arguments)
    with connect(arguments) as office:
        if arguments.action == "list":
            found = {
                "quarter": office.ask("traffic", minutes=15)["pairs"],
                "day": office.ask("traffic", minutes=_DAY)["pairs"],
                "held": office.ask("held_pairs")["pairs"],
            }
        else:
            sender, to = arguments.names
            given = {"sender": sender, "to": to, "both_ways": not arguments.one_way}
            given |= {"reason": arguments.reason} if arguments.action == "hold" else {}
            found = office.ask(f"{arguments.action}_pair", **given)
    if console.as_json:
        console.json(found)
    elif arguments.action == "list":
        _show(console, found)
    else:
        word = "held" if arguments.action == "hold" else "released"
        for one in found["pairs"]:
            _say(console, word, one)
    return 0


def _check(arguments: argparse.Namespace) -> None:
    hint = "waypost flow --help shows how it is used"
    wanted = 0 if arguments.action == "list" else 2
    if len(arguments.names) != wanted:
        raise UsageError(f"{arguments.action} takes {wanted or 'no'} names", hint=hint)
    if (arguments.reason is not None) != (arguments.action == "hold"):
        raise UsageError("--reason goes with hold, which needs one", hint=hint)


def _show(console: Console, found: dict[str, Any]) -> None:
    late = {(one["from"], one["to"]): one for one in found["quarter"]}
    held = {(one["from"], one["to"]) for one in found["held"]}
    if found["day"]:
        console.data("  15 min   a day")
    for one in found["day"]:
        pair = one["from"], one["to"]
        recent = late.get(pair, {})
        marks = [*(["hot"] if recent.get("hot") else []), *(["held"] if pair in held else [])]
        line = f"{recent.get('letters', 0):>8} {one['letters']:>7}  {pair[0]} to {pair[1]}"
        console.data(visible(line + (f"  ({', '.join(marks)})" if marks else "")))
    for one in found["held"]:
        _say(console, "held", one)
    if not found["day"]:
        console.talk("nobody wrote in the last day")


def _say(console: Console, word: str, one: dict[str, Any]) -> None:
    line = f"{word:<8} {one['from']} to {one['to']}, by {one['held_by']} since {one['since']}"
    why = f": {one['reason']}" if "reason" in one else ""
    console.data(visible(f"{line}{why} ({count(one['letters'], 'letter')} held)"))
