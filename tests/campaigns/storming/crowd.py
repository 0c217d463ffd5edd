"""The processes of everybody in a storm; those of live peers come and go."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from campaigns.storming.plan import Plan

_PATIENCE_SECONDS = 90.0
_STAYS, _IS_AWAY = (0.7, 3.0), (0.0, 0.3)  # times the seconds between two kills of the office
Process = subprocess.Popen[bytes]


class Crowd:
    """Everybody who takes part. `ended` says which peer's process was ended, from when to when."""

    def __init__(self, plan: Plan, every: float) -> None:
        self.ended: list[tuple[str, float, float]] = []
        self._plan, self._every = plan, every
        self._chance = Random(f"{plan.seed} crowd")
        self._teams: list[Process] = []
        self._peers: dict[str, Process] = {}
        self._changes_at = dict.fromkeys(plan.names("peer"), 0.0)

    def begin(self, *teams: str) -> None:
        """Have them begin who stay until the end."""
        self._teams = [self._start(team) for team in teams]

    def look_after(self, *, all_stay: bool = False) -> None:
        """Let peers come and go: half of them go in good order, half by kill -9."""
        for team in self._teams:
            assert not team.poll(), (self._plan.root / "teams.err").read_text()[-3000:]
        for name, at in self._changes_at.items():
            is_here = name in self._peers and self._peers[name].poll() is None
            if not is_here and (all_stay or time.monotonic() >= at):
                self._peers[name] = self._start("peers", name)
                self._wait(name, _STAYS)
            elif is_here and time.monotonic() >= at and not all_stay:
                if not self._plan.has_written(name):
                    self._send_away(name)
                self._wait(name, _IS_AWAY)

    def finish(self) -> None:
        """Wait until everybody has gone home; each has to end well."""
        for process in [*self._teams, *self._peers.values()]:
            assert process.wait(_PATIENCE_SECONDS) == 0, "one has failed"

    def close(self) -> None:
        for process in [*self._teams, *self._peers.values()]:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()

    def _wait(self, name: str, times: tuple[float, float]) -> None:
        self._changes_at[name] = time.monotonic() + self._every * self._chance.uniform(*times)

    def _send_away(self, name: str) -> None:
        begun, process = time.time(), self._peers[name]
        process.send_signal(self._chance.choice((signal.SIGKILL, signal.SIGTERM)))
        process.wait()
        self.ended.append((name, begun, time.time()))

    def _start(self, module: str, *words: str) -> Process:
        root = self._plan.root
        command = [sys.executable, "-m", f"campaigns.storming.{module}", str(root), *words]
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        out = (root / f"{module}.out").open("ab")
        with (root / "teams.err").open("ab") as errors, out:
            return subprocess.Popen(command, stdout=out, stderr=errors, env=env)
