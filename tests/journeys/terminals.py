"""Plays what a page shows of several terminals: each line that is typed, and what comes of it."""

import os
import re
import subprocess
from pathlib import Path
from typing import IO, NamedTuple

from commands.terminal import PATIENCE, SCRIPTS, environment

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PROMPT = re.compile(r"^(\w+)\$ (.*)$")
_REAL = re.compile(
    r"waypost://[\w-]{43}(?:@127\.0\.0\.1:\d+)?|ed25519\.[0-9a-f]{32}"
    r"|[0-9a-f]{8}-[0-9a-f-]{27}|127\.0\.0\.1:\d+"
)


class Step(NamedTuple):
    """A line typed in an agent's terminal, and what the page shows after it."""

    agent: str
    line: str
    shown: str


def steps(page: str, *agents: str) -> list[Step]:
    """All that these agents type on a page."""
    found: list[Step] = []
    for block in _BLOCK.findall((ROOT / page).read_text()):
        before = len(found)
        for line in block.splitlines():
            typed = _PROMPT.match(line)
            if typed and typed[1] in agents:
                found.append(Step(typed[1], typed[2], ""))
            elif len(found) > before:
                found[-1] = found[-1]._replace(shown=found[-1].shown + line + "\n")
    return found


def shape(text: str) -> str:
    """A text without what differs from run to run."""
    return re.sub(r"\b\d+ s ago", "a while ago", _REAL.sub("<real>", text))


class Terminals:
    """The terminals of a page, all in one home."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._real: dict[str, str] = {}  # what is called so on the page is called so here
        self._running: list[subprocess.Popen[str]] = []

    def play(self, step: Step) -> str:
        """Type a line, and give what is shown after it; one that ends with & goes on."""
        line = step.line
        for there, here in sorted(self._real.items(), key=lambda one: -len(one[0])):
            line = line.replace(there, here)
        process = subprocess.Popen(
            ["bash", "-c", "exec " + line.removesuffix("&")],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._around(step.agent),
            text=True,
        )
        if line.endswith("&"):
            self._running.append(process)
            shown = "".join(_out(process).readline() for _ in step.shown.splitlines())
        else:
            shown = process.communicate(timeout=PATIENCE)[0]
        self._learn(step.shown, shown)
        return shown

    def _around(self, agent: str) -> dict[str, str]:
        path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
        return environment(PATH=path, WAYPOST_AGENT=agent, WAYPOST_HOME=str(self._home))

    def _learn(self, there: str, here: str) -> None:
        found = (_REAL.findall(there), _REAL.findall(here))
        if len(found[0]) == len(found[1]):
            self._real |= dict(zip(*found, strict=True))

    def close(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate(timeout=PATIENCE)


def _out(process: "subprocess.Popen[str]") -> IO[str]:
    assert process.stdout is not None
    return process.stdout
