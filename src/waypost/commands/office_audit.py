"""`waypost audit`: who did what, whether the journal is whole, and taking contents out of it."""

from collections.abc import Sequence

from waypost.commands.console import Command, Console, Parser, dispatch, list_commands
from waypost.commands.office_place import add_options, connect, local_office, local_place
from waypost.commands.office_show import count
from waypost.commands.office_watch import event_line

_HERE = "waypost.commands.office_audit"
_COMMANDS = (
    Command("log", "who did what, when, through which door", _HERE, "log"),
    Command("verify", "is the journal as it was written", _HERE, "verify"),
    Command("export", "the whole journal as JSON lines", _HERE, "export"),
    Command("redact", "take a content out for good", _HERE, "redact"),
    Command("prune", "let go of old contents", _HERE, "prune"),
    Command("rebuild", "make all tables anew from the journal", _HERE, "rebuild"),
)


def run(console: Console, argv: Sequence[str]) -> int:
    """Look into the journal."""
    return dispatch("waypost audit", _COMMANDS, _overview)(console, argv)


def _overview() -> str:
    return f"""waypost audit: the journal, where everything that happened stands in order

  waypost audit log --actor claude
  waypost audit verify
  waypost audit export > journal.jsonl
  waypost audit redact 8e4a0b52 --reason "a customer's name"
  waypost audit prune --days 90

commands:
{list_commands(_COMMANDS)}

  log      [--actor NAME] [--kind KIND] [--limit N] [--after N]
  redact   ID|artifact://… --reason TEXT
  prune    --days N

All take --project, --home and --json; log, redact and prune take --agent."""


def log(console: Console, argv: Sequence[str]) -> int:
    """List what was done, the newest first."""
    parser = Parser(
        "waypost audit log", "Who did what; ? marks who only said so.", "  waypost audit log\n"
    )
    parser.add_argument("--actor", metavar="NAME", help="only what this one did")
    parser.add_argument("--kind", help="only this kind, like letter.sent")
    parser.add_argument("--limit", type=int, metavar="N", help="at most so many; 50 if absent")
    parser.add_argument("--after", metavar="N", help="only what was before this position")
    add_options(parser)
    given = parser.parse_args(argv)
    with connect(given) as office:
        page = office.ask(
            "log", limit=given.limit, after=given.after, actor=given.actor, kind=given.kind
        )
    if console.as_json:
        console.json(page)
        return 0
    for event in page["events"]:
        console.data(event_line(event))
    return 0


def verify(console: Console, argv: Sequence[str]) -> int:
    """Go through the whole journal; the exit code is 1 when something isn't as it was."""
    parser = Parser(
        "waypost audit verify",
        "Check chain, order and contents of the whole journal.",
        "  waypost audit verify\n",
    )
    add_options(parser, speaks=False)
    with local_office(parser.parse_args(argv)) as office:
        found = office.verify()
    if console.as_json:
        console.json(found.to_json())
        return 0 if found.is_whole else 1
    if found.is_whole:
        console.data(f"whole: {count(found.events, 'event')}, tip {found.tip[:16]}")
        return 0
    for flaw in found.flaws:
        console.data(f"{flaw.position:>6}  {flaw.what}")
    console.talk(f"the journal is not as it was written: {count(len(found.flaws), 'flaw')}")
    return 1


def export(console: Console, argv: Sequence[str]) -> int:
    """Print the journal, one event a line."""
    parser = Parser(
        "waypost audit export",
        "Print the whole journal as JSON lines, contents too.",
        "  waypost audit export > journal.jsonl\n",
    )
    add_options(parser, speaks=False)
    with local_office(parser.parse_args(argv)) as office:
        for line in office.export():
            console.data(visible_json(line))
    return 0


def visible_json(line: str) -> str:
    """A line of JSON with nothing a terminal would obey."""
    if line.isprintable():
        return line
    import json

    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in line)


def redact(console: Console, argv: Sequence[str]) -> int:
    """Take a content out; that it was there stays on record."""
    parser = Parser(
        "waypost audit redact",
        "Take what a letter or attachment says out for good.",
        '  waypost audit redact 8e4a0b52 --reason "a customer\'s name"\n',
    )
    parser.add_argument("what", metavar="ID|ARTIFACT", help="a letter, or artifact://sha256-…")
    parser.add_argument("--reason", required=True, help="why; it stays on record")
    add_options(parser)
    arguments = parser.parse_args(argv)
    with connect(arguments) as office:
        removal = office.ask("redact", what=arguments.what, reason=arguments.reason)
    if console.as_json:
        console.json(removal)
    else:
        console.data(f"removed {count(removal['removed'], 'content')}, see {removal['position']}")
    return 0


def prune(console: Console, argv: Sequence[str]) -> int:
    """Let go of the contents of old letters that are dealt with."""
    parser = Parser(
        "waypost audit prune",
        "Remove the contents of letters that are old and dealt with.",
        "  waypost audit prune --days 90\n",
    )
    parser.add_argument("--days", type=int, required=True, metavar="N", help="older than this")
    add_options(parser)
    arguments = parser.parse_args(argv)
    local_place(arguments)
    with connect(arguments) as office:
        pruned = office.ask("prune", days=arguments.days)
    if console.as_json:
        console.json(pruned)
    else:
        console.data(f"removed the contents of {count(pruned['letters'], 'letter')}")
    return 0


def rebuild(console: Console, argv: Sequence[str]) -> int:
    """Make the tables anew; nothing that happened is changed."""
    parser = Parser(
        "waypost audit rebuild",
        "Make all tables anew from the journal.",
        "  waypost audit rebuild\n",
    )
    add_options(parser, speaks=False)
    with local_office(parser.parse_args(argv)) as office:
        events = office.rebuild()
    if console.as_json:
        console.json({"events": events})
    else:
        console.data(f"rebuilt from {count(events, 'event')}")
    return 0
