"""What peers can do, as they said it: kept for a while, so that asking who can is cheap."""

import asyncio
from typing import TYPE_CHECKING

from waypost.agent import payloads
from waypost.agent.values import Capabilities
from waypost.carriers.keyring import Peer
from waypost.errors import WaypostError
from waypost.letters.domains import reach

if TYPE_CHECKING:
    from waypost.agent.online import Online

KEPT_SECONDS = 300.0


class Whoabouts:
    """The capabilities of an agent's peers."""

    def __init__(self, me: "Online") -> None:
        self._me = me
        self._loop = asyncio.get_running_loop()
        self._known: dict[str, tuple[float, Capabilities]] = {}

    async def of(self, peer: Peer, fresh: bool, timeout: float) -> Capabilities:
        """What one peer can do. Raises what an exchange raises."""
        until, known = self._known.get(peer.id, (0.0, None))
        if known is not None and not fresh and self._loop.time() < until:
            return known._replace(peer=peer.name)
        said = await self._me.exchange(peer, "discover", {}, timeout)
        learned = payloads.capabilities_of(said, peer.name, peer.id)
        self._known[peer.id] = (self._loop.time() + KEPT_SECONDS, learned)
        return learned

    async def who_can(self, domain: str, timeout: float) -> list[Capabilities]:
        """Those of all peers that cover a domain, the closest first, then by name."""
        learned = await asyncio.gather(
            *(self._or_none(peer, timeout) for peer in self._me.peers.all())
        )
        able = [one for one in learned if one is not None and reach(one.domains, domain)]
        return sorted(able, key=lambda one: (-reach(one.domains, domain), one.peer))

    async def _or_none(self, peer: Peer, timeout: float) -> Capabilities | None:
        try:
            return await self.of(peer, False, timeout)
        except WaypostError:
            return None
