"""Brings letters to live peers: in ACP, as a question, a task, an answer, or news.

A task, a result and news are mail: to a peer that is away they are tried again until they expire.
Everything else fails at once, and its sender learns why.
"""

import asyncio
import logging
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from waypost.agent import payloads
from waypost.agent.desk import Asked, Offered
from waypost.agent.line import Line
from waypost.carriers.keyring import Peer
from waypost.dialects import dialect, json_text
from waypost.errors import BusyError, LinkError, WaypostError
from waypost.office import bouncing, carrying
from waypost.office.carrying import Handover
from waypost.office.consigning import Consignment, Pending, Rendering
from waypost.office.members import POSTMASTER
from waypost.office.rendering import Ends, render

if TYPE_CHECKING:
    from waypost.runtime.endpoint import Endpoint, Station
    from waypost.runtime.office_desk import Open

Fields = dict[str, Any]
MAIL = ("delegate", "notify", "result")
_ANSWER_SECONDS = 30.0
_PUSH_SECONDS = 10.0
_ARRIVING_SECONDS, _AGAIN_SECONDS = 3.0, 1.0
_UNNOTED = 4  # letters that a peer may have got before we note it: after a crash they come again
log = logging.getLogger("waypost.quic")


class UndeliverableError(WaypostError):
    """A letter that no peer will ever get."""


