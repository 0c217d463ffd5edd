"""Who knocked: a short list of strangers that were refused, for the owner to look at.

It is a note and no record: bounded, the oldest go first, and a crash may lose the last second.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from waypost.carriers.keyring import files
from waypost.carriers.keyring.keys import agent_id
from waypost.carriers.keyring.tokens import decoded, encoded

MOST = 32
_MOST_BYTES = 64 * 1024


class Knock(NamedTuple):
    """A stranger that proved a key we don't know: how often, and from where and when last."""

    public_key: bytes
    host: str
    times: int
    last: float

    @property
    def id(self) -> str:
        return agent_id(self.public_key)


class Knocks:
    """The list of one local agent; what is new is kept in memory until `save`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[bytes, Knock] = {}

    def add(self, public_key: bytes, host: str, now: float) -> None:
        before = self._new.pop(public_key, None)
        self._new[public_key] = Knock(public_key, host, (before.times if before else 0) + 1, now)
        while len(self._new) > MOST:
            del self._new[next(iter(self._new))]

    def all(self) -> list[Knock]:
        """List them, the latest first."""
        merged = {knock.public_key: knock for knock in _read(self._path)}
        for key, knock in self._new.items():
            count = knock.times + (merged[key].times if key in merged else 0)
            merged[key] = knock._replace(times=count)
        return sorted(merged.values(), key=lambda knock: -knock.last)[:MOST]

    def save(self) -> None:
        """Write down what is new; a disk that refuses is no reason to stop listening."""
        if not self._new:
            return
        with suppress(OSError), files.locked(self._path):
            lines = [
                {"key": encoded(key), "host": host, "count": count, "last": last}
                for key, host, count, last in self.all()
            ]
            files.replace(self._path, json.dumps({"knocks": lines}, indent=1).encode())
        self._new.clear()


def _read(path: Path) -> list[Knock]:
    """Read the list; what isn't well formed is left out, since nothing depends on it."""
    try:
        with path.open("rb") as file:
            lines = json.loads(file.read(_MOST_BYTES))["knocks"]
        found = [_knock(line) for line in lines]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return []
    return [knock for knock in found if knock is not None]


def _knock(line: dict[str, object]) -> Knock | None:
    key, host, count, last = (line.get(field) for field in ("key", "host", "count", "last"))
    public_key = decoded(key) if isinstance(key, str) else None
    if public_key is None or not isinstance(count, int) or not isinstance(last, int | float):
        return None
    return Knock(public_key, str(host), count, float(last))
