"""What a subscriber has been told of already: `state/watch/<agent>[.<state-id>].json`.

The form is that of the existing command, so either may go on where the other stopped; what ours
adds (`id`, `stamp`, `unreadable`) it leaves out without harm. One process at a time has a cursor:
the lock falls when it ends, however it ends. A cursor that can't be read is put aside and begun
anew, from the beginning: to hear of a message twice is better than never.
"""

import json
import os
import time
from typing import Any

from waypost.carriers.folders import files
from waypost.carriers.folders.home import Mailbox, Project
from waypost.errors import ConflictError, UnreadableError

Entry = dict[str, Any]
_PATIENCE = 3.0  # seconds; another scan is over by then, a follower isn't


class Cursor:
    """The messages that one subscriber of one mailbox knows of."""

    def __init__(
        self, project: Project, mailbox: Mailbox, state_id: str | None, patience: float = _PATIENCE
    ) -> None:
        """Open and lock a cursor. Raises ConflictError when another process has it."""
        folder = _folder(project)
        name = f"{mailbox.agent}.{state_id}" if state_id else mailbox.agent
        self.path = f"{folder}/{name}.json"
        self._temporary = f"{folder}/.{name}.json.new"
        self._owner = {"agent": mailbox.agent, "project": project.name}
        if state_id:
            self._owner["state_id"] = state_id
        self._lock = _lock(f"{folder}/.{name}.lock", self.path, patience)
        self.messages: dict[str, Entry] = {}
        self.unreadable: dict[str, str] = {}
        self.is_new = False  # there was none
        self.was_damaged = False
        self.has_changed = False
        try:
            self._load()
        except BaseException:
            self.close()
            raise

    def commit(self) -> None:
        """Save what has changed; what was there stays whole until then."""
        if not self.has_changed:
            return
        state = {"version": 1, **self._owner, "messages": self.messages}
        if self.unreadable:
            state["unreadable"] = self.unreadable
        files.remove(self._temporary)
        os.close(files.create(self._temporary, json.dumps(state).encode()))
        os.replace(self._temporary, self.path)
        self.has_changed = False

    def close(self) -> None:
        """Give the lock back; what isn't committed is forgotten."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _load(self) -> None:
        data = _read(self.path)
        if data is None:
            self.is_new = self.has_changed = True
            return
        state = _parse(data)
        if state is None:
            os.replace(self.path, f"{self.path}.damaged")
            self.was_damaged = self.has_changed = True
            return
        owner = (state.get("agent"), state.get("state_id"))
        if owner[0] is not None and owner != (self._owner["agent"], self._owner.get("state_id")):
            raise ConflictError(f"{self.path} belongs to another subscriber: {owner[0]}",
                                hint="choose another --state-id")  # fmt: skip
        self.messages = {
            name: entry for name, entry in state["messages"].items() if isinstance(entry, dict)
        }
        unreadable = state.get("unreadable")
        if isinstance(unreadable, dict):
            self.unreadable = {name: str(seen) for name, seen in unreadable.items()}


def _folder(project: Project) -> str:
    folder = f"{project.path}/state/watch"
    os.makedirs(folder, files.FOLDER_MODE, exist_ok=True)
    root = os.path.realpath(project.path)
    if os.path.commonpath([root, os.path.realpath(folder)]) != root:
        raise UnreadableError(f"{folder} is a link that leads out of the project",
                              hint="put a folder in its place")  # fmt: skip
    return folder


def _lock(path: str, cursor: str, patience: float) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(path, flags, files.FILE_MODE)
    end = time.monotonic() + patience
    while not files.try_lock(descriptor):
        if time.monotonic() >= end:
            os.close(descriptor)
            raise ConflictError(
                f"another watch is using the cursor {cursor}",
                hint="--state-id NAME gives you a cursor of your own",
                retryable=True,
            )
        time.sleep(0.02)
    return descriptor


def _read(path: str) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        return file.read()


def _parse(data: bytes) -> dict[str, Any] | None:
    try:
        state = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(state, dict) or not isinstance(state.get("messages"), dict):
        return None
    return state
