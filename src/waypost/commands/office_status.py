"""`waypost status`: how the office stands, and where every setting came from."""

from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect, place_of
from waypost.errors import visible
from waypost.letters.words import size
from waypost.runtime.config import KNOWN, Setting

_EXAMPLES = "  waypost status\n  waypost status --json\n"
_COUNTS = (
    ("agents", "agents and people"),
    ("unread", "letters unread"),
    ("for_people", "of them for people"),
    ("overdue", "acknowledgements overdue"),
    ("reservations", "reservations"),
)


def run(console: Console, argv: Sequence[str]) -> int:
    """Show what is due, how large it is, and which settings hold."""
    parser = Parser("waypost status", "How the office stands, and why it is this one.", _EXAMPLES)
    add_options(parser)
    arguments = parser.parse_args(argv)
    place = place_of(arguments)
    with connect(arguments) as office:
        found = office.ask("status")
        chosen = {"office": office.where, "project": office.project, "agent": office.agent}
    others = {known.key: place.config.look(known.key) for known in KNOWN}
    settings = chosen | {
        key: one for key, one in others.items() if one and not key.startswith("mail.")
    }
    if (journal := settings.get("office.journal")) is not None:
        from waypost.office.journal.address import address_of

        settings["office.journal"] = Setting(str(address_of(journal.value)), journal.source)
    if console.as_json:
        told = {key: one._asdict() for key, one in settings.items()}
        console.json({"office": found, "settings": told})
        return 0
    _show(console, found, settings)
    return 0


def _show(console: Console, found: dict[str, Any], settings: dict[str, Setting]) -> None:
    width = max(map(len, settings))
    for key, one in settings.items():
        source = console.paint(visible(f"({one.source})"), "dim")
        console.data(f"{key:<{width}}  {visible(one.value)}  {source}")
    console.data()
    for key, what in _COUNTS:
        console.data(f"{found.get(key, 0):>6,} {what}")
    sizes = found.get("sizes", {})
    if sizes:
        listed = ", ".join(f"{name} {size(number)}" for name, number in sizes.items())
        console.data(f"{found.get('last_position', 0):>6,} events; {listed}")
