"""Opening lines: dialling once for all who wait, the hello, and dialling again after a loss."""

import asyncio
import logging
from contextlib import suppress
from random import random
from typing import TYPE_CHECKING

from waypost.agent.contact import Contact
from waypost.agent.line import Line, new_stamp
from waypost.carriers.keyring import Peer
from waypost.errors import LinkError, NotTrustedError, PeerError, TimedOutError, UnreachableError

if TYPE_CHECKING:
    from waypost.agent.switchboard import Switchboard

FIRST_PAUSE = 0.2
LONGEST_PAUSE = 60.0
PATIENCE = 120.0  # seconds without a peer after which its tasks are given up
RETIRE_AFTER = 1.0
log = logging.getLogger("waypost.agent")


class Dialling:
    """The part of a switchboard that opens lines, and opens them again."""

    def __init__(self, board: "Switchboard") -> None:
        self._board = board
        self._loop = asyncio.get_running_loop()
        self._stopped = False
        self._retiring: set[asyncio.TimerHandle] = set()

    async def dial(self, peer: Peer, deadline: float) -> Line:
        """Open a line to a peer, together with all others who want one. Raises LinkError."""
        contact = self._board.contact(peer.id)
        if contact.dialling is None:
            contact.dialling = self._loop.create_task(self._open(contact, peer))
            contact.dialling.add_done_callback(lambda task: _finished(contact, task))
        try:
            async with asyncio.timeout_at(deadline):
                return await asyncio.shield(contact.dialling)
        except TimeoutError:
            raise TimedOutError(
                f"{peer.name} could not be reached in time",
                hint="is it online, and is its address right?  waypost peers",
                retryable=True,
            ) from None

    async def _open(self, contact: Contact, peer: Peer) -> Line:
        if peer.host is None:
            raise UnreachableError(
                f"{peer.name} has no address, so it must dial us",
                hint="enrol it again with a token that names one",
                retryable=True,
            )
        line = self._board.line_of(await self._board.transport.dial(peer, self._board.me))
        try:
            await self._greet(line, peer)
        except BaseException:
            line.link.close("no hello was exchanged")
            raise
        self._board.became_ready(line)
        return line

    async def _greet(self, line: Line, peer: Peer) -> None:
        stamp = new_stamp()
        data = line.channel.hello(self._board.hello(), stamp)
        answer = await line.exchange(data, stamp.id, line.channel.hello_by)
        if answer.kind == "error":
            said = answer.message["payload"]
            kind = NotTrustedError if said["code"] == "not_authorized" else PeerError
            raise kind(f"{peer.name} refused our hello: {said['code']}: {said['message']}")

    # -- after a loss ----------------------------------------------------------------------

    def closed(self, contact: Contact, line: Line) -> None:
        """A line is gone: dial again if we had dialled it, or something is open with the peer."""
        if line.is_retired or not line.channel.is_ready:
            return
        if line.link.is_dialled or contact.unsent or self._board.tasks.open_with(contact.peer):
            self.wanted(contact)

    def wanted(self, contact: Contact) -> None:
        """See to it that there will be a line again, as long as the peer is enrolled."""
        if not self._stopped and contact.redialling is None and contact.best_line() is None:
            contact.redialling = self._loop.create_task(self._again(contact))

    async def _again(self, contact: Contact) -> None:
        pause, since = FIRST_PAUSE, self._loop.time()
        try:
            while contact.best_line() is None:
                await asyncio.sleep(pause * (0.5 + random() / 2))
                pause = min(pause * 2, LONGEST_PAUSE)
                peer = self._board.peers.by_id(contact.peer)
                is_lost = peer is None or self._loop.time() - since > PATIENCE
                if is_lost:
                    self._board.on_lost(contact.peer)
                if peer is None or (is_lost and peer.host is None):
                    return
                with suppress(LinkError, PeerError):
                    await self.dial(peer, self._loop.time() + LONGEST_PAUSE)
        finally:
            contact.redialling = None

    # -- two dials at once -----------------------------------------------------------------

    def became_ready(self, contact: Contact) -> None:
        """When two listeners dialled each other, let the line go that both judge too much."""
        line = contact.retire_double(self._board.transport.address is not None)
        if line is not None and line.link.is_dialled:
            self._retire(line)

    def _retire(self, line: Line) -> None:
        def close_when_idle() -> None:
            self._retiring.discard(handle)
            if line.is_busy and line.link.is_open:
                self._retire(line)
            else:
                line.link.close("one connection is enough")

        handle = self._loop.call_later(RETIRE_AFTER, close_when_idle)
        self._retiring.add(handle)

    async def stop(self) -> None:
        """Dial no more."""
        self._stopped = True
        for handle in self._retiring:
            handle.cancel()
        for contact in self._board.contacts():
            for task in (contact.redialling, contact.dialling):
                if task is not None:
                    task.cancel()
                    with suppress(asyncio.CancelledError, LinkError, PeerError):
                        await task


def _finished(contact: Contact, task: "asyncio.Task[Line]") -> None:
    contact.dialling = None
    if not task.cancelled() and task.exception() is not None:
        log.debug("dialling %s failed: %s", contact.peer, task.exception())
