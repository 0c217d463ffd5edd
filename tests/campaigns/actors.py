"""Child processes that stop or die at a chosen step of their dealings with the disk.

A step is one call to the system: what one process may see of another lies between two of them. So
a process that stops before step n, for every n, has stood in every place where it can stand.
"""

import fcntl
import os
import signal
import time
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any

Report = Callable[[str], None]
_STEPS = "open write fsync link unlink rename close pwrite pread ftruncate lstat stat fstat listdir"
_PATIENCE_S = 60
NOW = 1_773_412_200.0  # 2026-03-13T14:30:00Z: everyone sends in one minute


class Actor:
    """A child process that does one thing, and reports lines about it."""

    def __init__(self, act: Callable[[Report], None], at: int | None = None, how: int = 0) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(reading)
            _live(act, writing, at, how)
        os.close(writing)
        self._reading = reading
        self.status: int | None = None
        self.is_stopped = False

    def wait(self) -> "Actor":
        """Wait until it has stopped or ended."""
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        self.is_stopped = os.WIFSTOPPED(status)
        self.status = None if self.is_stopped else status
        return self

    def go_on(self) -> "Actor":
        """Let it run to its end, if it has stopped."""
        if self.is_stopped:
            os.kill(self.pid, signal.SIGCONT)
            self.wait()
        return self

    def kill(self) -> "Actor":
        """End it here and now."""
        os.kill(self.pid, signal.SIGKILL)
        return self.wait()

    @property
    def was_killed(self) -> bool:
        return self.status is not None and os.WIFSIGNALED(self.status)

    def reports(self) -> list[str]:
        """What it reported before its end; only to be asked once."""
        with open(self._reading) as pipe:
            return pipe.read().splitlines()


def _live(act: Callable[[Report], None], writing: int, at: int | None, how: int) -> None:
    write = os.write
    code = 1

    def report(line: str) -> None:
        write(writing, f"{line}\n".encode())

    try:
        signal.alarm(_PATIENCE_S)
        time.time = lambda: NOW
        if at is not None:
            _count_steps(at, how)
        act(report)
        code = 0
    except BaseException:
        report("failed: " + traceback.format_exc().replace("\n", " | "))
    finally:
        os._exit(code)


def _count_steps(at: int, how: int, seen: list[str] | None = None) -> None:
    kill, me, taken = os.kill, os.getpid(), 0

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            nonlocal taken
            taken += 1
            if taken == at:
                kill(me, how)
            if seen is not None:
                seen.append(f"{name} {arguments[0]}")
            return function(*arguments, **named)

        return step

    places: list[tuple[ModuleType, str]] = [(os, name) for name in _STEPS.split()]
    for module, name in [*places, (fcntl, "flock")]:
        setattr(module, name, counted(name, getattr(module, name)))


def steps_of(act: Callable[[Report], None]) -> list[str]:
    """The steps that something takes, found by doing it once."""

    def watched(report: Report) -> None:
        seen: list[str] = []
        _count_steps(0, 0, seen)
        act(lambda line: None)
        for step in list(seen):
            report(step)

    return Actor(watched).wait().reports()
