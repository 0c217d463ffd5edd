"""The dials under way, and the rule for two that dial each other at once.

Both ends must come to the same end without a word: the connection that the smaller id dials stands.
So the smaller id doesn't answer an address that it is dialling; it may come back when that fails.
The greater id takes the incoming connection for the outcome of its own dial.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from waypost.carriers.keyring import Peer
from waypost.carriers.links import Local
from waypost.carriers.quic.link import QuicLink
from waypost.carriers.quic.sockets import Address
from waypost.errors import WaypostError


class Dial:
    """One dial, until its link stands."""

    def __init__(self, local: Local, peer: Peer, address: Address) -> None:
        self.local, self.peer, self.address = local, peer, address
        self.link: QuicLink | None = None  # none while an incoming one is waited for
        self.done: asyncio.Future[QuicLink] = asyncio.get_running_loop().create_future()

    @property
    def is_by_smaller(self) -> bool:
        return self.local.identity.id < self.peer.id

    def fail(self, error: WaypostError) -> None:
        if not self.done.done():
            self.done.set_exception(error)

    def succeed(self, link: QuicLink) -> None:
        if not self.done.done():
            self.done.set_result(link)


class Dials:
    """All dials of a transport."""

    def __init__(self) -> None:
        self._dials: list[Dial] = []

    @contextmanager
    def begin(self, local: Local, peer: Peer, address: Address) -> Iterator[Dial]:
        """Hold a dial among those under way."""
        dial = Dial(local, peer, address)
        self._dials.append(dial)
        try:
            yield dial
        finally:
            self._dials.remove(dial)
            if not dial.done.cancel() and not dial.done.cancelled():
                dial.done.exception()  # told already, or to nobody

    def to(self, address: Address) -> list[Dial]:
        return [dial for dial in self._dials if dial.address[:2] == address[:2]]

    def links(self) -> list[QuicLink]:
        return [dial.link for dial in self._dials if dial.link is not None]

    def outrank(self, source: Address) -> bool:
        """Whether a dial of ours goes before a connection from this address."""
        return any(dial.link is not None and dial.is_by_smaller for dial in self.to(source))

    def opened(self, link: QuicLink) -> None:
        """A link stands: it may be what a dial waits for."""
        for dial in self._dials:
            if dial.link is link or (not link.is_dialled and self._is_outcome(dial, link)):
                dial.succeed(link)

    def ended(self, link: QuicLink) -> None:
        for dial in self._dials:
            if dial.link is link and link.why_closed is not None:
                dial.fail(link.why_closed())

    def _is_outcome(self, dial: Dial, link: QuicLink) -> bool:
        is_same = (dial.address, dial.local.identity.id, dial.peer.id) == (
            link.address,
            link.me,
            link.peer,
        )
        return is_same and (dial.link is None or not dial.is_by_smaller)
