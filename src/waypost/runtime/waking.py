"""Wakes programs for agents that sleep: a letter on stdin, and what is printed is the reply.

Which program is a matter of this machine: it stands in a file of the home that only its owner may
write, never in the journal, where a token could change it. Urgent letters wake at once, the others
after a quiet moment; one program runs at a time for each agent, and only so many in an hour.

Nothing is remembered here that must survive: who still sleeps is known by what is unread. So unread
letters of the last day are looked for at the start, and wherever events were missed.
"""

import logging
import os
import threading
import time
from collections import deque
from typing import NamedTuple

from waypost.bridge.guards import Verdict
from waypost.errors import WaypostError, visible, words_of
from waypost.letters.fence import fence
from waypost.letters.priority import Priority
from waypost.office import Office, bouncing, consigning
from waypost.office.callers import Caller
from waypost.office.consigning import Consignment, Pending
from waypost.office.events import Entry
from waypost.office.holding import ALLOWED
from waypost.office.members import KEY, POSTMASTER
from waypost.office.views import Letter, when
from waypost.runtime.guarding import Guards
from waypost.runtime.program import Outcome, Program
from waypost.runtime.wakes import wakes

QUIET_SECONDS, MOST_AN_HOUR, LONGEST_SECONDS = 2.0, 30, 600.0
_HOUR, _LOOK_SECONDS, _MOST_REPLY = 3600.0, 0.2, 16_000
_DAY = 24 * 3_600_000  # milliseconds; who had mail for longer is woken by newer letters only
_UNREAD = ("stored", "handed_over")
log = logging.getLogger("waypost.wake")


class _Turn(NamedTuple):
    """A letter that shall wake its reader."""

    delivery: Pending
    is_urgent: bool
    at: float


