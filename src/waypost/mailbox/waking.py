"""Waking a program for each message: which one when, and how.

Urgent messages (P0) wake it at once. The others wait for a short quiet, so that what arrives
together is dealt with in processing order. One program at a time.
"""

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from typing import BinaryIO

from waypost.errors import visible
from waypost.mailbox.watching import Event

QUIET = 0.3
_LONGEST_WAIT = 10 * QUIET  # when it never gets quiet
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE = 5.0  # seconds that a program has to end after it was asked to


class Queue:
    """The messages that wait for the program; time is an argument."""

    def __init__(self) -> None:
        self._waiting: dict[str, Event] = {}
        self._first = self._last = 0.0

    def put(self, event: Event, now: float) -> None:
        """Let a message wait; one that waits already keeps its place."""
        if not self._waiting:
            self._first = now
        if event.path not in self._waiting:
            self._last = now
        self._waiting[event.path] = event

    def take(self, now: float) -> Event | None:
        """Give the message to wake the program for now, or None while there is none."""
        ready = [event for event in self._waiting.values() if self._is_due(event, now)]
        if not ready:
            return None
        event = min(ready, key=lambda event: event.order)
        return self._waiting.pop(event.path)

    def patience(self, now: float) -> float | None:
        """How long nothing needs to be done; None: until something arrives."""
        return max(0.0, self._due() - now) if self._waiting else None

    def _is_due(self, event: Event, now: float) -> bool:
        return event.text("priority") == "P0" or now >= self._due()

    def _due(self) -> float:
        return min(self._last + QUIET, self._first + _LONGEST_WAIT)


def wake(command: str, event: Event, raw: bytes, home: str) -> int:
    """Run a program in the shell with the message on its stdin; gives its exit code.

    When we are told to end meanwhile, the program and all that it started are told too, and the
    program is waited for. What it leaves running when it ends by itself is not waited for.
    """
    with _file_of(raw) as message, _HeldSignals() as held:
        program = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=message,
            env={**os.environ, "OACP_HOME": home, **_variables(event)},
            start_new_session=True,  # so that one signal reaches whatever it starts
        )
        try:
            held.let_go()
            return program.wait()
        except BaseException:
            _end(program)
            raise


class _HeldSignals:
    """Keeps what would end us waiting while a program starts, so that none is left behind."""

    def __enter__(self) -> "_HeldSignals":
        self._came: list[int] = []
        handlers = {number: signal.getsignal(number) for number in _ENDING}
        self._before = {key: old for key, old in handlers.items() if callable(old)}
        for number in self._before:
            signal.signal(number, lambda came, frame: self._came.append(came))
        return self

    def let_go(self) -> None:
        """Handle signals as before, at once those that came meanwhile."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        while self._came:
            signal.raise_signal(self._came.pop())

    def __exit__(self, *error: object) -> None:
        self.let_go()


def _file_of(raw: bytes) -> BinaryIO:
    """A nameless file, in memory where the system can: a pipe fills when nobody reads it."""
    file: BinaryIO
    if hasattr(os, "memfd_create"):
        file = open(os.memfd_create("message"), "w+b")  # noqa: SIM115 - the caller closes it
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(raw)
    file.seek(0)
    return file


def _end(program: "subprocess.Popen[bytes]") -> None:
    """Ask a program and all that it started to end, and see to it when they don't."""
    end = time.monotonic() + _GRACE
    try:
        is_there = _signal(program, signal.SIGTERM)
        while is_there and time.monotonic() < end:
            time.sleep(0.02)
            program.poll()
            is_there = _signal(program, 0)
    finally:  # also when we are told to end once more
        _signal(program, signal.SIGKILL)
        program.wait()


def _signal(program: "subprocess.Popen[bytes]", number: int) -> bool:
    """Send a signal to all of them; tells whether anyone was there to get it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)
        return True
    return False


def _variables(event: Event) -> dict[str, str]:
    """What the program may want to know without reading the message; never a control character."""
    shown = {
        "OACP_MESSAGE_FILE": event.path,
        "WAYPOST_PROJECT": event.mailbox.project,
        "OACP_AGENT": event.mailbox.agent,
        "OACP_MESSAGE_ID": visible(event.text("id")),
        "OACP_VALID": "false" if event.problems else "true",
    }
    for name in ("from", "type", "priority", "subject"):
        shown[f"OACP_{name.upper()}"] = visible(event.text(name))
    return shown
