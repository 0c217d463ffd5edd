"""Whom the agents of a project trust: seen, enrolled, revoked and pinged, for commands and doors.

The lists are the files that `waypost peers` keeps; every change is journalled. A door shows public
keys and tokens meant for sharing, never a private key.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.carriers.keyring import (
    Identity,
    Peer,
    Peers,
    Presence,
    fingerprint,
    identity,
    local_names,
    token_of,
)
from waypost.errors import NotFoundError, UnreachableError, WaypostError, quoted
from waypost.letters.names import did_you_mean
from waypost.office import Office, consigning, looking, peering
from waypost.office.callers import Caller
from waypost.office.members import KEY
from waypost.office.views import filled, when
from waypost.runtime.endpoint import Endpoint

Json = dict[str, Any]
_PING_SECONDS = 3.0


class Trust:
    """The peers of the agents of one home; `endpoint` is set where live peers are carried."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._home = Path(office.home)
        self.endpoint: Endpoint | None = None

    def peers(self, caller: Caller) -> Json:
        """Every agent of the project that has a key, whom it trusts, and who knocked."""
        self._check(caller)
        return {"agents": [self._agent(name, me, ring) for name, me, ring in self._rings(caller)]}

    def enrol(self, caller: Caller, agent: str, token: str, name: str | None = None) -> Json:
        """Have an agent trust the key of a token."""
        self._check(caller)
        ring = self._ring(caller, agent)
        peer = ring.add(token, name)
        self._note(caller, agent, peer, is_trusted=True)
        return {"agent": agent, "peer": peer.name, "peer_id": peer.id}

    def revoke(self, caller: Caller, agent: str, peer: str) -> Json:
        """Have an agent trust a peer no more; its links close."""
        self._check(caller)
        gone = self._ring(caller, agent).remove(peer)
        self._note(caller, agent, gone, is_trusted=False)
        return {"agent": agent, "peer": gone.name, "peer_id": gone.id}

    def ping(self, caller: Caller, agent: str, peer: str) -> Json:
        """Ask a peer for a sign of life through the running server. Raises LinkError."""
        self._check(caller)
        self._ring(caller, agent)
        if self.endpoint is None:
            raise UnreachableError(
                "this server carries nothing to live peers", hint="ask where `waypost serve` does"
            )
        work = self.endpoint.ping(caller.project, agent, peer, _PING_SECONDS)
        status = asyncio.run_coroutine_threadsafe(work, self.endpoint.loop).result()
        told = {"peer": peer, "state": status.status, "active_tasks": status.active_tasks}
        return {"agent": agent, **told, "round_trip_ms": round(status.round_trip * 1000, 1)}

    def live(self, caller: Caller) -> dict[str, int]:
        """How many exchanges each agent that is online now has in progress."""
        stations = list(self.endpoint.stations.values()) if self.endpoint else []
        return {
            one.box.name: one.desk.in_progress
            for one in stations
            if one.box.project == caller.project
        }

    def _check(self, caller: Caller) -> None:
        with self._office.desk.database.reading() as tables:
            looking.person_of(tables, caller)

    def _note(self, caller: Caller, agent: str, peer: Peer, *, is_trusted: bool) -> None:
        desk = self._office.desk
        peering.note_trust(desk, caller, agent, peer.name, peer.id, is_trusted=is_trusted)

    def _rings(self, caller: Caller) -> Iterator[tuple[str, Identity, Peers]]:
        """The agents of the project whose keys lie here, by name."""
        boxes = consigning.boxes(self._office.desk, caller.project)
        ours = {box.key_id: box.name for box in boxes if box.carrier != KEY and box.key_id}
        found = []
        for name in local_names(self._home):
            me = identity(self._home, name, create=False)
            if me.id in ours:
                found.append((ours[me.id], me, Peers(self._home, me)))
        yield from sorted(found, key=lambda one: one[0])

    def _ring(self, caller: Caller, agent: str) -> Peers:
        rings = {name: ring for name, _, ring in self._rings(caller)}
        if agent not in rings:
            hint = did_you_mean(agent, rings) or f"waypost agents add {agent} --live makes one"
            said = f"no agent called {quoted(agent)} has a key here"
            raise NotFoundError(said, hint=hint)
        return rings[agent]

    def _agent(self, name: str, me: Identity, ring: Peers) -> Json:
        address = Presence(self._home, me.name).address()
        where = address.for_others() if address else ()
        linked = self.endpoint.linked(me.id) if self.endpoint else frozenset()
        online = self.endpoint is not None and me.id in self.endpoint.stations
        seen = ring.last_seen()
        return {
            "agent": name,
            "id": me.id,
            "fingerprint": fingerprint(me.public_key),
            "token": token_of(me.public_key, *where),
            "online": online,
            "peers": [_peer(peer, seen.get(peer.id), peer.id in linked) for peer in ring.all()],
            "knocks": [
                {"id": one.id, "fingerprint": fingerprint(one.public_key), "host": one.host,
                 "times": one.times, "last": _stamp(one.last), "token": token_of(one.public_key)}
                for one in ring.knocks()
            ],
        }  # fmt: skip


def _peer(peer: Peer, seen: float | None, is_linked: bool) -> Json:
    return filled({
        "peer": peer.name,
        "peer_id": peer.id,
        "fingerprint": fingerprint(peer.public_key),
        "address": None if peer.host is None else f"{peer.host}:{peer.port}",
        "since": _stamp(peer.since),
        "last_seen": _stamp(seen),
        "linked": is_linked or None,
    })  # fmt: skip


def _stamp(moment: float | None) -> str | None:
    return when(None if moment is None else int(moment * 1000))


def note_everywhere(home: Path, me: Identity, peer: Peer, *, is_trusted: bool) -> str | None:
    """Have the office of a home note what a command changed; gives why it couldn't, if so."""
    from waypost.office import open_office
    from waypost.office.database import FILE

    if not (home / FILE).exists():
        return None
    try:
        with open_office(home) as office:
            for box in consigning.boxes(office.desk):
                if box.key_id == me.id and box.carrier != KEY:
                    caller = Caller(box.name, box.project, "cli")
                    who = (office.desk, caller, box.name, peer.name, peer.id)
                    peering.note_trust(*who, is_trusted=is_trusted)
    except WaypostError as error:
        return error.details
    return None
