"""Which files of a commit another agent holds. Pure: asks neither Git nor the office.

A commit changes files, as does somebody who holds them to write beside others: whatever bears that
bears the commit.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

from waypost.dialects.agentmail.modes import conflict
from waypost.dialects.agentmail.overlap import beginning, matches
from waypost.errors import FilesHeldError

_WRITING = "shared_write"
_MOST_TOLD = 100


def check(
    paths: Sequence[str], reservations: Sequence[Mapping[str, Any]], agent: str | None
) -> None:
    """Raise FilesHeldError if others hold any of the paths; nobody is other to nobody's commit.

    `agent` is who commits, or None for a person: to a person all agents are others.
    """
    in_the_way = list(islice(_conflicts(sorted(paths), reservations, agent), _MOST_TOLD))
    if not in_the_way:
        return
    holders = list(dict.fromkeys(str(one["holder"]) for one in in_the_way))
    first, more = in_the_way[0], len({one["path"] for one in in_the_way}) - 1
    others = f", and {more} more of these files are held" if more else ""
    hint = f"ask {' and '.join(holders)} to release, or leave out what is held"
    if agent is None:
        hint += f"; whoever is {holders[0]} says so by WAYPOST_AGENT={holders[0]}"
    raise FilesHeldError(
        f"{first['holder']} holds {first['path']} until {first['until']}{others}",
        hint=hint,
        conflicts=in_the_way,
    )


def _conflicts(
    paths: Sequence[str], reservations: Sequence[Mapping[str, Any]], agent: str | None
) -> Iterator[dict[str, Any]]:
    """Every path that another holds, once for each holder's reservation."""
    for held in reservations:
        if held["holder"] == agent or not conflict(held["mode"], _WRITING):
            continue
        told = {key: held[key] for key in ("holder", "mode", "until", "reason") if key in held}
        seen: set[str] = set()
        for pattern in held["patterns"]:
            for path in _near(paths, beginning(pattern)):
                if path not in seen and matches(pattern, path):
                    seen.add(path)
                    yield {**told, "pattern": pattern, "path": path}


def _near(paths: Sequence[str], prefix: str) -> Iterator[str]:
    """Of sorted paths those that begin so."""
    rest = islice(paths, bisect_left(paths, prefix), None)
    return takewhile(lambda path: path.startswith(prefix), rest)
