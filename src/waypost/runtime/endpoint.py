"""The office's end of QUIC: one port, on which every local agent that has a key can be reached.

A local agent is a mailbox with a key of ours; a peer is a member whose carrier is its key. What
peers ask comes to desks, one a local agent; what our agents write to peers goes out here.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from waypost.agent.line import Line
from waypost.agent.payloads import error_of, status_of
from waypost.agent.switchboard import Switchboard
from waypost.agent.values import Status
from waypost.carriers.keyring import Address, Identity, Peers, Presence, identity, local_names
from waypost.carriers.links import Link, Local, Waiting
from waypost.carriers.quic import QuicTransport
from waypost.errors import NotFoundError, WaypostError
from waypost.office import Office, carrying, consigning
from waypost.office.consigning import Box, Consignment, Pending
from waypost.office.events import Entry
from waypost.office.members import KEY
from waypost.runtime.dispatcher import Dispatcher
from waypost.runtime.office_desk import OfficeDesk
from waypost.runtime.quic_post import QuicPost

Result = TypeVar("Result")
_THREADS = 8
_AGAIN_SECONDS = 2.0
log = logging.getLogger("waypost.quic")


class Board(Switchboard):
    """A switchboard that keeps the bytes of the message that is being taken."""

    raw = b""
    on_ready: Callable[[str], None] = staticmethod(lambda peer: None)

    def asked(self, link: Link, waiting: Waiting, message: bytes) -> None:
        self.raw = message
        super().asked(link, waiting, message)

    def told(self, link: Link, message: bytes) -> None:
        self.raw = message
        super().told(link, message)

    def became_ready(self, line: Line) -> None:
        super().became_ready(line)
        self.on_ready(line.link.peer)


class Station:
    """One local agent on the air: its mailbox, its key, its board and its desk."""

    def __init__(self, box: Box, me: Identity, peers: Peers) -> None:
        self.box, self.me, self.peers = box, me, peers
        self.presence: Presence
        self.board: Board
        self.desk: OfficeDesk


class Endpoint:
    """Everything live of one office, in one event loop; `take` is called from any thread."""

    def __init__(self, office: Office, dispatcher: Dispatcher, address: tuple[str, int]) -> None:
        self.office, self.dispatcher = office, dispatcher
        self.address: tuple[str, int] | None = None
        self.stations: dict[str, Station] = {}  # by the id of the key
        self._home, self._wanted = Path(office.home), address
        self._locals: list[Local] = []
        self._transport: QuicTransport | None = None
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="waypost-live")
        self._tasks: set[asyncio.Task[None]] = set()
        self._refreshing = asyncio.Lock()
        self._is_retrying = False

    async def start(self) -> None:
        """Come online, if there is an agent for it; agents that come later are taken along."""
        self._loop = asyncio.get_running_loop()
        self._post = QuicPost(self)
        await self.do(self._forget_exchanges)
        await self.refresh()
        self.dispatcher.live = self
        self.dispatcher.followers.append(self._follow)

    async def stop(self) -> None:
        """Go offline; what is under way is left to the next start."""
        self.dispatcher.live = None
        self.dispatcher.followers.remove(self._follow)
        for task in list(self._tasks):
            task.cancel()
        for station in self.stations.values():
            station.presence.end()
            await station.board.stop()
        if self._transport is not None:
            await self._transport.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def do(self, function: Callable[..., Result], *given: Any) -> Result:
        """Run something at the office in a thread."""
        return await self._loop.run_in_executor(self._pool, function, *given)

    def now(self) -> float:
        """The time of the event loop."""
        return self._loop.time()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop in which all of this runs."""
        return self._loop

    async def ping(self, project: str, name: str, peer: str, seconds: float) -> Status:
        """Ask a peer of a local agent for a sign of life. Raises LinkError, NotFoundError."""
        station = self.station_of(project, name)
        if station is None:
            raise NotFoundError(f"{name} isn't online here", hint="a moment after it got its key")
        station.peers.refresh()
        whom, deadline = station.peers.find(peer), self.now() + seconds
        await station.board.line_to(whom, deadline)  # dialling isn't the round trip
        begun = self.now()
        answer = await station.board.exchange(whom, "ping", {}, deadline)
        said = answer.message.get("payload") or {}
        if answer.kind == "error":
            raise error_of(said, whom.name)
        return status_of(said, self.now() - begun)

    def linked(self, key_id: str) -> frozenset[str]:
        """The peers to which a local agent has a line now, by id."""
        station = self.stations.get(key_id)
        contacts = station.board.contacts() if station else []
        return frozenset(one.peer for one in contacts if one.best_line() is not None)

    def begin(self, work: Any) -> None:
        """Let a coroutine run; what it raises is logged."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("an exchange failed: %s", error, exc_info=error)

    # -- who is on the air ---------------------------------------------------------------------

    async def refresh(self) -> None:
        """Take the local agents along that got a key."""
        async with self._refreshing:
            for box, me, peers in await self.do(self._find):
                if me.id in self.stations:
                    continue
                self._locals.append(Local(me, peers))
                if self._transport is None:
                    await self._listen()
                self._open(Station(box, me, peers))

    async def _listen(self) -> None:
        """Open the port. Raises UnreadableError, after which all is as it was."""
        transport = QuicTransport(self._locals, self._wanted)
        try:
            await transport.start(self)
        except BaseException:
            self._locals.clear()
            raise
        self._transport, self.address = transport, transport.address

    async def _refresh_later(self) -> None:
        """Take along who got a key by and by: a port that another program has may come free."""
        while not self._is_retrying:
            try:
                await self.refresh()
                return
            except WaypostError as error:
                log.error("who got a key isn't online yet: %s", error.details)
            self._is_retrying = True
            try:
                await asyncio.sleep(_AGAIN_SECONDS)
            finally:
                self._is_retrying = False

    def _open(self, station: Station) -> None:
        assert self._transport is not None
        assert self.address is not None
        station.desk = OfficeDesk(self, station)
        station.board = Board(
            station.me.id, station.peers, self._transport, station.desk, allow_secrets=True
        )
        station.board.on_ready = lambda peer: self.begin(self.do(self.dispatcher.hurry, peer))
        station.presence = Presence(self._home, station.me.name)
        station.presence.begin(self.address)
        self.stations[station.me.id] = station
        log.info("%s in %s is online at %s", station.box.name, station.box.project,
                 Address(*self.address))  # fmt: skip

    def _find(self) -> list[tuple[Box, Identity, Peers]]:
        """Our agents that have a key here."""
        keys = {}
        for name in local_names(self._home):
            try:
                me = identity(self._home, name, create=False)
                keys[me.id] = (me, Peers(self._home, me))
            except WaypostError as error:
                log.error("the key of %s can't be used: %s", name, error.details)
        boxes = consigning.boxes(self.office.desk)
        ours = [box for box in boxes if box.carrier != KEY and box.key_id in keys]
        return [(box, *keys[str(box.key_id)]) for box in ours]

    def station_of(self, project: str, name: str) -> Station | None:
        """The local agent of this name, if it is online."""
        named = (one for one in self.stations.values() if one.box.name == name)
        return next((one for one in named if one.box.project == project), None)

    def _forget_exchanges(self) -> None:
        """Nobody waits for what was asked of our agents before this process began."""
        ours = {me.id for _, me, _ in self._find()}
        for one in consigning.asked(self.office.desk):
            if one.key_id not in ours:
                continue  # another node has it on its line
            if one.type == "query":
                carrying.withdraw(self.office.desk, one.project, one.letter)
            carrying.exchange_ended(self.office.desk, one.project, one.letter)

    # -- the receiver of the transport ---------------------------------------------------------

    def opened(self, link: Link) -> None:
        self.stations[link.me].board.opened(link)

    def asked(self, link: Link, waiting: Waiting, message: bytes) -> None:
        self.stations[link.me].board.asked(link, waiting, message)

    def told(self, link: Link, message: bytes) -> None:
        self.stations[link.me].board.told(link, message)

    def closed(self, link: Link, reason: str) -> None:
        self.stations[link.me].board.closed(link, reason)

    # -- from other threads --------------------------------------------------------------------

    def online(self) -> list[str]:
        """Which of our agents live peers can reach here, each with its project."""
        return [f"{one.box.project}/{one.box.name}" for one in list(self.stations.values())]

    def speaks_for(self, letter: Consignment) -> bool:
        """Whether the key of a letter's sender is here."""
        return self.station_of(letter.project, letter.sender) is not None

    def take(self, letter: Consignment, delivery: Pending) -> None:
        """Bring a letter to a peer."""
        work = self._post.carry(letter, delivery)
        self._loop.call_soon_threadsafe(self.begin, work)

    def _follow(self, entry: Entry) -> None:
        event = entry.event
        if event.kind == "letters.moved":
            self._loop.call_soon_threadsafe(self._moved, entry)
        elif event.kind.startswith("agent."):
            self._loop.call_soon_threadsafe(lambda: self.begin(self._refresh_later()))

    def _moved(self, entry: Entry) -> None:
        for station in self.stations.values():
            note = (entry.event.texts or {}).get("note", "")
            self.begin(station.desk.moved(entry.event.data, note))
