"""`waypost status --cluster`: nodes and servers of a shared journal, and who lives where."""

import argparse
from typing import Any

from waypost.commands.console import Console
from waypost.commands.office_place import connect
from waypost.errors import visible


def show(console: Console, arguments: argparse.Namespace) -> int:
    """Ask any node, or look at the journal from a node's home."""
    with connect(arguments, speaks=False) as office:
        found = office.ask("cluster")
    if console.as_json:
        console.json(found)
        return 0
    if "node" not in found and not found["nodes"]:
        console.data("one machine, which does everything; docs/scale.md is about more")
        return 0
    _show_nodes(console, found)
    _show_servers(console, found["servers"])
    for one in found["agents"]:
        by = one.get("carried_by")
        what = "" if by == one["node"] else (f"; {by} carries for it" if by else "; nobody carries")
        console.data(visible(f"  {one['name']:<16} lives at {one['node']}{what}"))
    return 0


def _show_nodes(console: Console, found: dict[str, Any]) -> None:
    for one in found["nodes"]:
        lag = f"{one['lag']:,} behind" if one["lag"] else "up to date"
        words = [one.get("url") or "-", lag if one["is_there"] else f"gone for {one['age']:.0f} s"]
        if one["carries_rest"]:
            words.append("carries for who has no node, or a dead one")
        if one["online"]:
            words.append("online: " + ", ".join(one["online"]))
        mark = "*" if one["name"] == found.get("node") else " "
        line = visible(f"{mark} {one['name']:<20} {', '.join(words)}")
        console.data(line if one["is_there"] else console.paint(line, "yellow"))
    console.data()


def _show_servers(console: Console, servers: list[dict[str, Any]]) -> None:
    for one in servers:
        how = "leads" if one["leads"] else "follows"
        if not one["is_current"]:
            how = f"{one['lag']:,} behind, or away"
        line = visible(f"  {one['name']:<20} {how}")
        console.data(line if one["is_current"] else console.paint(line, "yellow"))
    console.data()
