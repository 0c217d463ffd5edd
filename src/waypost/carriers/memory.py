"""Links inside one process: for tests of whoever uses links, with the limits of real ones.

Keys are checked, sizes and numbers are bounded, and every message takes a turn of the event loop,
as it would over a network. Nothing is encrypted, nothing gets lost.
"""

import asyncio
from collections.abc import Callable
from time import time

from waypost.carriers import revocation
from waypost.carriers.keyring import Peer
from waypost.carriers.links import Limits, Link, Local, Receiver, check_flight, check_size, lost
from waypost.errors import ConflictError, LostError, NotTrustedError, UnreachableError


class MemoryNetwork:
    """A world of addresses; transports of one network reach each other."""

    def __init__(self) -> None:
        self.listening: dict[tuple[str, int], MemoryTransport] = {}
        self.is_cut = False  # while it is, nothing arrives and nobody can be dialled


class MemoryTransport:
    """One process's end of a network."""

    def __init__(
        self,
        network: MemoryNetwork,
        locals_: list[Local],
        address: tuple[str, int] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.address = address
        self.limits = limits or Limits()
        self.locals = locals_
        self.links: set[MemoryLink] = set()
        self._network = network
        self._watching: asyncio.Task[None] | None = None

    async def start(self, receiver: Receiver) -> None:
        if self.address in self._network.listening:
            raise ConflictError(f"somebody listens at {self.address} already")
        if self.address is not None:
            self._network.listening[self.address] = self
        self.receiver = receiver
        watch = revocation.watch(self.locals, lambda: self.links, _revoke)
        self._watching = asyncio.ensure_future(watch)

    async def dial(self, peer: Peer, me: str | None = None) -> Link:
        await asyncio.sleep(0)
        local = next(one for one in self.locals if me in (None, one.identity.id))
        there = self._network.listening.get((peer.host or "", peer.port or 0))
        if there is None or self._network.is_cut:
            raise UnreachableError(f"nobody answers at {peer.host}:{peer.port}", retryable=True)
        host = next((one for one in there.locals if one.identity.id == peer.id), None)
        if host is None:
            raise NotTrustedError(f"who listens at {peer.host}:{peer.port} has another key")
        if there.admits(host, local.identity.public_key) is None:
            raise NotTrustedError("the peer doesn't know our key", hint="it must enrol our token")
        ours = MemoryLink(self, local.identity.id, peer.id, is_dialled=True)
        theirs = MemoryLink(there, peer.id, local.identity.id, is_dialled=False)
        ours.other, theirs.other = theirs, ours
        theirs.open()
        ours.open()
        return ours

    def admits(self, local: Local, public_key: bytes) -> Peer | None:
        """Look whether a key is enrolled with a local agent; a stranger's knock is noted."""
        local.peers.refresh()
        peer = local.peers.by_key(public_key)
        if peer is None:
            local.peers.knocked(public_key, "memory", time())
        return peer

    @property
    def is_cut(self) -> bool:
        return self._network.is_cut

    async def stop(self) -> None:
        if self.address is not None:
            self._network.listening.pop(self.address, None)
        for link in list(self.links):
            link.close("the agent stops")
        await revocation.end(self._watching)
        for local in self.locals:
            local.peers.save_notes()


def _revoke(link: Link) -> None:
    link.close(revocation.REVOKED)


class MemoryLink:
    """One end of a link."""

    round_trip: float | None = 0.0
    other: "MemoryLink"

    def __init__(self, transport: MemoryTransport, me: str, peer: str, *, is_dialled: bool) -> None:
        self.me, self.peer, self.is_dialled = me, peer, is_dialled
        self.is_open = False
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._asking: dict[MemoryWaiting, asyncio.Future[bytes]] = {}
        self.waiting: set[MemoryWaiting] = set()

    def open(self) -> None:
        self.is_open = True
        self._transport.links.add(self)
        self._transport.receiver.opened(self)

    async def request(self, message: bytes) -> bytes:
        self._check(message, len(self._asking))
        waiting = MemoryWaiting(self)
        future: asyncio.Future[bytes] = self._loop.create_future()
        self._asking[waiting] = future
        self._carry(lambda: self.other.receive(waiting, message))
        try:
            return await future
        finally:
            del self._asking[waiting]
            if future.cancelled():
                self._carry(lambda: self.other.abandon(waiting))

    async def push(self, message: bytes) -> None:
        self._check(message, 0)
        self._carry(lambda: self.other.receive(None, message))

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def close(self, reason: str = "") -> None:
        if self.is_open:
            self._end(reason, revoked=False)
            refused = reason == revocation.REVOKED
            self._loop.call_soon(lambda: self.other._end(reason, revoked=refused))

    def _check(self, message: bytes, under_way: int) -> None:
        check_size(message, self._transport.limits)
        check_flight(under_way, self._transport.limits)
        if not self.is_open:
            raise lost("it was closed before")

    def _carry(self, what: Callable[[], None]) -> None:
        if not self._transport.is_cut:
            self._loop.call_soon(what)

    def receive(self, waiting: "MemoryWaiting | None", message: bytes) -> None:
        if not self.is_open:
            return
        if waiting is None:
            self._transport.receiver.told(self, message)
        elif len(self.waiting) >= self._transport.limits.requests_from_peer:
            waiting.refuse()
        else:
            waiting.host = self
            self.waiting.add(waiting)
            self._transport.receiver.asked(self, waiting, message)

    def answered(self, waiting: "MemoryWaiting", message: bytes | None) -> None:
        future = self._asking.get(waiting)
        if future is None or future.done():
            return
        if message is None:
            future.set_exception(LostError("the peer dropped the request", retryable=True))
        else:
            future.set_result(message)

    def abandon(self, waiting: "MemoryWaiting") -> None:
        if waiting in self.waiting:
            self.waiting.discard(waiting)
            if waiting.gone is not None:
                waiting.gone()

    def _end(self, reason: str, *, revoked: bool) -> None:
        if not self.is_open:
            return
        self.is_open = False
        self._transport.links.discard(self)
        for future in self._asking.values():
            if not future.done():
                future.set_exception(NotTrustedError(reason) if revoked else lost(reason))
        for waiting in list(self.waiting):
            self.abandon(waiting)
        self._loop.call_soon(self._transport.receiver.closed, self, reason)


class MemoryWaiting:
    """A request on its way through memory."""

    def __init__(self, asker: MemoryLink) -> None:
        self.gone: Callable[[], None] | None = None
        self.host: MemoryLink | None = None
        self._asker = asker

    def answer(self, message: bytes) -> None:
        self._end(message)

    def drop(self) -> None:
        self._end(None)

    def refuse(self) -> None:
        self._asker.answered(self, None)

    def _end(self, message: bytes | None) -> None:
        host = self.host
        if host is None or self not in host.waiting:
            return
        if message is not None:
            check_size(message, host._transport.limits)
        host.waiting.discard(self)
        host._carry(lambda: self._asker.answered(self, message))
