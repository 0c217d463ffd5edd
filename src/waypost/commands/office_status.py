"""`waypost status`: how the office stands, and where every setting came from."""

from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect, place_of
from waypost.errors import visible
from waypost.letters.words import size
from waypost.runtime.config import KNOWN, Setting
from waypost.runtime.place import ANYONE

_EXAMPLES = (
    "  waypost status\n  waypost status --cluster      nodes and servers of a shared journal\n"
)
_WHERE = {"folder": "in a folder", "key": "a live peer, over QUIC"}
_COUNTS = (
    ("agents", "agents and people"),
    ("unread", "letters unread"),
    ("for_people", "of them for people"),
    ("overdue", "acknowledgements overdue"),
    ("reservations", "reservations"),
)


def run(console: Console, argv: Sequence[str]) -> int:
    """Show which settings hold, who lives where, what is due and stuck, and how large it is."""
    parser = Parser(
        "waypost status",
        "How the office stands, who lives where, and why it is this one.",
        _EXAMPLES,
    )
    parser.add_argument("--cluster", action="store_true", help="nodes, servers, who lives where")
    add_options(parser)
    arguments = parser.parse_args(argv)
    if arguments.cluster:
        from waypost.commands.cluster_status import show

        return show(console, arguments)
    place = place_of(arguments)
    with connect(arguments, speaks=False) as office:
        found = office.ask("status")
        agents = [one for one in office.ask("agents")["agents"] if one["kind"] != "people"]
        chosen = {"office": office.where, "project": office.project, "agent": office.agent}
        if place.config.look("office.url") is None:
            _mark_woken(agents, office.where.value, office.project.value)
    if office.agent.source == ANYONE:
        del chosen["agent"]
    others = {known.key: place.config.look(known.key) for known in KNOWN}
    settings = chosen | {
        key: one for key, one in others.items() if one and not key.startswith("mail.")
    }
    if (journal := settings.get("office.journal")) is not None:
        from waypost.office.journal.address import address_of

        settings["office.journal"] = Setting(str(address_of(journal.value)), journal.source)
    if console.as_json:
        told = {key: one._asdict() for key, one in settings.items()}
        console.json({"office": found, "agents": agents, "settings": told})
        return 0
    _show_settings(console, settings)
    _show_agents(console, agents)
    _show_office(console, found)
    return 0


def _mark_woken(agents: list[dict[str, Any]], home: str, project: str) -> None:
    """Note for whom a program is named, which only the machine of the office knows."""
    from waypost.runtime.wakes import wakes

    known = wakes(home)
    for one in agents:
        one["is_woken"] = f"{project}/{one['name']}" in known


def _show_settings(console: Console, settings: dict[str, Setting]) -> None:
    width = max(map(len, settings))
    for key, one in settings.items():
        source = console.paint(visible(f"({one.source})"), "dim")
        console.data(f"{key:<{width}}  {visible(one.value)}  {source}")
    console.data()


def _show_agents(console: Console, agents: list[dict[str, Any]]) -> None:
    for one in agents:
        where = _WHERE.get(one.get("carrier", ""), "fetches its mail")
        if one["kind"] == "person":
            where = "reads in the dashboard and here"
        also = " and over QUIC" if one.get("key_id") and one.get("carrier") != "key" else ""
        wake = ", woken by a program" if one.get("is_woken") else ""
        console.data(visible(f"  {one['name']:<16} {where}{also}{wake}"))
    console.data()


def _show_office(console: Console, found: dict[str, Any]) -> None:
    for key, what in _COUNTS:
        console.data(f"{found.get(key, 0):>6,} {what}")
    sizes = found.get("sizes", {})
    if sizes:
        listed = ", ".join(f"{name} {size(number)}" for name, number in sizes.items())
        console.data(f"{found.get('last_position', 0):>6,} events; {listed}")
    for one in found.get("stuck", ()):
        why = f"held by a guard: {one['guard']}" if "guard" in one else (
            f"tried {one['tries']} times" if one["tries"] else "not brought yet")  # fmt: skip
        line = f"stuck: {one['id']} to {one['to']} since {one['since']}, {why}"
        console.data(console.paint(visible(line), "yellow"))
