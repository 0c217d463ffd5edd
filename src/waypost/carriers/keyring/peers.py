"""Whom an agent trusts: its enrolled peers, in one file that is always replaced whole.

Running processes call `refresh` several times a second, which costs one `stat`; so a revocation
written by a command takes effect everywhere within a second.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from time import time
from typing import Any

from waypost.carriers.keyring import files
from waypost.carriers.keyring.keys import Identity
from waypost.carriers.keyring.knocks import Knock, Knocks
from waypost.carriers.keyring.sightings import Sightings
from waypost.carriers.keyring.tokens import Peer, read_token, token_of
from waypost.errors import ConflictError, KeyFileError, NotFoundError, UsageError, quoted
from waypost.letters.names import NAME_RULE, did_you_mean, is_name

_State = tuple[int, int, int]


class Peers:
    """One local agent's enrolled peers, and the strangers that knocked at its door.

    Raises KeyFileError when the file is damaged or others may write to it.
    """

    def __init__(self, home: Path, me: Identity) -> None:
        self._me = me
        self._path = home / "keys" / f"{me.name}.peers.json"
        self._knocks = Knocks(home / "keys" / f"{me.name}.knocks.json")
        self._sightings = Sightings(home / "keys" / f"{me.name}.seen.json")
        self._state: _State | None = None
        self._by_key: dict[bytes, Peer] = {}
        self._load()

    def all(self) -> list[Peer]:
        """List the peers by name."""
        return sorted(self._by_key.values(), key=lambda peer: peer.name)

    def by_key(self, public_key: bytes) -> Peer | None:
        return self._by_key.get(public_key)

    def by_id(self, agent_id: str) -> Peer | None:
        return next((peer for peer in self._by_key.values() if peer.id == agent_id), None)

    def find(self, name_or_id: str) -> Peer:
        """Find a peer by its name, its id, or a beginning of its id that no other has.

        Raises NotFoundError with the near names.
        """
        named = [peer for peer in self._by_key.values() if peer.name == name_or_id]
        digits = name_or_id.removeprefix("ed25519.")
        begun = "ed25519." + digits if len(digits) >= 4 else "-"
        found = named or [peer for peer in self._by_key.values() if peer.id.startswith(begun)]
        if len(found) == 1:
            return found[0]
        hint = did_you_mean(name_or_id, [peer.name for peer in self._by_key.values()])
        raise NotFoundError(
            f"no peer is called {quoted(name_or_id)}",
            hint=hint or "all of them: waypost peers; enrol one: waypost peers add TOKEN",
        )

    def add(self, token: str, name: str | None = None) -> Peer:
        """Enrol the agent that a token names; doing it again renews its address.

        Raises UsageError, and ConflictError when the name is another peer's.
        """
        if name is not None and not is_name(name):
            raise UsageError(f"{quoted(name)} can't name a peer", hint=NAME_RULE)
        new = read_token(token)
        if new.public_key == self._me.public_key:
            raise UsageError(
                "this is our own token", hint="give it to the peer, and take its token"
            )
        files.folder_of(self._path.parent.parent)
        with files.locked(self._path):
            self._load()
            before = self._by_key.get(new.public_key)
            since = before.since if before else time()
            peer = replace(new, name=name or self._name_for(new), since=since)
            self._refuse_taken(peer)
            self._store({**self._by_key, peer.public_key: peer}.values())
        return peer

    def remove(self, name_or_id: str) -> Peer:
        """Revoke a peer; whoever holds a link to it closes it. Raises NotFoundError."""
        files.folder_of(self._path.parent.parent)
        with files.locked(self._path):
            self._load()
            gone = self.find(name_or_id)
            self._store(peer for peer in self._by_key.values() if peer is not gone)
        return gone

    def refresh(self) -> bool:
        """Read the file again if it changed; tells whether. A file that can't be read is left out
        of account until it can: what was known stays known."""
        if _state_of(self._path) == self._state:
            return False
        try:
            self._load()
        except (KeyFileError, OSError):
            return False
        return True

    def knocked(self, public_key: bytes, host: str, now: float) -> None:
        """Note that a stranger with this key was refused; `save_notes` writes it down."""
        self._knocks.add(public_key, host, now)

    def saw(self, peer_id: str, now: float) -> None:
        """Note that a peer was there; `save_notes` writes it down."""
        self._sightings.saw(peer_id, now)

    def save_notes(self) -> None:
        self._knocks.save()
        self._sightings.save()

    def last_seen(self) -> dict[str, float]:
        """Tell when peers were seen last, by id."""
        return self._sightings.all()

    def knocks(self) -> list[Knock]:
        """List the strangers that knocked and were not enrolled since, the latest first."""
        return [knock for knock in self._knocks.all() if knock.public_key not in self._by_key]

    def _name_for(self, new: Peer) -> str:
        before = self._by_key.get(new.public_key)
        return before.name if before else "peer-" + new.id.removeprefix("ed25519.")[:8]

    def _refuse_taken(self, new: Peer) -> None:
        for peer in self._by_key.values():
            if peer.public_key != new.public_key and peer.name.casefold() == new.name.casefold():
                raise ConflictError(
                    f"another peer is called {quoted(peer.name)} already",
                    hint="give this one another name: waypost peers add TOKEN --name NAME",
                )

    def _load(self) -> None:
        state = _state_of(self._path)
        self._by_key = {peer.public_key: peer for peer in _read(self._path)}
        self._state = state

    def _store(self, peers: Iterable[Peer]) -> None:
        kept = sorted(peers, key=lambda peer: peer.name)
        lines = [{"name": peer.name, "token": _token(peer), "since": peer.since} for peer in kept]
        files.replace(self._path, (json.dumps({"peers": lines}, indent=1) + "\n").encode())
        self._load()


def _token(peer: Peer) -> str:
    return token_of(peer.public_key, peer.host, peer.port, alpn=peer.alpn)


def _peer(line: Mapping[str, Any]) -> Peer:
    since = line.get("since")  # which lists of before don't tell
    peer = read_token(line["token"], str(line["name"]))
    return replace(peer, since=float(since) if isinstance(since, int | float) else None)


def _state_of(path: Path) -> _State | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _read(path: Path) -> list[Peer]:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read()
    except FileNotFoundError:
        return []
    if mode & 0o022:
        raise KeyFileError(
            f"others may write to {path}, and so enrol themselves",
            hint=f"look at what it holds, then: chmod 600 {path}",
        )
    try:
        return [_peer(line) for line in json.loads(data)["peers"]]
    except (ValueError, LookupError, TypeError, AttributeError, UsageError) as error:
        raise KeyFileError(
            f"the list of peers {path} is damaged",
            hint="mend or delete it; peers are enrolled by waypost peers add TOKEN",
        ) from error
