"""Answers peers for an agent that has its mail in the office.

What is asked of the agent becomes a letter; nobody answers for it. Pings and discovers are answered
at once from what is known. Who waits on the line is kept here, and only here: after a crash nobody
waits any more.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from waypost.agent.desk import Asked, Offered
from waypost.errors import NotAllowedError, WaypostError
from waypost.office import carrying, consigning
from waypost.office.callers import Caller
from waypost.office.events import PROVEN
from waypost.office.members import KEY
from waypost.office.states import State
from waypost.office.views import Receipt

if TYPE_CHECKING:
    from waypost.runtime.endpoint import Endpoint, Station

Fields = dict[str, Any]
_MARGIN_SECONDS = 0.25  # before the deadline in which the letter is taken back
log = logging.getLogger("waypost.quic")
_UNREAD, _READ = "nobody read it in time", "it was read, but not answered in time"


class Open:
    """A letter whose answer a peer waits for on the line. `about` is what is asked or offered."""

    def __init__(self, letter: int, about: Asked | Offered, *, is_cancel: bool = False) -> None:
        self.letter, self.about, self.is_cancel = letter, about, is_cancel
        self.timer: asyncio.TimerHandle | None = None


class OfficeDesk:
    """The desk of one local agent."""

    def __init__(self, endpoint: "Endpoint", station: "Station") -> None:
        self._endpoint, self._station = endpoint, station
        self._office = endpoint.office
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._open: dict[int, Open] = {}  # by the letter's position
        self._by_id: dict[tuple[str, str], Open] = {}  # by peer and message
        self._coming: dict[tuple[str, str], asyncio.Event] = {}  # being taken in now

    @property
    def in_progress(self) -> int:
        """How many peers wait for an answer of this agent."""
        return len(self._open)

    # -- answered at once ----------------------------------------------------------------------

    def hello(self) -> Fields:
        return {"agent_name": self._station.box.name}

    def pong(self) -> Fields:
        return {
            "status": "busy" if self._open else "idle",
            "uptime_secs": int(self._loop.time() - self._since),
            "active_tasks": len(self._open),
            "agent_name": self._station.box.name,
        }

    def capabilities(self) -> Fields:
        box = self._station.box
        known = {"domains": list(consigning.domains_of(self._office.desk, box.id))}
        return {"agent_name": box.name, "channels": ["mail"], **known}

    # -- what peers ask ------------------------------------------------------------------------

    def query(self, asked: Asked) -> None:
        self._endpoint.begin(self._ask(asked, asked.message, self._station.board.raw))

    def delegate(self, offered: Offered) -> None:
        self._endpoint.begin(self._ask(offered, offered.task.message, self._station.board.raw))

    async def _ask(self, about: Asked | Offered, message: Fields, raw: bytes) -> None:
        peer = about.peer if isinstance(about, Asked) else about.task.peer
        key = (peer, message["id"].lower())
        with self._taking_in(key):
            await self._take(about, key, raw)

    @contextmanager
    def _taking_in(self, key: tuple[str, str]) -> Iterator[None]:
        """Whoever asks who waits for this answer, waits until that is noted."""
        self._coming[key] = asyncio.Event()
        try:
            yield
        finally:
            self._coming.pop(key).set()

    async def _take(self, about: Asked | Offered, key: tuple[str, str], raw: bytes) -> None:
        left = about.deadline - self._loop.time()
        until = self._office.desk.world.now() + int(left * 1000)
        try:
            receipt = await self._endpoint.do(self._accept, key[0], raw, until)
        except WaypostError as error:
            code = "not_authorized" if isinstance(error, NotAllowedError) else "internal"
            about.fail(code, error.details, bool(error.retryable))
            return
        opened = Open(receipt.position, about)
        self._open[receipt.position] = self._by_id[key] = opened
        at = about.deadline - min(_MARGIN_SECONDS, left / 4)
        opened.timer = self._loop.call_at(at, lambda: self._endpoint.begin(self._too_late(opened)))

    def given_up(self, asked: Asked) -> None:
        for opened in [one for one in self._open.values() if one.about is asked]:
            self._endpoint.begin(self._withdraw(opened))

    def overdue(self, offered: Offered) -> None:
        """Nothing: `_too_late` came before."""

    async def _too_late(self, opened: Open) -> None:
        about = opened.about
        if isinstance(about, Offered) and not about.is_waiting:
            return
        was_unread = await self._withdraw(opened, keep=isinstance(about, Offered))
        if isinstance(about, Asked):
            about.fail("timeout", _UNREAD if was_unread else _READ, was_unread)
        elif was_unread:
            about.fail("timeout", _UNREAD, True)
        else:
            about.leave_open(_READ)

    async def _withdraw(self, opened: Open, keep: bool = False) -> bool:
        """Take a letter back unless it was read; tells whether it was unread."""
        project = self._station.box.project
        taken = await self._endpoint.do(
            carrying.withdraw, self._office.desk, project, opened.letter
        )
        if taken or not keep:
            await self.close(opened)
        return taken

    async def close(self, opened: Open) -> None:
        """Nobody waits for this answer any more."""
        if self._open.pop(opened.letter, None) is None:
            return
        for key in [key for key, one in self._by_id.items() if one is opened]:
            del self._by_id[key]
        if opened.timer is not None:
            opened.timer.cancel()
        await self._endpoint.do(
            carrying.exchange_ended, self._office.desk, self._station.box.project, opened.letter
        )

    def stop(self, offered: Offered, message: Fields) -> None:
        self._endpoint.begin(self._stop(offered, message, self._station.board.raw))

    async def _stop(self, offered: Offered, message: Fields, raw: bytes) -> None:
        """A task that nobody has read is off at once; of another, its agent is told."""
        task = await self.waiting_for(offered.task.peer, offered.task.id)
        if task is not None and await self._withdraw(task, keep=True):
            offered.stopped((message.get("payload") or {}).get("reason", ""))
            return
        key = (offered.task.peer, message["id"].lower())
        with self._taking_in(key):
            receipt = await self._endpoint.do(self._accept, offered.task.peer, raw)
            opened = Open(receipt.position, offered, is_cancel=True)
            self._open[receipt.position] = self._by_id[key] = opened

    # -- what peers tell -----------------------------------------------------------------------

    def notify(self, peer: str, message: Fields) -> None:
        payload = message["payload"]
        data = payload.get("data")
        about = data.get("delegation") if isinstance(data, dict) else None
        self._endpoint.begin(self._hear(peer, self._station.board.raw, about))

    def result(self, peer: str, kind: str, message: Fields) -> None:
        self._endpoint.begin(self._hear(peer, self._station.board.raw))

    async def _hear(self, peer: str, raw: bytes, about: str | None = None) -> None:
        try:
            await self._endpoint.do(self._accept, peer, raw, None, about)
        except WaypostError as error:
            log.warning("what %s tells is not taken: %s", peer, error.details)

    # -- letters -------------------------------------------------------------------------------

    def _accept(
        self, peer: str, raw: bytes, until: int | None = None, about: str | None = None
    ) -> Receipt:
        """Take a peer's message in as a letter to our agent."""
        box = self._station.box
        caller = Caller(self._name_of(peer), box.project, "quic", PROVEN)
        answers = about if isinstance(about, str) else None
        return self._office.accept(
            caller, raw, to=[box.name], dialect="acp", until=until, answers=answers
        )

    def accept_answer(self, peer: str, raw: bytes) -> Receipt:
        """Take in what a peer answered to a letter of our agent."""
        return self._accept(peer, raw)

    def _name_of(self, peer: str) -> str:
        """The peer's name in the project; it gets the one that our agent gave it."""
        project = self._station.box.project
        boxes = {box.name: box for box in consigning.boxes(self._office.desk, project)}
        known = next((box for box in boxes.values() if box.key_id == peer), None)
        if known is not None:
            return known.name
        enrolled = self._station.peers.by_id(peer)
        name = enrolled.name if enrolled else "peer"
        if name.casefold() in {other.casefold() for other in boxes}:
            name = f"{name[:55]}-{peer[-8:]}"
        caller = Caller(name, project, "quic", PROVEN)
        self._office.register(caller, key_id=peer, carrier=KEY, with_token=False)
        return name

    # -- what our agent answers ----------------------------------------------------------------

    async def waiting_for(self, peer: str, message_id: str | None) -> Open | None:
        """Who waits for the answer to a peer's message; an answer may be faster than our notes."""
        key = (peer, (message_id or "").lower())
        if (coming := self._coming.get(key)) is not None:
            await coming.wait()
        return self._by_id.get(key)

    async def moved(self, data: Any, note: str) -> None:
        """Letters have got further; what our agent says by that is told to who waits."""
        for coming in list(self._coming.values()):
            await coming.wait()
        for letter, _ in data["deliveries"]:
            if (opened := self._open.get(letter)) is None:
                continue
            if data["state"] == State.ACKNOWLEDGED:
                self._acknowledged(opened, data.get("accepted") is not False, note)
            elif data["state"] in (State.BOUNCED, State.EXPIRED):
                opened.about.fail("internal", note or "the letter could not be delivered")
                self._endpoint.begin(self.close(opened))

    def _acknowledged(self, opened: Open, accepted: bool, note: str) -> None:
        about = opened.about
        why = note.strip() or "it gives no reason"
        if isinstance(about, Asked):
            if accepted:
                return  # an answer may still come
            about.fail("not_authorized", why)
        elif opened.is_cancel:
            if accepted:
                about.stopped()
        elif accepted:
            about.accept()
            return
        else:
            about.refuse("refused", why)
        self._endpoint.begin(self.close(opened))
