"""An agent while it is online: what it can ask of its peers."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from waypost.agent import payloads
from waypost.agent.agent import Agent
from waypost.agent.handlers import HandlerDesk
from waypost.agent.jobs import Job, OnProgress
from waypost.agent.line import new_stamp
from waypost.agent.switchboard import Switchboard
from waypost.agent.telling import tell
from waypost.agent.values import Answer, Capabilities, Delivery, Progress, Status
from waypost.agent.whoabouts import Whoabouts
from waypost.carriers.keyring import (
    Address,
    Identity,
    Peer,
    Peers,
    Presence,
    host_and_port,
    identity,
    token_of,
    waypost_home,
)
from waypost.carriers.links import Local, Transport
from waypost.dialects.acp.tasks import Sent, Taken
from waypost.errors import LinkError, LostError

Fields = dict[str, Any]
Carrier = Callable[[list[Local], tuple[str, int] | None], Transport]

ASK_SECONDS, SHORT_SECONDS = 30.0, 10.0


class Online:
    """A live agent. Use it as an async context manager: `async with agent.online() as me`.

    Peers are called by their local names or ids. Every call ends within its timeout. Calls raise
    NotFoundError for an unknown peer, LinkError when it isn't reached, PeerError when it says no,
    InvalidMessageError for what can't be sent.
    """

    def __init__(
        self, agent: Agent, address: str | None, home: Path | str | None, carrier: Carrier | None
    ) -> None:
        self.agent, self._carrier = agent, carrier
        self._address = None if address is None else host_and_port(address)
        self._home = waypost_home() if home is None else Path(home)
        self.is_visit = False  # whether this process only asks, and a listener takes the rest
        self._jobs: dict[str, Job] = {}

    async def __aenter__(self) -> "Online":
        self.identity: Identity = identity(self._home, self.agent.name)
        self.peers = Peers(self._home, self.identity)
        local = Local(self.identity, self.peers)
        make = self._carrier or _quic
        self.transport = make([local], self._address)
        self._desk = HandlerDesk(self.agent, self._name_of, self._tell_of)
        self._board = Switchboard(
            self.identity.id,
            self.peers,
            self.transport,
            self._desk,
            allow_secrets=self.agent.allow_secrets,
        )
        self._board.is_visit = self.is_visit
        self._board.on_end = self._ended
        self._board.on_progress = self._progressed
        self._board.on_lost = self._lost
        self._whoabouts = Whoabouts(self)
        self._loop = asyncio.get_running_loop()
        await self.transport.start(self._board)
        self._presence = Presence(self._home, self.agent.name)
        if self.transport.address is not None:
            self._presence.begin(self.transport.address)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._presence.end()
        await self._desk.close()
        await self._board.stop()
        await self.transport.stop()
        for job in list(self._jobs.values()):
            job.fail(LostError("this agent went offline before the task ended"))

    # -- who we are ------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.identity.id

    @property
    def address(self) -> tuple[str, int] | None:
        """Where peers can dial this agent; None when it only dials."""
        return self.transport.address

    @property
    def token(self) -> str:
        """What a peer needs to enrol this agent."""
        address = self.transport.address
        host, port = (None, None) if address is None else Address(*address).for_others()
        return token_of(self.identity.public_key, host, port)

    def reach_out(self) -> None:
        """Dial the peers that there is no line to, in the background, until there is one."""
        self._board.reach_out()

    # -- calls -----------------------------------------------------------------------------

    async def ask(
        self,
        peer: str,
        question: str,
        *,
        domain: str | None = None,
        max_tokens: int = 0,
        timeout: float = ASK_SECONDS,
        allow_secrets: bool = False,
    ) -> Answer:
        """Ask a peer a question and wait for its answer."""
        payload = payloads.question(question, domain, max_tokens, timeout)
        said = await self._exchange(peer, "query", payload, timeout, allow_secrets=allow_secrets)
        return payloads.answer_of(said)

    async def delegate(
        self,
        peer: str,
        task: str,
        *,
        context: Fields | None = None,
        urgent: bool = False,
        deadline: float | None = None,
        report_back: bool = True,
        on_progress: OnProgress | None = None,
        timeout: float = ASK_SECONDS,
        allow_secrets: bool = False,
    ) -> Job:
        """Give a peer a task, and wait until it takes it. `deadline` is for the whole task.

        Raises RefusedError or OverloadedError when it doesn't.
        """
        to, now, name = self.peers.find(peer), self._loop.time(), new_stamp().id
        payload = payloads.task(task, context, urgent, deadline, report_back)
        sent = self._board.tasks.sent(to.id, name)
        job = Job(self, to.name, sent, None if deadline is None else now + deadline + 1)
        job.on_progress, job.report_back = on_progress, report_back
        self._jobs[sent.id] = job
        try:
            answer = await self._board.exchange(
                to, "delegate", payload, now + timeout, name=name, allow_secrets=allow_secrets
            )
        except BaseException as error:
            if isinstance(error, LinkError) and not job.is_open:
                return job  # its end came, and only its ack is lost
            self._forget(sent)
            raise
        self._acked(job, sent, answer.kind, answer.message["payload"])
        return job

    async def cancel(
        self, peer: str, task_id: str, reason: str = "", *, timeout: float = SHORT_SECONDS
    ) -> bool:
        """Call off a task that was delegated; tells whether the peer stopped it."""
        why = {"reason": reason} if reason else {}
        said = await self._exchange(peer, "cancel", why, timeout, ref=task_id)
        job = self._jobs.get(task_id.lower())
        if said["accepted"] and job is not None:
            self._board.tasks.called_off(job.sent)
            self._ended(job.sent)
        return bool(said["accepted"])

    async def ping(self, peer: str, *, timeout: float = SHORT_SECONDS) -> Status:
        """Ask whether a peer is alive, and how busy it is."""
        deadline = self._loop.time() + timeout
        await self._board.line_to(self.peers.find(peer), deadline)  # dialling isn't the round trip
        begun = self._loop.time()
        said = await self._exchange(peer, "ping", {}, deadline - begun)
        return payloads.status_of(said, self._loop.time() - begun)

    async def discover(
        self, peer: str, *, fresh: bool = False, timeout: float = SHORT_SECONDS
    ) -> Capabilities:
        """Learn what a peer can do. Its answer is kept for five minutes, unless `fresh`."""
        return await self._whoabouts.of(self.peers.find(peer), fresh, timeout)

    async def who_can(self, domain: str, *, timeout: float = SHORT_SECONDS) -> list[Capabilities]:
        """List the peers that handle a domain, the most special first.

        Peers whose capabilities aren't known yet are asked; those that don't answer are left out.
        """
        return await self._whoabouts.who_can(domain, timeout)

    async def notify(
        self,
        topic: str,
        data: Any = None,
        *,
        to: str = "*",
        importance: str = "low",
        timeout: float = SHORT_SECONDS,
        allow_secrets: bool = False,
    ) -> Delivery:
        """Tell one peer something, or all enrolled ones (`*`); nobody answers.

        To one peer, a failure is raised; to all, it is listed.
        """
        payload: Fields = {"topic": topic, "importance": importance}
        if data is not None:
            payload["data"] = data
        peers = self.peers.all() if to == "*" else [self.peers.find(to)]
        deadline = self._loop.time() + timeout
        told = await asyncio.gather(
            *(
                tell(self._board, peer, payload, deadline, allow_secrets=allow_secrets)
                for peer in peers
            )
        )
        failed = {peer.name: error for peer, error in zip(peers, told, strict=True) if error}
        if to != "*" and failed:
            raise next(iter(failed.values()))
        sent = tuple(peer.name for peer in peers if peer.name not in failed)
        return Delivery(sent, failed)

    # -- how -------------------------------------------------------------------------------

    async def exchange(self, peer: Peer, kind: str, payload: Fields, timeout: float) -> Fields:
        """Ask and give the answer's payload. Raises PeerError for an answer that is an error."""
        return await self._exchange(peer.id, kind, payload, timeout)

    async def _exchange(
        self,
        name: str,
        kind: str,
        payload: Fields,
        timeout: float,
        *,
        ref: str | None = None,
        allow_secrets: bool = False,
    ) -> Fields:
        peer = self.peers.find(name)
        answer = await self._board.exchange(
            peer, kind, payload, self._loop.time() + timeout, ref=ref, allow_secrets=allow_secrets
        )
        said: Fields = answer.message.get("payload") or {}
        if answer.kind == "error":
            raise payloads.error_of(said, peer.name)
        return said

    async def _tell_of(self, task: Taken, payload: Fields) -> None:
        if (peer := self.peers.by_id(task.peer)) is not None:
            await tell(self._board, peer, payload, self._loop.time() + SHORT_SECONDS, task=task)

    def _name_of(self, peer_id: str) -> str:
        return peer.name if (peer := self.peers.by_id(peer_id)) else peer_id

    # -- our tasks -------------------------------------------------------------------------

    def _acked(self, job: Job, sent: Sent, kind: str, payload: Fields) -> None:
        self._board.tasks.acked(sent, kind, payload)
        if kind == "ack" and payload["accepted"]:
            job.estimated_ms = payload.get("estimated_ms")
            if not job.report_back:
                self._forget(sent)
            return
        self._forget(sent)
        if kind == "ack":
            raise payloads.refusal_of(payload, job.peer)
        raise payloads.error_of(payload, job.peer)

    def _forget(self, sent: Sent) -> None:
        self._board.tasks.forget(sent)
        self._jobs.pop(sent.id, None)

    def _ended(self, sent: Sent) -> None:
        if (job := self._jobs.pop(sent.id, None)) is not None:
            job.ended()

    def _progressed(self, peer_id: str, message: Fields) -> bool:
        payload = message["payload"]
        data = payload.get("data")
        if payload["topic"] != "progress" or not isinstance(data, dict):
            return False
        job = self._jobs.get(str(data.get("delegation")).lower())
        if job is None or job.on_progress is None or job.peer_id != peer_id:
            return False
        job.on_progress(Progress(str(data.get("text", "")), data))
        return True

    def _lost(self, peer_id: str) -> None:
        for job in [job for job in self._jobs.values() if job.peer_id == peer_id]:
            job.fail(LostError(f"{job.peer} has been away for too long", retryable=True))


def _quic(locals_: list[Local], address: tuple[str, int] | None) -> Transport:
    from waypost.carriers.quic import QuicTransport

    return QuicTransport(locals_, address)
