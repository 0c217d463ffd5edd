"""How the `oacp` commands show one message of a mailbox."""

import time
from functools import lru_cache

from waypost.mailbox.items import Item

_LISTED = (
    *("id", "from", "to", "type", "priority", "subject", "created_at_utc", "conversation_id"),
    *("parent_message_id", "expires_at", "channel"),
)


def item_json(item: Item) -> dict[str, object]:
    """One message in a listing; the fields of the existing command, and more."""
    fields = item.header or {}
    shown: dict[str, object] = dict.fromkeys(("from", "type", "priority"), "?")
    shown["subject"] = "(not a message)"
    shown["created_at_utc"] = fields.get("created_at_utc") or _stamp(item.entry.stamp.mtime)
    shown |= {name: fields[name] for name in _LISTED if name in fields}
    shown |= {"age": age(item), "path": item.path, "valid": item.entry.valid}
    if "expires_at" in fields and item.is_expired(now()):
        shown["expired"] = True
    if not item.entry.valid:
        shown["problems"] = [problem.to_json() for problem in item.entry.problems]
    return shown


def _stamp(nanoseconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(nanoseconds // 1_000_000_000))


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def age(item: Item) -> str:
    """How old a message is, in the largest unit that fits."""
    return _age_at(item.text("created_at_utc")[:16], int(time.time()) // 60)


@lru_cache
def _age_at(text: str, now: int) -> str:
    from calendar import timegm

    try:
        created = timegm(
            (int(text[:4]), int(text[5:7]), int(text[8:10]), int(text[11:13]), int(text[14:16]), 0)
        )
    except ValueError:
        return "?"
    minutes = max(0, now - created // 60)
    for size, unit in ((1440, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"
