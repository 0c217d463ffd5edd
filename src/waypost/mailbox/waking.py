"""Waking a program for each message: which one when, and how.

Urgent messages (P0) wake it at once. The others wait for a short quiet, so that what arrives
together is dealt with in processing order. One program at a time.
"""

import os
import subprocess

from waypost.errors import visible
from waypost.mailbox.watching import Event

QUIET = 0.3
_LONGEST_WAIT = 10 * QUIET  # when it never gets quiet
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

    When we are told to end meanwhile, the program is told too, and waited for.
    """
    program = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.PIPE,
        env={**os.environ, "OACP_HOME": home, **_variables(event)},
    )
    try:
        program.communicate(raw)
    except BaseException:
        _end(program)
        raise
    return program.returncode


def _end(program: "subprocess.Popen[bytes]") -> None:
    program.terminate()
    try:
        program.wait(_GRACE)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()


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