class QuicPost:
    """The way to the peers of one endpoint."""

    def __init__(self, endpoint: "Endpoint") -> None:
        self._endpoint = endpoint
        self._office = endpoint.office
        self._courier = endpoint.dispatcher.courier
        self._turns: dict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(_UNNOTED)
        )  # by peer

    async def carry(self, letter: Consignment, delivery: Pending) -> None:
        """Bring a letter to a peer; what came of it is noted."""
        pause: float | None = _AGAIN_SECONDS  # after a fault of ours
        try:
            pause = await self._carry(letter, delivery)
        except WaypostError as error:
            await self._do(bouncing.bounce, self._office.desk, letter, delivery, error.details)
            pause = None
        finally:
            self._endpoint.dispatcher.settled(delivery, pause)

    async def _carry(self, letter: Consignment, delivery: Pending) -> float | None:
        station, peer = self._ends(letter, delivery)
        ends = Ends(station.me.id, (peer.id,), delivery.name)
        rendering = await self._do(render, self._office.desk, letter, "acp", ends)
        size = len(rendering.message)
        if not await self._do(self._courier.may_go, letter, delivery, size):
            return None
        try:
            await self._bring(station, peer, letter, delivery, rendering)
        except LinkError as error:
            if rendering.type not in MAIL:
                raise
            pause: float | None = await self._do(
                self._courier.again, letter, delivery, error.details
            )
            return pause
        return None

    def _ends(self, letter: Consignment, delivery: Pending) -> tuple["Station", Peer]:
        """Who writes, with its key, and who gets it. Raises UndeliverableError."""
        station = self._endpoint.station_of(letter.project, letter.sender)
        if station is None:
            raise UndeliverableError(
                f"{letter.sender} has no key that {delivery.name} could know"
                if letter.sender != POSTMASTER else "it is a notice of the office"
            )  # fmt: skip
        station.peers.refresh()
        peer = station.peers.by_id(delivery.key_id or "")
        if peer is None:
            raise UndeliverableError(f"{letter.sender} doesn't trust the key of {delivery.name}")
        return station, peer

    async def _bring(
        self,
        station: "Station",
        peer: Peer,
        letter: Consignment,
        delivery: Pending,
        rendering: Rendering,
    ) -> None:
        fields: Fields = dialect("acp").read(rendering.message).fields or {}
        kind, payload = rendering.type, fields.get("payload") or {}
        waits = await station.desk.waiting_for(peer.id, fields.get("ref"))
        if kind in ("response", "ack", "error"):
            await self._answer(station, waits, kind, payload)
            await self._note(letter, delivery)
        elif kind in ("notify", "result"):
            line = await self._way(station, peer, waits, rendering, payload)
            async with self._turns[peer.id]:
                await self._tell(station, line, waits, rendering, payload)
                await self._note(letter, delivery)
        else:
            await self._ask(station, peer, letter, fields)

    async def _note(self, letter: Consignment, delivery: Pending) -> None:
        await self._do(
            carrying.handed_over, self._office.desk, letter.project,
            [Handover(letter.position, [delivery.box])],
        )  # fmt: skip

    async def _answer(
        self, station: "Station", waits: "Open | None", kind: str, payload: Fields
    ) -> None:
        """Answer who waits on the line. Raises UndeliverableError when nobody does."""
        about = waits.about if waits else None
        if kind == "ack" and isinstance(about, Offered) and waits is not None:
            self._acknowledge(about, payload, is_cancel=waits.is_cancel)
            return
        if not isinstance(about, Asked) or not about.is_open or waits is None:
            raise UndeliverableError("nobody waits for this answer any more")
        if kind == "response":
            budget = about.message["payload"].get("max_tokens") or 0
            about.answer(payloads.response(payload, budget))
        else:
            about.fail(payload.get("code") or "internal", payload.get("message") or "it failed")
        await station.desk.close(waits)

    def _acknowledge(self, offered: Offered, payload: Fields, *, is_cancel: bool) -> None:
        if payload.get("accepted") is True:
            if is_cancel:
                offered.stopped()
            else:
                offered.accept()
        elif not is_cancel:
            offered.refuse("refused", payload.get("message") or "it gives no reason")

    async def _way(
        self,
        station: "Station",
        peer: Peer,
        waits: "Open | None",
        rendering: Rendering,
        payload: Fields,
    ) -> Line | None:
        """The line on which to tell a peer something; none if it doesn't want it. LinkError."""
        about = waits.about if waits else None
        data = payload.get("data")
        if rendering.type == "notify" and isinstance(data, dict):
            progress = await station.desk.waiting_for(peer.id, data.get("delegation"))
            if progress is not None and isinstance(progress.about, Offered):
                progress.about.accept()
        if isinstance(about, Offered):
            about.accept()  # an end without a beginning would puzzle the peer
            if not about.task.report_back:
                return None
        return await station.board.line_to(peer, self._deadline(_PUSH_SECONDS))

    async def _tell(
        self,
        station: "Station",
        line: Line | None,
        waits: "Open | None",
        rendering: Rendering,
        payload: Fields,
    ) -> None:
        """Tell a peer something one way, and wait until it has arrived. Raises LinkError.

        The other end of a line may be gone without a word; by then there may be another line.
        """
        has_arrived = False
        if line is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_ARRIVING_SECONDS):
                    await line.link.push(rendering.message)
                    await line.link.drain()
                    has_arrived = line.link.is_open
            if not has_arrived:
                raise BusyError("the link ended, or is dead, before it arrived", retryable=True)
        about = waits.about if waits else None
        if rendering.type == "result" and isinstance(about, Offered) and waits is not None:
            about.ended_by_mail(payload)
            await station.desk.close(waits)

    async def _ask(
        self, station: "Station", peer: Peer, letter: Consignment, fields: Fields
    ) -> None:
        """Ask a peer, and take its answer in as a letter. Raises LinkError."""
        kind, payload = str(fields["kind"]), fields.get("payload") or {}
        seconds = (payload.get("deadline_ms") or 0) / 1000 if kind == "query" else 0
        deadline = self._deadline(seconds or _ANSWER_SECONDS)
        answer = await station.board.exchange(
            peer, kind, payload, deadline,
            ref=fields.get("ref"), name=fields["id"], allow_secrets=True,
        )  # fmt: skip
        raw = answer.raw or json_text.write(answer.message).encode()
        await self._do(station.desk.accept_answer, peer.id, raw)

    def _deadline(self, seconds: float) -> float:
        return self._endpoint.now() + seconds

    async def _do(self, *what: Any) -> Any:
        return await self._endpoint.do(*what)
