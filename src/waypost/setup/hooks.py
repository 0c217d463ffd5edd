"""The entries of a client's settings that let it tell of unread mail, and which are ours."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from waypost.setup.clients import CURSOR, Client, hook_entry
from waypost.setup.json_edits import JsonText
from waypost.setup.json_tree import Key

_OURS = re.compile(r"""(?:^|[\s/'"])waypost['"]? notice\b""")
_FORM = {"version": 1}  # what Cursor wants in the file beside the entries


def commands(client: Client, program: str, who: list[str]) -> dict[str, str]:
    """By event, what runs at it: quiet also where waypost isn't there."""
    by_event: dict[str, str] = {}
    for event in client.events:
        form = ["--event", event.answer] if event.answer else []
        words = shlex.join([program, "notice", *who, *form])
        by_event[event.name] = f"{words} 2>/dev/null || true"
    return by_event


def with_hooks(client: Client, settings: JsonText, by_event: dict[str, str]) -> JsonText:
    """The settings with exactly these entries of ours; other people's stay where they are."""
    if client is CURSOR and by_event and settings.get(("version",)) is None:
        settings = settings.put(("version",), _FORM["version"])
    for event in client.events:
        settings = _with_entry(client, settings, event.name, by_event.get(event.name))
    if client is CURSOR and not by_event and settings.value() == _FORM:
        return settings.drop(("version",))
    return settings


def _with_entry(client: Client, settings: JsonText, event: str, command: str | None) -> JsonText:
    first, *spare = [*_ours(settings, event), None]
    for path in reversed([path for path in (spare if command else [first, *spare]) if path]):
        settings = settings.drop(path)
    if command is None:
        return settings
    entry = hook_entry(client, command)
    if first is None:
        entries = settings.get(("hooks", event))
        number = len(entries) if isinstance(entries, list) else 0
        return settings.put(("hooks", event, number), entry)
    wanted = entry["hooks"][0] if "hooks" in entry else entry
    return settings if settings.get(first) == wanted else settings.put(first, wanted)


def _ours(settings: JsonText, event: str) -> Iterator[tuple[Key, ...]]:
    """The paths of our entries at an event."""
    for number, entry in enumerate(_list(settings.get(("hooks", event)))):
        if _is_ours(entry):
            yield ("hooks", event, number)
        inside = entry.get("hooks") if isinstance(entry, dict) else None
        for place, hook in enumerate(_list(inside)):
            if _is_ours(hook):
                yield ("hooks", event, number, "hooks", place)


def _is_ours(entry: Any) -> bool:
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and _OURS.search(command) is not None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
