"""When peers were last seen: a note for the owner; a crash may cost it its last second."""

import json
from contextlib import suppress
from pathlib import Path

from waypost.carriers.keyring import files

MOST = 1024
_MOST_BYTES = 256 * 1024


class Sightings:
    """The times of one local agent's peers; what is new is kept in memory until `save`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._new: dict[str, float] = {}

    def saw(self, peer_id: str, now: float) -> None:
        self._new[peer_id] = now

    def all(self) -> dict[str, float]:
        """Tell when each was seen last, by id."""
        known = _read(self._path)
        for peer_id, time in self._new.items():
            known[peer_id] = max(time, known.get(peer_id, 0.0))
        latest = sorted(known, key=lambda peer_id: -known[peer_id])[:MOST]
        return {peer_id: known[peer_id] for peer_id in latest}

    def save(self) -> None:
        """Write down what is new; a disk that refuses is no reason to stop."""
        if not self._new:
            return
        with suppress(OSError), files.locked(self._path):
            files.replace(self._path, json.dumps({"seen": self.all()}, indent=1).encode())
        self._new.clear()


def _read(path: Path) -> dict[str, float]:
    try:
        with path.open("rb") as file:
            seen = json.loads(file.read(_MOST_BYTES))["seen"]
        return {str(peer_id): float(time) for peer_id, time in seen.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
