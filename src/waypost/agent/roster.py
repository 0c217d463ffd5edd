"""How an agent's peers are, as far as can be told now: all are pinged at once."""

import asyncio
from time import time
from typing import TYPE_CHECKING, NamedTuple

from waypost.agent.values import Status
from waypost.carriers.keyring import Peer
from waypost.errors import NotTrustedError, WaypostError

if TYPE_CHECKING:
    from waypost.agent.online import Online

UNDIALLED, UNTRUSTED, AWAY = "dials us", "refuses us", "away"


class Standing(NamedTuple):
    """A peer, and how it is: idle, busy or overloaded; or why that isn't known."""

    peer: Peer
    state: str
    last_seen: float | None
    status: Status | None = None
    error: WaypostError | None = None


async def look(me: "Online", timeout: float) -> list[Standing]:
    """Ping every peer, and tell how each is, by name."""
    seen = me.peers.last_seen()
    every = (_look(me, peer, seen.get(peer.id), timeout) for peer in me.peers.all())
    return list(await asyncio.gather(*every))


async def _look(me: "Online", peer: Peer, seen: float | None, timeout: float) -> Standing:
    if peer.host is None:
        return Standing(peer, UNDIALLED, seen)
    try:
        status = await me.ping(peer.id, timeout=timeout)
    except WaypostError as error:
        state = UNTRUSTED if isinstance(error, NotTrustedError) else AWAY
        return Standing(peer, state, seen, error=error)
    return Standing(peer, status.status, time(), status)