class Waker:
    """Follows the journal, and runs programs in a thread of its own for each agent."""

    def __init__(self, office: Office, guards: Guards) -> None:
        self._office, self._guards = office, guards
        self._queues: dict[str, deque[_Turn]] = {}
        self._changed = threading.Condition()
        self._stopped = False
        self._running: set[Program] = set()
        self._heard = -1

    def start(self) -> None:
        """Begin with what came while nobody was there to wake for it."""
        self._heard = self._office.last()
        self._look()

    def heard(self, entry: Entry) -> None:
        """Note a letter for agents that want to be woken."""
        event, data = entry.event, entry.event.data
        is_next = entry.position <= self._heard + 1
        self._heard = max(self._heard, entry.position)
        if not is_next or event.kind == "pairs.released":
            self._look()
        elif event.kind == "letter.sent" and data["sender"] != POSTMASTER:
            held = dict(data.get("held", ()))
            for name, box in zip(data["to"], data["boxes"], strict=True):
                if box not in held:
                    self._note(event.project, name, box, entry.position, data["priority"])
        elif data.get("shown_to"):  # a person let it in, or gave it to somebody else
            letter, box = data["delivery"]
            box = data.get("box", box)
            self._note(event.project, data["shown_to"], box, letter, Priority.NORMAL, ALLOWED)

    def stop(self) -> None:
        """Wake nobody any more, and end the programs that run."""
        with self._changed:
            self._stopped = True
            running = list(self._running)
            self._changed.notify_all()
        for program in running:
            program.end()

    def _look(self) -> None:
        """Note the letters that are unread, the oldest first."""
        since = self._office.desk.world.now() - _DAY
        for key in wakes(self._office.home):
            project, _, name = key.partition("/")
            for box in consigning.boxes(self._office.desk, project):
                if box.name == name and box.carrier != KEY:
                    for letter, priority in consigning.unread(self._office.desk, box.id, since):
                        self._note(project, name, box.id, letter, priority)

    def _note(
        self,
        project: str,
        name: str,
        box: int,
        letter: int,
        priority: int,
        guard: str | None = None,
    ) -> None:
        """Have an agent woken for a letter, if a program is named for it."""
        key = f"{project}/{name}"
        if key not in wakes(self._office.home):
            return
        unknown = (None, 0, None, guard, None)
        delivery = Pending(letter, box, name, project, "pickup", *unknown)
        turn = _Turn(delivery, priority == Priority.URGENT, time.monotonic())
        with self._changed:
            if key not in self._queues:
                self._queues[key] = deque()
                worker = threading.Thread(target=self._work, args=(key,), daemon=True)
                worker.start()
            if all(one.delivery.letter != letter for one in self._queues[key]):
                self._queues[key].append(turn)
                self._changed.notify_all()

    def _work(self, key: str) -> None:
        ran: deque[float] = deque()
        while (turn := self._next(key, ran)) is not None:
            try:
                begun = time.monotonic()
                if self._wake(key, turn.delivery):
                    ran.append(begun)
            except WaypostError as error:
                log.error("%s was not woken: %s", key, error.details)
            except Exception:
                log.exception("%s was not woken", key)

    def _next(self, key: str, ran: deque[float]) -> _Turn | None:
        """The letter to wake for now, once one is due; None at the end."""
        with self._changed:
            while not self._stopped:
                now, queue = time.monotonic(), self._queues[key]
                while ran and now - ran[0] > _HOUR:
                    ran.popleft()
                if queue and len(ran) < MOST_AN_HOUR:
                    urgent = next((turn for turn in queue if turn.is_urgent), None)
                    due = urgent or (queue[0] if now - queue[-1].at >= QUIET_SECONDS else None)
                    if due is not None:
                        queue.remove(due)
                        return due
                self._changed.wait(_LOOK_SECONDS if queue else None)
        return None

    def _wake(self, key: str, delivery: Pending) -> bool:
        """Wake an agent for a letter; gives whether its program was run."""
        letter = consigning.consignment(self._office.desk, delivery.letter)
        caller = Caller(delivery.name, delivery.project)
        ruling = self._guards.judge(letter, delivery, 0)
        if ruling.verdict is not Verdict.ALLOW:
            log.warning("%s is not woken for %s: %s", key, letter.id, ruling.reason)
            return False
        command = wakes(self._office.home).get(key)
        header = self._office.read(caller, letter.id, peek=True).header
        if command is None or header.state not in _UNREAD:
            return False  # it was dealt with meanwhile
        done = self._run(command, letter, delivery, self._office.read(caller, letter.id))
        trouble = done.trouble
        if trouble is None and done.out:
            try:
                self._office.reply(caller, letter.id, text=_bounded(done.out))
            except WaypostError as error:
                trouble = f"printed what can't be a reply: {error.details}"
        if trouble is not None and not self._stopped:
            log.error("the program of %s %s, for %s; %s", key, trouble, letter.id,
                      done.words or "it complained of nothing")  # fmt: skip
            bouncing.unanswered(self._office.desk, letter, delivery.name, f"its program {trouble}")
        return True

    def _run(self, command: str, letter: Consignment, delivery: Pending, whole: Letter) -> Outcome:
        """Run a program with a letter at its stdin."""
        proof, sent_at = whole.header.proof, when(whole.header.sent_at) or ""
        given = fence(whole.text, letter.sender, proof, whole.door, sent_at).encode()
        about = {
            "AGENT": delivery.name, "PROJECT": delivery.project, "HOME": self._office.home,
            "LETTER": letter.id, "FROM": letter.sender, "TYPE": letter.type,
        }  # fmt: skip
        told = {f"WAYPOST_{key}": visible(one) for key, one in about.items()}
        try:
            program = Program(command, given, {**os.environ, **told})
        except OSError as error:
            return Outcome("", f"can't be started: {words_of(error)}")
        self._running.add(program)
        if self._stopped:
            program.end()
        try:
            return program.finish(LONGEST_SECONDS)
        finally:
            self._running.discard(program)


def _bounded(text: str) -> str:
    """A reply of a length that people and models read; says where it was cut."""
    if len(text) <= _MOST_REPLY:
        return text
    return text[:_MOST_REPLY] + "\n[cut here: the program printed more]"
