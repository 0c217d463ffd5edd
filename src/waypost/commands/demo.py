"""`waypost demo`: three agents in three dialects do one task together; it checks what it shows."""

import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.commands.console import Console, Parser
from waypost.errors import WaypostError, visible

if TYPE_CHECKING:
    from waypost.runtime.demo_story import Line

_EXAMPLES = """\
  waypost demo              about ten seconds
  waypost demo --json       one JSON object a line
  waypost demo --keep       leaves the home there to look around
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Play the demo; the exit code is 1 when anything isn't as it is shown."""
    parser = Parser("waypost demo", "See a whole office at work, on a temporary home.", _EXAMPLES)
    parser.add_argument("--keep", action="store_true", help="keep the home, and say where it is")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    arguments = parser.parse_args(argv)

    import asyncio

    from waypost.runtime.demo_story import tell

    def show(line: "Line") -> None:
        if console.as_json:
            console.json(line._asdict())
        else:
            who = console.paint(f"{line.who:<9}", "bold")
            console.data(visible(f"{who} {line.dialect:<11} {line.what}", keep="\x1b"))
        console.flush()

    root = Path(tempfile.mkdtemp(prefix="waypost-demo-"))
    try:
        with _ended_in_order():
            asyncio.run(tell(root, show))
        console.talk("Every line was checked before it was shown.")
    finally:
        if arguments.keep:
            console.talk(_around(root))
        else:
            shutil.rmtree(root, ignore_errors=True)
    if not arguments.keep:
        console.talk("Next: waypost init where you work, waypost setup, waypost serve")
    return 0


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Take the system's signals to end like Ctrl-C: else the demo's programs would outlive it."""
    ended_by: list[int] = []

    def stop(number: int, frame: object) -> None:
        ended_by.append(number)
        signal.raise_signal(signal.SIGINT)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        yield
    except WaypostError as error:
        if ended_by:  # what an end tears apart is no flaw
            raise KeyboardInterrupt from error
        raise


def _around(root: Path) -> str:
    from shlex import quote

    office, folders = quote(f"{root}/office"), quote(f"{root}/oacp")
    return visible(f"look around: WAYPOST_HOME={office} OACP_HOME={folders} waypost status")
