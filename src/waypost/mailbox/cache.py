"""Remembers what the files of a folder hold, so that a listing need not read them all again.

Private and rebuildable: an entry holds while its file's inode, size and change time stay the same.
Damaged or missing, it is made anew; two processes that save at once leave one whole cache.
"""

import json
import os
from contextlib import suppress
from typing import Any, NamedTuple

from waypost.carriers.folders import files
from waypost.errors import Problem

_VERSION = 1
_WORTH_SAVING = 32  # new entries, or a twentieth of all; fewer are read again more cheaply


class Stamp(NamedTuple):
    """What tells that a file is still the same."""

    inode: int
    size: int
    mtime: int  # nanoseconds

    @classmethod
    def of(cls, status: os.stat_result) -> "Stamp":
        return cls(status.st_ino, status.st_size, status.st_mtime_ns)


class Entry(NamedTuple):
    """What a listing needs of one message file."""

    stamp: Stamp
    checksum: int
    type: str | None
    header: dict[str, Any] | None
    problems: tuple[Problem, ...]  # none for a valid message

    @property
    def valid(self) -> bool:
        return not self.problems


class Cache:
    """The entries of one folder, as the last listing saw them."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._known = _load(path)
        self._kept: dict[str, Any] = {}
        self._fresh = 0

    def get(self, name: str, stamp: Stamp) -> Entry | None:
        """The entry of a file that has not changed."""
        known = self._known.get(name)
        if known is None or tuple(known[0]) != stamp:
            return None
        _, checksum, kind, header, problems = known
        if not (header is None or isinstance(header, dict)):
            return None
        try:
            told = tuple(Problem(tuple(at), *rest) for at, *rest in problems) if problems else ()
        except TypeError:  # somebody else wrote here
            return None
        return Entry(stamp, checksum, kind, header, told)

    def keep(self, name: str, entry: Entry) -> None:
        """Note an entry for the next listing."""
        known = self._known.get(name)
        if known is not None and tuple(known[0]) == entry.stamp:
            self._kept[name] = known
        else:
            self._fresh += 1
            self._kept[name] = entry

    def save(self) -> None:
        """Write the cache if that is worth it; a folder that can't be written goes without."""
        gone = len(self._known) - (len(self._kept) - self._fresh)
        if self._fresh + gone < max(_WORTH_SAVING, len(self._kept) // 20):
            return
        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            part = f"{self._path}.{os.getpid()}"
            try:
                with open(part, "w", encoding="utf-8") as file:
                    file.write(json.dumps({"version": _VERSION, "entries": self._kept}))
                os.replace(part, self._path)
            except OSError:
                files.remove(part)


def _load(path: str) -> dict[str, Any]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, encoding="utf-8") as file:
            saved = json.load(file)
        entries = saved["entries"] if saved["version"] == _VERSION else {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) and all(map(_is_sound, entries.values())) else {}


def _is_sound(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) == 5 and isinstance(entry[0], list)
