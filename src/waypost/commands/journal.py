"""`waypost journal`: moves an office between one machine and many; snapshots for new nodes."""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from waypost.commands.console import Command, Console, Parser, dispatch, list_commands
from waypost.commands.office_place import local_office, local_place
from waypost.commands.office_show import count
from waypost.errors import NotFoundError, UsageError, visible
from waypost.runtime.place import Place

if TYPE_CHECKING:
    from waypost.office.migrating import Migration

_HERE = "waypost.commands.journal"
_COMMANDS = (
    Command("migrate", "move the office into a cluster, or back", _HERE, "migrate"),
    Command("snapshot", "let new nodes begin from here", _HERE, "snapshot"),
)
_TALK_SECONDS = 2.0
_MIGRATE = """\
  waypost journal migrate --to nats://a,b,c/team --dry-run   what would be done
  waypost journal migrate --to nats://a,b,c/team             into a cluster
  waypost journal migrate --to local                         back into this home

Stop waypost serve first. Every event is copied as it stands; then both sides are compared, and only
then the home follows the new journal. Interrupted, it goes on when it is run again.
"""
_SNAPSHOT = """\
  waypost journal snapshot                  now
  waypost journal snapshot --every 10000    if so many events came since the last
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """See to where the journal is kept."""
    return dispatch("waypost journal", _COMMANDS, _overview)(console, argv)


def _overview() -> str:
    return f"""waypost journal: where the office's journal is kept

  waypost journal migrate --to nats://a,b,c/team   from this machine into a cluster
  waypost journal migrate --to local               back into this home
  waypost journal snapshot --every 10000           new nodes begin there; for a timer

commands:
{list_commands(_COMMANDS)}

  migrate   --to nats://…|local [--dry-run]
  snapshot  [--every N]

All take --home and --json. docs/scale.md leads through all of it."""


def migrate(console: Console, argv: Sequence[str]) -> int:
    """Move the office of a home that nobody serves."""
    parser = Parser("waypost journal migrate", "Move an office into a cluster, or back.", _MIGRATE)
    parser.add_argument(
        "--to", required=True, metavar="ADDRESS|local", help="nats://host[,host…]/office, or local"
    )
    parser.add_argument("--dry-run", action="store_true", help="tell what would be done")
    _add_options(parser)
    arguments = parser.parse_args(argv)
    place = local_place(arguments)
    from waypost.office.database import FILE
    from waypost.runtime.serving import alone_at

    home = place.home.value
    if not os.path.lexists(os.path.join(home, FILE)):
        raise NotFoundError(f"there is no office in {home} yet", hint="waypost init makes one")
    with alone_at(home):
        done = _migrate(console, place, arguments)
    _tell(console, done, is_trial=arguments.dry_run)
    return 0


def _migrate(console: Console, place: Place, arguments: argparse.Namespace) -> "Migration":
    try:
        from waypost.office import migrating
    except ModuleNotFoundError as error:
        if error.name != "nats":
            raise
        raise UsageError(
            "a journal elsewhere needs the client of NATS", hint='pip install "waypost[cluster]"'
        ) from error
    from waypost.runtime.config import write_journal

    home, tell, trial = place.home.value, _progress(console), arguments.dry_run
    if arguments.to == "local":
        given = place.journal()
        return migrating.to_home(
            home, given, lambda: write_journal(home, None), tell, is_trial=trial
        )
    return migrating.to_stream(
        home, arguments.to, lambda: write_journal(home, arguments.to), tell, is_trial=trial
    )


def snapshot(console: Console, argv: Sequence[str]) -> int:
    """Put a copy of a node's tables where new nodes begin."""
    parser = Parser(
        "waypost journal snapshot", "Let new nodes begin from here, not from zero.", _SNAPSHOT
    )
    parser.add_argument("--every", type=int, default=0, metavar="N", help="only after so many news")
    _add_options(parser)
    arguments = parser.parse_args(argv)
    with local_office(arguments) as office:
        taken = office.snapshot(arguments.every)
    if console.as_json:
        console.json({"position": None} if taken is None else taken.to_json())
    elif taken is None:
        console.data("the last snapshot is new enough")
    else:
        console.data(f"new nodes begin at {taken.position}, {taken.size:,} bytes")
    return 0


def _add_options(parser: Parser) -> None:
    parser.add_argument("--home", metavar="DIR", help="the office's home; else WAYPOST_HOME")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _progress(console: Console) -> Callable[[int, int], None]:
    """Tell now and then how far it is, where somebody looks on."""
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if sys.stderr.isatty() and time.monotonic() - last > _TALK_SECONDS:
            last = time.monotonic()
            console.talk(f"{done:,} of {count(total, 'event')}")

    return tell


def _tell(console: Console, done: "Migration", *, is_trial: bool) -> None:
    if console.as_json:
        console.json({**done.to_json(), "dry_run": is_trial})
        return
    what = f"{count(done.events, 'event')}, tip {done.tip[:16]}"
    if is_trial:
        console.data(visible(f"would move {done.origin} to {done.target}: {what}"))
        return
    console.data(visible(f"moved to {done.target}: {what}"))
    if done.backup is not None:
        console.talk(visible(f"as it was: {done.backup}; delete it when all is well"))
    console.talk("next: waypost serve")
