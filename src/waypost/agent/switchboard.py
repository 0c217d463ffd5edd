"""Joins links, channels and tasks of one local agent, and knows of no handlers: a desk answers.

It is the Receiver of a transport. Results and errors of tasks go over any live line to their
peer; when there is none, they wait for one, for as long as the agent is online.
"""

import asyncio
import logging
from collections.abc import Callable
from time import time
from typing import Any, cast

from waypost.agent.contact import LISTENING, VISITING, Contact
from waypost.agent.desk import Asked, Desk, Offered
from waypost.agent.dialling import Dialling
from waypost.agent.line import Line, new_stamp
from waypost.agent.reports import Reports
from waypost.carriers.keyring import Peer, Peers
from waypost.carriers.links import Link, Transport, Waiting, lost
from waypost.dialects.acp.channel import Channel
from waypost.dialects.acp.events import Answer, Dropped, Greeting, Held, Refusal, Request, Told
from waypost.dialects.acp.tasks import Report, Send, Sent, Taken, Tasks

Fields = dict[str, Any]
_Way = tuple[Line, int]  # where an answer goes: a line, and the number of a request on it
log = logging.getLogger("waypost.agent")


class Switchboard:
    """The lines of one local agent to all its peers."""

    def __init__(
        self, me: str, peers: Peers, transport: Transport, desk: Desk, *, allow_secrets: bool
    ) -> None:
        self.me, self.peers, self.desk = me, peers, desk
        self.tasks = Tasks()
        self.transport = transport
        self.allow_secrets = allow_secrets
        self.is_visit = False
        self.on_end: Callable[[Sent], None] = lambda sent: None
        self.on_progress: Callable[[str, Fields], bool] = lambda peer, message: False
        self.on_lost: Callable[[str], None] = lambda peer: None
        self.dialling = Dialling(self)
        self.reports = Reports(self)
        self._loop = asyncio.get_running_loop()
        self._contacts: dict[str, Contact] = {}
        self._lines: dict[Link, Line] = {}
        self._asked: dict[_Way, Asked | Offered] = {}

    def contact(self, peer: str) -> Contact:
        """Everything about a peer, by its id."""
        if peer not in self._contacts:
            self._contacts[peer] = Contact(self.me, peer)
        return self._contacts[peer]

    def contacts(self) -> list[Contact]:
        """Every peer that was met."""
        return list(self._contacts.values())

    # -- what we send ----------------------------------------------------------------------

    async def line_to(self, peer: Peer, deadline: float) -> Line:
        """A line that is ready, dialled now if need be. Raises LinkError."""
        line = self.contact(peer.id).best_line()
        return line or await self.dialling.dial(peer, deadline)

    def reach_out(self) -> None:
        """See to it that there is a line to every peer that can be dialled."""
        for peer in self.peers.all():
            if peer.host is not None:
                self.dialling.wanted(self.contact(peer.id))

    async def exchange(
        self,
        peer: Peer,
        kind: str,
        payload: Fields,
        deadline: float,
        *,
        ref: str | None = None,
        name: str | None = None,
        allow_secrets: bool = False,
    ) -> Answer:
        """Ask a peer and wait for its answer, an error included.

        Raises InvalidMessageError, LinkError, PeerError.
        """
        line = await self.line_to(peer, deadline)
        stamp = new_stamp()
        if name is not None:
            stamp = stamp._replace(id=name)
        data = line.channel.ask(kind, payload, stamp, deadline, ref, allow_secrets=allow_secrets)
        return await line.exchange(data, stamp.id, deadline)

    async def tell(
        self,
        peer: Peer,
        payload: Fields,
        deadline: float,
        *,
        task: Taken | None = None,
        allow_secrets: bool = False,
    ) -> None:
        """Notify a peer, of a task the way it came. Raises InvalidMessageError, LinkError."""
        came = cast(_Way, task.came)[0] if task is not None else None
        line = came if came is not None and came.is_ready else await self.line_to(peer, deadline)
        data = line.channel.tell("notify", payload, new_stamp(), allow_secrets=allow_secrets)
        await line.link.push(data)

    # -- the receiver of the transport -----------------------------------------------------

    def opened(self, link: Link) -> None:
        contact = self.contact(link.peer)
        now = self._loop.time()
        channel = Channel(contact.ends, now, dialled=link.is_dialled, seen=contact.seen)
        line = Line(link, channel, self._overdue)
        self._lines[link] = line
        contact.lines.append(line)

    def line_of(self, link: Link) -> Line:
        """The line over a link. Raises LostError when that has closed meanwhile."""
        if (line := self._lines.get(link)) is None:
            raise lost("it was closed at once")
        return line

    def closed(self, link: Link, reason: str) -> None:
        line = self._lines.pop(link, None)
        if line is None:
            return
        contact = self.contact(link.peer)
        contact.lines.remove(line)
        for number in list(line.waiting):
            self._gone(line, number)
        line.end()
        if line.channel.is_ready:
            self.peers.saw(link.peer, time())
        log.debug("the line to %s is closed: %s", link.peer, reason)
        self.dialling.closed(contact, line)

    def asked(self, link: Link, waiting: Waiting, message: bytes) -> None:
        line = self._lines.get(link)
        if line is None:
            return
        event = line.channel.asked(message, self._loop.time())
        if isinstance(event, Request):
            line.waiting[event.number] = waiting
            line.arm(event.deadline)
            self._serve(line, event, waiting)
        elif isinstance(event, Greeting):
            data = line.channel.welcome(event, self.hello(), new_stamp())
            waiting.answer(data or b"")
            self.became_ready(line)
        elif isinstance(event, Held):
            line.held.append((waiting, message))
        elif isinstance(event, Refusal):
            log.debug("refused a request of %s: %s", link.peer, event.fault.message)
            waiting.answer(line.channel.refuse(event.fault, new_stamp()))
        else:
            log.debug("dropped a request of %s: %s", link.peer, event.why.message)
            waiting.drop()

    def told(self, link: Link, message: bytes) -> None:
        line = self._lines.get(link)
        if line is None:
            return
        event = line.channel.told(message, self._loop.time())
        if isinstance(event, Told):
            self._heard(link.peer, event)
        elif isinstance(event, Held):
            line.held.append((None, message))
        elif isinstance(event, Answer):
            line.settle(event)
        elif isinstance(event, Dropped):
            log.debug("dropped a message of %s: %s", link.peer, event.why.message)

    def hello(self) -> Fields:
        """What our hello says, at either end."""
        said = self.desk.hello()
        ours = [LISTENING] * (self.transport.address is not None) + [VISITING] * self.is_visit
        return {**said, "features": [*said.get("features", ()), *ours]}

    def became_ready(self, line: Line) -> None:
        """The hello is done: take what came before it, send what waited for it."""
        held, line.held = line.held, []
        for waiting, message in held:
            if waiting is None:
                self.told(line.link, message)
            else:
                self.asked(line.link, waiting, message)
        contact = self.contact(line.link.peer)
        self.peers.saw(line.link.peer, time())
        self.dialling.became_ready(contact)
        self.reports.deliver(contact)

    # -- the peer's requests ---------------------------------------------------------------

    def _serve(self, line: Line, request: Request, waiting: Waiting) -> None:
        kind, number, peer = request.kind, request.number, line.link.peer
        if kind == "ping":
            self._answer(line, number, "pong", self.desk.pong())
        elif kind == "discover":
            self._answer(line, number, "capabilities", self.desk.capabilities())
        elif kind == "query":
            asked = Asked(
                peer,
                request.message,
                request.deadline,
                lambda kind, payload: self._answer(line, number, kind, payload),
            )
            self._asked[line, number] = asked
            waiting.gone = lambda: self._gone(line, number)
            self.desk.query(asked)
        elif kind == "delegate":
            self._offer(line, request)
        else:
            self._cancel(line, request)

    def _answer(self, line: Line, number: int, kind: str, payload: Fields) -> None:
        line.answer(number, kind, payload, allow_secrets=self.allow_secrets)
        self._asked.pop((line, number), None)

    def _offer(self, line: Line, request: Request) -> None:
        way = (line, request.number)
        task, sends = self.tasks.offered(line.link.peer, request.message, way)
        self.send(sends)
        if task is not None:
            offered = Offered(task, request.deadline, self.tasks, self.send, self._check_result)
            task.holder = self._asked[way] = offered
            self.desk.delegate(offered)

    def _cancel(self, line: Line, request: Request) -> None:
        way, message = (line, request.number), request.message
        task, sends = self.tasks.cancelled(line.link.peer, message["ref"], way)
        self.send(sends)
        if task is not None:
            self.desk.stop(task.holder, message)

    def _gone(self, line: Line, number: int) -> None:
        """Nobody waits for the answer to this request any more; a task goes on without its ack."""
        line.waiting.pop(number, None)
        asked = self._asked.pop((line, number), None)
        line.channel.abandon(number)
        if isinstance(asked, Asked) and asked.is_open:
            asked.is_open = False
            self.desk.given_up(asked)

    def _overdue(self, line: Line, number: int, kind: str) -> None:
        asked = self._asked.get((line, number))
        if isinstance(asked, Asked):
            asked.fail("timeout", "there was no answer in time", True)
            self.desk.given_up(asked)
        elif isinstance(asked, Offered) and asked.is_waiting:
            self.desk.overdue(asked)
            if asked.is_waiting:
                asked.fail("timeout", "nobody took the task in time", True)
        else:
            error = {"code": "timeout", "message": "there was no answer in time", "retryable": True}
            self._answer(line, number, "error", error)

    # -- tasks -----------------------------------------------------------------------------

    def send(self, sends: list[Send]) -> None:
        """Carry out what the tasks decided."""
        for one in sends:
            if isinstance(one, Report):
                self.reports.add(one)
            else:
                line, number = cast(_Way, one.way)
                self._answer(line, number, one.kind, one.payload)

    def _check_result(self, task: Taken, result: Fields) -> None:
        ends = self.contact(task.peer).ends
        ends.write("result", result, task.id, new_stamp(), self.allow_secrets)

    def _heard(self, peer: str, event: Told) -> None:
        if event.kind == "notify":
            if not self.on_progress(peer, event.message):
                self.desk.notify(peer, event.message)
            return
        ended = self.tasks.ended(peer, event.kind, event.message)
        if isinstance(ended, Sent):
            self.on_end(ended)
        elif not ended:
            self.desk.result(peer, event.kind, event.message)

    # -- the end ---------------------------------------------------------------------------

    async def stop(self) -> None:
        """Let go of everything; the transport is stopped by whoever started it."""
        await self.dialling.stop()
        await self.reports.stop()
