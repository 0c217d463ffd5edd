"""Listens and dials over QUIC, and keeps the links: who is let in, which of two is kept, the end.

One port serves any number of local agents: the name that a dialler asks for tells which. Dialling
goes out of the listening socket where it can, so that two listeners which dial each other at once
can tell: then the connection dialled by the smaller id stands, and the other dial is given up.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from time import time

from aioquic.buffer import Buffer  # type: ignore[attr-defined]
from aioquic.quic.packet import pull_quic_header

from waypost.carriers import revocation
from waypost.carriers.keyring import Peer
from waypost.carriers.links import Limits, Link, Local, Receiver
from waypost.carriers.quic import tls
from waypost.carriers.quic.codes import Code
from waypost.carriers.quic.dials import Dial, Dials
from waypost.carriers.quic.doorstep import CONNECTION_ID_BYTES, Doorstep
from waypost.carriers.quic.link import QuicLink
from waypost.carriers.quic.sockets import Address, Socket, Sockets
from waypost.errors import UnreachableError, quoted, words_of

_LOG = logging.getLogger("waypost.links")
_TEND_SECONDS = 0.5
_QUIET_SECONDS = 15.0  # then a ping keeps the link, and the mapping of a router on the way
_FAREWELL_SECONDS = 3.0
_DRAIN_SECONDS = 2.0
_ARRIVING_SECONDS = 1.0  # that a dial waits for the same peer's own, when that began before


class QuicTransport:
    """One process's end of everything: a socket, and the links over it."""

    def __init__(
        self,
        locals_: Sequence[Local],
        address: tuple[str, int] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.links: set[QuicLink] = set()
        self._locals = locals_
        self._wanted = address
        self._routes: dict[bytes, QuicLink] = {}
        self._young: set[QuicLink] = set()  # let in, their handshake under way
        self._touched: set[QuicLink] = set()
        self._dials = Dials()

    async def start(self, receiver: Receiver) -> None:
        self.receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._doorstep = Doorstep(self.limits, self._loop.time())
        self._sockets = Sockets(self._read, self._settle, self._nobody_at)
        if self._wanted is not None:
            await self._sockets.listen(*self._wanted)
        watch = revocation.watch(self._locals, lambda: self.links, self._revoke)
        self._watching = asyncio.ensure_future(watch)
        self._tending = self._loop.call_later(_TEND_SECONDS, self._tend)

    @property
    def address(self) -> tuple[str, int] | None:
        return self._sockets.address

    async def dial(self, peer: Peer, me: str | None = None) -> Link:
        local = next(one for one in self._locals if me in (None, one.identity.id))
        if peer.host is None or peer.port is None:
            raise UnreachableError(
                f"the token of {quoted(peer.name)} names no address",
                hint="ask it for a token with one, and enrol that: waypost peers add TOKEN",
            )
        try:
            async with asyncio.timeout(self.limits.dial_seconds):
                socket, address = await self._sockets.to(peer.host, peer.port)
                with self._dials.begin(local, peer, address) as dial:
                    return await self._reach(dial, socket)
        except TimeoutError:
            raise _nobody(peer, "nobody answers") from None
        except OSError as error:
            raise _nobody(peer, words_of(error)) from None

    async def _reach(self, dial: Dial, socket: Socket) -> Link:
        if any(link.address == dial.address for link in self._young):
            with suppress(TimeoutError):  # it dials us already
                return await asyncio.wait_for(asyncio.shield(dial.done), _ARRIVING_SECONDS)
        quic = tls.dial(dial.local, dial.peer, self.limits)
        link = QuicLink(self, quic, socket.send, dial.address, is_dialled=True)
        dial.link = link
        self._routes[quic.host_cid] = link
        quic.connect(dial.address, self._loop.time())
        link.flush(self._loop.time())
        try:
            return await dial.done
        finally:
            if not link.is_open:
                link.close("given up", Code.SPARE)

    async def stop(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                for link in list(self.links):
                    await link.drain()
        self._tending.cancel()
        await revocation.end(self._watching)
        for link in [*self.links, *self._young, *self._dials.links()]:
            link.close("the agent stops")
        self._sockets.close()
        for local in self._locals:
            local.peers.save_notes()

    # -- datagrams

    def _read(self, socket: Socket, data: bytes, source: Address) -> None:
        now = self._loop.time()
        is_long = bool(data) and data[0] & 0x80
        if is_long:
            link = self._route(socket, data, source, now)
        else:
            link = self._routes.get(data[1 : 1 + CONNECTION_ID_BYTES])
        if link is None:
            return
        try:
            link.receive(data, source, now)
        except Exception:  # whatever a stranger's bytes find in the library costs that link alone
            _LOG.exception("a datagram broke its connection")
            link.close("a fault of ours")
        self._touched.add(link)

    def _route(self, socket: Socket, data: bytes, source: Address, now: float) -> QuicLink | None:
        try:
            header = pull_quic_header(Buffer(data=data), host_cid_length=CONNECTION_ID_BYTES)
        except ValueError:
            return None
        link = self._routes.get(header.destination_cid)
        if link is not None or not socket.is_bound or self._dials.outrank(source):
            return link
        begin = self._doorstep.arrive(header, len(data), source, len(self._young), now)
        if isinstance(begin, bytes):
            socket.send(begin, source)
        if not isinstance(begin, dict):
            return None

        def admits(local: Local, public_key: bytes) -> bool:
            return self._admits(local, public_key, source)

        quic = tls.accept(self._locals, admits, self.limits, **begin)
        link = QuicLink(self, quic, socket.send, source, is_dialled=False)
        self._routes[header.destination_cid] = self._routes[quic.host_cid] = link
        self._young.add(link)
        return link

    def _settle(self) -> None:
        """A batch of datagrams is read: now see what came of it."""
        now = self._loop.time()
        touched, self._touched = self._touched, set()
        for link in touched:
            if not link.is_over:
                link.settle(now)

    def _nobody_at(self, address: Address) -> None:
        """The network says that no program listens at an address."""
        for dial in self._dials.to(address):
            dial.fail(_nobody(dial.peer, "nobody listens"))
        for link in self.links:
            if link.address[:2] == address[:2]:
                link.doubt(self._loop.time())

    # -- what links tell

    def _admits(self, local: Local, public_key: bytes, source: Address) -> bool:
        local.peers.refresh()
        if local.peers.by_key(public_key) is not None:
            return True
        local.peers.knocked(public_key, source[0], time())
        return False

    def confirmed(self, link: QuicLink) -> None:
        self._young.discard(link)
        trust = link.quic.trust
        trust.local.peers.refresh()
        peer = trust.local.peers.by_key(trust.peer_key or b"")
        if peer is None:
            link.close(revocation.REVOKED, Code.NOT_TRUSTED)
            return
        ours = [other.peer for other in self.links if other.me == link.me]
        if len(ours) >= self.limits.links or ours.count(peer.id) >= self.limits.links_of_peer:
            link.close("too many links", Code.BUSY)
            return
        link.peer, link.is_open = peer.id, True
        self.links.add(link)
        self.receiver.opened(link)
        self._dials.opened(link)

    def ended(self, link: QuicLink, reason: str) -> None:
        self._young.discard(link)
        self._dials.ended(link)
        delay = _FAREWELL_SECONDS if link.has_farewell else 0.0
        self._loop.call_later(delay, self._forget, link)
        if link.is_open:
            link.is_open = False
            self.links.discard(link)
            self._loop.call_soon(self.receiver.closed, link, reason)

    def renumber(self, link: QuicLink, connection_id: bytes, *, is_new: bool) -> None:
        if is_new:
            self._routes[connection_id] = link
        else:
            self._routes.pop(connection_id, None)

    def _forget(self, link: QuicLink) -> None:
        for connection_id in [one for one, other in self._routes.items() if other is link]:
            del self._routes[connection_id]

    # -- time

    def _tend(self) -> None:
        now = self._loop.time()
        for link in list(self.links):
            link.tend(now, _QUIET_SECONDS)
        for link in list(self._young):
            if now - link.begun > self.limits.dial_seconds:
                link.close("the handshake took too long")
        self._tending = self._loop.call_later(_TEND_SECONDS, self._tend)

    def _revoke(self, link: Link) -> None:
        assert isinstance(link, QuicLink)
        link.close(revocation.REVOKED, Code.NOT_TRUSTED)


def _nobody(peer: Peer, what: str) -> UnreachableError:
    return UnreachableError(
        f"{quoted(peer.name)} can't be reached at {peer.host}:{peer.port}: {what}",
        hint="look whether it is running; its token tells its address: waypost peers token",
        retryable=True,
    )
