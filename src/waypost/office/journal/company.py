"""The nodes of an office: who is there, and whose turn it is to carry, as runtime asks for it.

A node must have stopped carrying before another begins. So each counts by its own clock from the
moment before it last wrote that it is there, and the others, for longer, from when they saw that.
An office of one machine is one node, and carries everything.
"""

import json
import os
import re
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

from waypost.errors import UnreadableError, UsageError, quoted, words_of
from waypost.office.events import Json

_FILE = "node.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


class Node(NamedTuple):
    """A node as others see it. `lag` is how many messages of the journal it has yet to apply."""

    name: str
    url: str | None
    version: str | None
    since: str | None
    is_there: bool
    age: float  # seconds since it was last heard of
    lag: int
    carries_rest: bool
    online: tuple[str, ...]

    def to_json(self) -> Json:
        return {**self._asdict(), "age": round(self.age, 1), "online": list(self.online)}


class Server(NamedTuple):
    """A server that keeps a copy of the journal."""

    name: str
    leads: bool
    is_current: bool
    lag: int


class Standing(NamedTuple):
    """All nodes and servers of an office at one moment; `me` is None on a single machine."""

    me: str | None
    nodes: tuple[Node, ...]
    servers: tuple[Server, ...]


class Company(Protocol):
    """How this process stands among the nodes of its office. Safe to ask from any thread."""

    @property
    def me(self) -> str | None:
        """The name of this node; None where there is only one machine."""
        ...

    def join(self, about: Callable[[], Json], changed: Callable[[], None]) -> None:
        """Be a node that others can count on; `changed` is called when duties may have changed.

        Raises ConflictError when another node of this name is there.
        """
        ...

    def leave(self) -> None:
        """Be there no more: others take over at once."""
        ...

    def carries(self, node: str | None) -> bool:
        """Whether this node may, at this moment, carry to those who live at another or nowhere."""
        ...

    def shares_folders(self, node: str | None) -> bool:
        """Whether the folders of a node are the same files as ours."""
        ...

    def standing(self) -> Standing:
        """Who is there, and how far."""
        ...


class Alone:
    """The company of an office that is on one machine."""

    me = None

    def join(self, about: Callable[[], Json], changed: Callable[[], None]) -> None:
        """There is nobody to tell."""

    def leave(self) -> None:
        """There is nobody to take over."""

    def carries(self, node: str | None) -> bool:
        """Everything."""
        return True

    def shares_folders(self, node: str | None) -> bool:
        """There is one set of folders."""
        return True

    def standing(self) -> Standing:
        """Nobody else."""
        return Standing(None, (), ())


class Identity(NamedTuple):
    """What a node is called, and what tells its home from all others."""

    name: str
    id: str


def identity_of(home: str, wanted: str | None = None) -> Identity:
    """Who this home is as a node; once it was named, it keeps that until it is named anew.

    Raises UsageError for what is no name, UnreadableError.
    """
    if wanted is not None and not _NAME.fullmatch(wanted):
        raise UsageError(
            f"{quoted(wanted)} is no name for a node",
            hint="up to 64 letters, digits, - and _, as in --node east-1",
        )
    path = os.path.join(home, _FILE)
    try:
        known = _kept(path)
        if known is None:
            machine = _ODD.sub("-", socket.gethostname())[:40].strip("-_") or "node"
            fresh = Identity(wanted or f"{machine}-{secrets.token_hex(3)}", secrets.token_hex(8))
            with suppress(FileExistsError):  # another process of this home was faster
                _keep(path, fresh, os.link)
            known = _kept(path) or fresh
        if wanted is not None and wanted != known.name:
            known = known._replace(name=wanted)
            _keep(path, known, os.replace)
    except OSError as error:
        raise UnreadableError(f"{path}: {words_of(error)}") from error
    return known


def _kept(path: str) -> Identity | None:
    try:
        with open(path, encoding="utf-8") as file:
            found = json.loads(file.read(1000))
        return Identity(str(found["name"]), str(found["id"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableError(
            f"{path} is no node's name", hint="remove it; it is made anew"
        ) from error


def _keep(path: str, identity: Identity, put: Callable[[str, str], None]) -> None:
    fresh = f"{path}.{secrets.token_hex(4)}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(identity._asdict(), file)
    try:
        put(fresh, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(fresh)
