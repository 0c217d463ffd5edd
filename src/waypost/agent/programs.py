"""Programs as handlers: a command line answers for an agent, one run for each message.

A program gets the payload as JSON on its standard input, and the same, field by field, in its
environment. What it prints is the answer; exit code 75 refuses. A task counts as taken at the
program's first output, or after half a second. When a message is cancelled or its time is over,
the program is ended with all that it started.
"""

import asyncio
import logging
import os
from pathlib import Path
from typing import Any

from waypost.agent.agent import Agent
from waypost.agent.processes import ProgramError, Ran, run
from waypost.agent.values import Ended, Note, Query
from waypost.agent.work import Task
from waypost.dialects import json_text
from waypost.errors import RefusedError, visible
from waypost.letters.domains import not_handled, reach

REFUSES = 75
NEWS_SECONDS = 600.0  # that a program may take for what nobody waits for
LONGEST_VARIABLE = 16_000
_LONGEST_REASON = 300
# Only these fields become variables: a peer must not choose the names of our environment.
_NAMES = (
    "question domain max_tokens deadline_ms task context priority report_back "
    "topic data importance status outcome error code message"
)
FIELDS = tuple(_NAMES.split())
_VARIABLES = {f"WAYPOST_{name.upper()}" for name in ("kind", "id", "peer", "peer_id", *FIELDS)}
Fields = dict[str, Any]
log = logging.getLogger("waypost.agent")


def add_programs(
    agent: Agent,
    home: Path,
    *,
    answers: str | None = None,
    hears: str | None = None,
    takes_results: str | None = None,
) -> None:
    """Let command lines handle what peers send: questions and tasks, news, results."""
    if answers is not None:
        program = Program(answers, agent, home)
        agent.query(program.answer)
        agent.delegate(program.work)
    if hears is not None:
        agent.notify(Program(hears, agent, home).hear)
    if takes_results is not None:
        agent.result(Program(takes_results, agent, home).take_result)


class Program:
    """A command line, as handlers of an agent."""

    def __init__(self, command: str, agent: Agent, home: Path) -> None:
        self._command, self._agent, self._home = command, agent, home
        self._turns = asyncio.Semaphore(agent.max_concurrent_tasks)

    async def answer(self, query: Query) -> object:
        """Answer a question. Raises RefusedError, ProgramError."""
        domains = self._agent.domains
        if query.domain is not None and domains and not reach(domains, query.domain):
            raise RefusedError(not_handled(query.domain, domains), wire_code="unknown_domain")

        async def begun() -> None:
            """Nobody is told that a question is being answered."""

        ran = await self._run("query", query, begun)
        _check(ran)
        if not (answer := meaning(ran.out, "summary")):
            raise ProgramError("the program printed no answer")
        return answer

    async def work(self, task: Task) -> object:
        """Do a task. Raises RefusedError, ProgramError."""
        ran = await self._run("delegate", task, task.accept)
        _check(ran)
        return meaning(ran.out, "outcome") or None

    async def hear(self, note: Note) -> None:
        """Hear of something. Raises ProgramError."""
        await self._hear("notify", note)

    async def take_result(self, ended: Ended) -> None:
        """Hear how a task ended. Raises ProgramError."""
        await self._hear("result" if ended.error is None else "error", ended)

    async def _hear(self, kind: str, what: Note | Ended) -> None:
        async with self._turns:
            try:
                async with asyncio.timeout(NEWS_SECONDS):
                    ran = await self._run(kind, what, None)
            except TimeoutError:
                raise ProgramError(f"the program took more than {NEWS_SECONDS:.0f} s") from None
        if ran.code != 0:
            raise _failed(ran)

    async def _run(self, kind: str, what: Query | Task | Note | Ended, begun: Any) -> Ran:
        told = {"kind": kind, "id": what.id, "peer": what.peer, "peer_id": what.peer_id}
        told |= {name: what.payload[name] for name in FIELDS if name in what.payload}
        ours = {"WAYPOST_AGENT": self._agent.name, "WAYPOST_HOME": str(self._home)}
        kept = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
        given = json_text.write(what.payload).encode()
        return await run(self._command, given, {**kept, **ours, **_variables(told)}, begun)


def meaning(out: bytes, key: str) -> str | Fields:
    """What a program's output says: a JSON object that has the key, else text."""
    text = out.decode(errors="replace").strip()
    if text.startswith("{"):
        value, problems = json_text.parse(text)
        if not problems and isinstance(value, dict) and isinstance(value.get(key), str):
            return value
    return text


def _check(ran: Ran) -> None:
    if ran.code == REFUSES:
        lines = ran.complaints.splitlines()
        raise RefusedError(lines[-1].strip()[:_LONGEST_REASON] if lines else "it refuses")
    if ran.code != 0:
        raise _failed(ran)


def _failed(ran: Ran) -> ProgramError:
    how = f"signal {-ran.code}" if ran.code < 0 else f"exit code {ran.code}"
    said = f"; it said: {ran.complaints}" if ran.complaints else ""
    return ProgramError(f"the program failed ({how}){said}")


def _variables(told: Fields) -> dict[str, str]:
    """The environment's form of fields: short enough, and without control characters."""
    texts = {
        name: value if isinstance(value, str) else json_text.write(value)
        for name, value in told.items()
        if value is not None
    }
    return {
        f"WAYPOST_{name.upper()}": visible(text[:LONGEST_VARIABLE], keep="\n\t")
        for name, text in texts.items()
    }
