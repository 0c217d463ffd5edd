"""What must hold of an office after anything: read from its database, beside the office's back."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from waypost.office.migrations import APPLIED
from waypost.office.office import open_office

Dump = dict[str, list[tuple[object, ...]]]


def dump(home: Path) -> Dump:
    """Every row of every table that events fill; of the index, which words are where."""
    with closing(sqlite3.connect(home / "office.db")) as db:
        db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, search, instance)")
        tables = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in APPLIED}
        return {**tables, "search": sorted(db.execute("SELECT * FROM temp.words").fetchall())}


def wrong(
    home: Path, acknowledged: Iterable[str], *, replay: bool = False, journal: str | None = None
) -> list[str]:
    """Every way in which an office isn't as it was promised, in words."""
    if journal is None:
        return list(_wrong(home, set(acknowledged), replay, None))
    found = list(_wrong(home, set(acknowledged), replay, journal))
    with TemporaryDirectory() as folder:
        return found + list(_different(home, Path(folder), journal))


def _different(home: Path, other: Path, journal: str) -> Iterator[str]:
    """What a node that begins anew sees otherwise."""
    tips = []
    for one in (home, other):
        with open_office(one, journal=journal) as office:
            tips.append(office.verify())
    if tips[0] != tips[1]:
        yield f"the chain of a new node is another: {tips}"
    ours, theirs = dump(home), dump(other)
    yield from (f"{name} differs on a new node" for name in ours if ours[name] != theirs[name])


def _wrong(home: Path, acknowledged: set[str], replay: bool, journal: str | None) -> Iterator[str]:
    with open_office(home, journal=journal) as office:
        for flaw in office.verify().flaws:
            yield f"flaw at {flaw.position}: {flaw.what}"
        if replay:
            before = dump(home)
            office.rebuild()
            after = dump(home)
            yield from (f"{name} differs after a replay" for name in before
                        if before[name] != after[name])  # fmt: skip
    with closing(sqlite3.connect(home / "office.db")) as db:
        stored = Counter(row[0] for row in db.execute("SELECT id FROM letters"))
        yield from (f"{one} is double" for one, count in stored.items() if count > 1)
        yield from (f"{one} was acknowledged and is missing" for one in acknowledged - set(stored))
        for name, said, true in db.execute(_UNREAD):
            if said != true:
                yield f"{name} has {true} unread letters, and the office says {said}"
        yield from (f"letter {row[0]} has no content" for row in db.execute(_BARE))


_UNREAD = (
    "SELECT name, unread, (SELECT count(*) FROM deliveries WHERE agent = agents.id AND state < 2"
    " AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.letter = deliveries.letter"
    "  AND waiting.agent = agents.id AND next_at IS NULL)) FROM agents"
)
_BARE = (
    "SELECT id FROM letters LEFT JOIN contents USING (position)"
    " WHERE message IS NULL AND redacted_at IS NULL"
)
