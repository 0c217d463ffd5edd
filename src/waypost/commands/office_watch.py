"""`waypost watch`: what happens in the project, as it happens."""

import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect
from waypost.commands.office_show import listed
from waypost.errors import UnreachableError, visible

if TYPE_CHECKING:
    from waypost.runtime.client import Client

_AT_ONCE = 1000
_EXAMPLES = """\
  waypost watch                    from now on, until Ctrl-C
  waypost watch --after 4182 --json
  waypost watch --after 0 --once   all that happened so far
"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Print each event behind a position, then each that comes."""
    parser = Parser("waypost watch", "Tell what happens in the project.", _EXAMPLES)
    parser.add_argument("--after", type=int, metavar="N", help="begin behind this position")
    parser.add_argument("--once", action="store_true", help="stop when all is told")
    add_options(parser)
    arguments = parser.parse_args(argv)
    if not arguments.once:
        signal.signal(signal.SIGTERM, _interrupt)
    with connect(arguments, speaks=False) as office:
        after = office.position() if arguments.after is None else arguments.after
        is_away = False
        while True:
            try:
                here, is_all = office.position(), not arguments.once
                while here > after or not is_all:
                    after, is_all = _tell(console, office, after)
                    after = max(here, after) if is_all else after
                is_away = False
            except UnreachableError as error:  # it starts anew, and nothing is missed
                if arguments.once:
                    raise
                if not is_away:
                    console.talk(visible(f"{error.details}; waiting for it"))
                is_away = True
            if arguments.once:
                return 0
            office.pause(after)


def _interrupt(number: int, frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _tell(console: Console, office: "Client", after: int) -> tuple[int, bool]:
    """Tell the next events; gives where they end, and whether that is all."""
    page = office.ask("events", after=after, limit=_AT_ONCE)["events"]
    for event in page:
        if console.as_json:
            console.json(event)
        else:
            console.data(event_line(event))
        after = event["position"]
    console.flush()
    return after, len(page) < _AT_ONCE


def event_line(event: dict[str, Any]) -> str:
    """An event in one line: when, who, what."""
    sure = "" if event["proof"] == "proven" else "?"
    who = f"{event['actor']}{sure} by {event['door']}"
    what = _WHAT[event["kind"]](event.get("data", {})) if event["kind"] in _WHAT else ""
    why = f" ({event['reason']})" if event.get("reason") else ""
    line = f"{event['position']:>6}  {event['at']}  {who:<20} {event['kind']}  {what}{why}"
    return visible(line).rstrip()


def _sent(data: dict[str, Any]) -> str:
    return f"{data.get('type')} {data.get('id')} to {listed(data.get('to', []))}"


def _moved(data: dict[str, Any]) -> str:
    from waypost.office.states import word_of

    places = ", ".join(str(letter) for letter, _ in data.get("deliveries", ())[:5])
    return f"{word_of(data['state'])}: letters of {places}"


def _reserved(data: dict[str, Any]) -> str:
    return f"{data.get('mode')} {listed(data.get('patterns', []))}"


def _released(data: dict[str, Any]) -> str:
    return ("by force: " if data.get("forced") else "") + _numbers(data.get("reservations", ()))


def _numbers(positions: Sequence[int]) -> str:
    more = f" and {len(positions) - 5} more" if len(positions) > 5 else ""
    return ", ".join(str(position) for position in positions[:5]) + more


_WHAT: dict[str, Callable[[dict[str, Any]], str]] = {
    "letter.sent": _sent,
    "letters.moved": _moved,
    "files.reserved": _reserved,
    "files.released": _released,
    "contents.removed": lambda data: _numbers(data.get("positions", ())),
    "agent.registered": lambda data: str(data.get("name")),
    "agent.changed": lambda data: str(data.get("name")),
}
