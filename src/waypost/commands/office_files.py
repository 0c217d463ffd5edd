"""`waypost reserve`, `release` and `reservations`: who works on which files."""

from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect
from waypost.commands.office_send import minutes
from waypost.commands.office_show import listed
from waypost.errors import FilesHeldError, visible

_RESERVE_EXAMPLES = """\
  waypost reserve "src/api/**" --reason "rate limit"
  waypost reserve package.json "src/**/*.ts" --mode shared_write --for 2h
"""
_RELEASE_EXAMPLES = """\
  waypost release                  all that you hold
  waypost release "src/api/**"
  waypost release --id 12 --force --reason "its holder is gone"
"""
_LIST_EXAMPLES = """\
  waypost reservations
  waypost reservations src/api/limit.ts
"""


def reserve(console: Console, argv: Sequence[str]) -> int:
    """Hold files for a while."""
    parser = Parser("waypost reserve", "Hold files while you work on them.", _RESERVE_EXAMPLES)
    parser.add_argument("patterns", nargs="+", metavar="PATTERN", help="paths, with * ** ? [] {}")
    parser.add_argument("--mode", help="exclusive (the usual), shared_read or shared_write")
    parser.add_argument("--for", dest="length", metavar="N{m,h,d}", help="how long; 1h if absent")
    parser.add_argument("--reason", help="what others should know")
    parser.add_argument("--task", metavar="ID", help="the task that it is for")
    add_options(parser)
    arguments = parser.parse_args(argv)
    given = {"mode": arguments.mode, "reason": arguments.reason, "task_id": arguments.task}
    try:
        with connect(arguments) as office:
            held = office.ask(
                "reserve",
                patterns=arguments.patterns,
                minutes=minutes(arguments.length),
                **given,
            )
    except FilesHeldError as error:
        code = console.fail(error)
        if not console.as_json:
            _show_conflicts(console, error)
        return code
    if console.as_json:
        console.json(held)
    else:
        console.data(f"reserved until {held['until']}: {listed(held['patterns'])}")
    return 0


def _show_conflicts(console: Console, error: FilesHeldError) -> None:
    """Who holds what, and what can be had instead, a line each."""
    for one in error.conflicts:
        why = f": {one['reason']}" if one.get("reason") else ""
        held = f"{one['pattern']}  {one['holder']}, {one['mode']}, until {one['until']}{why}"
        console.talk(visible(f"  {held}"))
    for one in error.alternatives:
        free = f"{one['pattern']}, {one['mode']} ({one.get('note', 'free now')})"
        console.talk(visible(f"  instead: {free}"))


def release(console: Console, argv: Sequence[str]) -> int:
    """Let go of files."""
    parser = Parser("waypost release", "Let go of files.", _RELEASE_EXAMPLES)
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="those of the reservation")
    parser.add_argument("--id", type=int, metavar="N", help="the reservation's number")
    parser.add_argument("--force", action="store_true", help="also what another agent holds")
    parser.add_argument("--reason", help="why; needed with --force")
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        freed = office.ask(
            "release",
            patterns=arguments.patterns or None,
            reservation=arguments.id,
            force=arguments.force or None,
            reason=arguments.reason,
        )
    if console.as_json:
        console.json(freed)
        return 0
    for one in freed["released"]:
        console.data(f"released {listed(one['patterns'])}")
    if not freed["released"]:
        console.talk("nothing was held")
    return 0


def reservations(console: Console, argv: Sequence[str]) -> int:
    """List what is held."""
    parser = Parser("waypost reservations", "List who holds which files.", _LIST_EXAMPLES)
    parser.add_argument("path", nargs="?", help="only what touches this path or pattern")
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        held = office.ask("reservations", path=arguments.path)
    if console.as_json:
        console.json(held)
        return 0
    for one in held["reservations"]:
        console.data("  " + held_line(one))
    if not held["reservations"]:
        console.talk("nobody holds anything" + (" there" if arguments.path else ""))
    return 0


def held_line(one: dict[str, Any]) -> str:
    """A reservation in one line."""
    why = f": {one['reason']}" if one.get("reason") else ""
    head = f"{one['id']:>4}  {one['holder']:<12} {one['mode']:<12} until {one['until']}"
    return visible(f"{head}  {', '.join(one['patterns'])}{why}")
