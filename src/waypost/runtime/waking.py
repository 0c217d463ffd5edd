"""Wakes programs for agents that sleep: a letter on stdin, and what is printed is the reply.

Which program is a matter of this machine: it stands in a file of the home that only its owner may
write, never in the journal, where a token could change it. Urgent letters wake at once, the others
after a quiet moment; one program runs at a time for each agent, and only so many in an hour.
"""

import json
import logging
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from waypost.bridge.guards import Verdict
from waypost.carriers.keyring import files
from waypost.errors import WaypostError, visible
from waypost.letters.fence import fence
from waypost.letters.priority import Priority
from waypost.office import Office, consigning
from waypost.office.callers import Caller
from waypost.office.consigning import Pending
from waypost.office.events import Entry, Event
from waypost.office.holding import ALLOWED
from waypost.office.views import when
from waypost.runtime.guarding import Guards

FILE = "wakes.json"
QUIET_SECONDS, MOST_AN_HOUR, LONGEST_SECONDS = 2.0, 30, 600.0
_HOUR, _LOOK_SECONDS, _MOST_REPLY = 3600.0, 0.2, 16_000
log = logging.getLogger("waypost.wake")


def wakes(home: str) -> dict[str, str]:
    """Which program wakes which agent, by project/agent."""
    try:
        with (Path(home) / FILE).open("rb") as file:
            if os.fstat(file.fileno()).st_mode & 0o022:
                log.error("others may write to %s/%s, so nobody is woken", home, FILE)
                return {}
            found = json.loads(file.read(1 << 20))
    except (OSError, ValueError):
        return {}
    return {str(key): str(one) for key, one in found.items()} if isinstance(found, dict) else {}


def set_wake(home: str, project: str, agent: str, command: str) -> None:
    """Name the program that wakes an agent; an empty one wakes it no more."""
    known = {**wakes(home), f"{project}/{agent}": command}
    kept = {key: one for key, one in known.items() if one}
    files.replace(Path(home) / FILE, (json.dumps(kept, indent=1) + "\n").encode())


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
        self._running: set[subprocess.Popen[bytes]] = set()

    def heard(self, entry: Entry) -> None:
        """Note a letter for agents that want to be woken."""
        event, data = entry.event, entry.event.data
        if event.kind not in ("letter.sent", "delivery.waits"):
            return
        known = wakes(self._office.home)
        if event.kind == "letter.sent":
            held = dict(data.get("held", ()))
            is_urgent = data["priority"] == Priority.URGENT
            for name, box in zip(data["to"], data["boxes"], strict=True):
                if box not in held and f"{event.project}/{name}" in known:
                    self._note(event, name, (entry.position, box), is_urgent)
        elif f"{event.project}/{data.get('shown_to')}" in known:
            self._note(event, data["shown_to"], data["delivery"], False, ALLOWED)

    def _note(
        self,
        event: Event,
        name: str,
        which: Sequence[int],
        is_urgent: bool,
        guard: str | None = None,
    ) -> None:
        unknown = (None, 0, None, guard, None)
        delivery = Pending(which[0], which[1], name, event.project, "pickup", *unknown)
        turn = _Turn(delivery, is_urgent, time.monotonic())
        self._put(f"{event.project}/{name}", turn)

    def stop(self) -> None:
        """Wake nobody any more, and end the programs that run."""
        with self._changed:
            self._stopped = True
            running = list(self._running)
            self._changed.notify_all()
        for program in running:
            _end(program)

    def _put(self, key: str, turn: _Turn) -> None:
        with self._changed:
            if key not in self._queues:
                self._queues[key] = deque()
                worker = threading.Thread(target=self._work, args=(key,), daemon=True)
                worker.start()
            self._queues[key].append(turn)
            self._changed.notify_all()

    def _work(self, key: str) -> None:
        ran: deque[float] = deque()
        while (turn := self._next(key, ran)) is not None:
            ran.append(time.monotonic())
            try:
                self._wake(key, turn.delivery)
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

    def _wake(self, key: str, delivery: Pending) -> None:
        letter = consigning.consignment(self._office.desk, delivery.letter)
        caller = Caller(delivery.name, delivery.project)
        ruling = self._guards.judge(letter, delivery, 0)
        if ruling.verdict is not Verdict.ALLOW:
            log.warning("%s is not woken for %s: %s", key, letter.id, ruling.reason)
            return
        command = wakes(self._office.home).get(key)
        whole = self._office.read(caller, letter.id)
        if command is None or whole.header.state not in ("read", "acknowledged"):
            return  # it was dealt with meanwhile
        proof, sent_at = whole.header.proof, when(whole.header.sent_at) or ""
        given = fence(whole.text, letter.sender, proof, whole.door, sent_at).encode()
        about = {
            "AGENT": delivery.name, "PROJECT": delivery.project, "HOME": self._office.home,
            "LETTER": letter.id, "FROM": letter.sender, "TYPE": letter.type,
        }  # fmt: skip
        said = self._run(command, given, about)
        if said:
            self._office.reply(caller, letter.id, text=said[:_MOST_REPLY])

    def _run(self, command: str, given: bytes, about: dict[str, str]) -> str:
        """Run a program; gives what it printed, or nothing when it failed."""
        told = {f"WAYPOST_{key}": visible(one) for key, one in about.items()}
        program = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **told},
            start_new_session=True,
        )
        self._running.add(program)
        try:
            out, _ = program.communicate(given, timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            log.error("a program took more than %d s and was ended", LONGEST_SECONDS)
            return ""
        finally:
            _end(program)
            self._running.discard(program)
        if program.returncode != 0:
            log.error("a program failed with exit code %d", program.returncode)
            return ""
        return out.decode("utf-8", "replace").strip()


def _end(program: "subprocess.Popen[bytes]") -> None:
    """End a program with all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
