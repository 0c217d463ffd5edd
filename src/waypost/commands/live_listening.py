"""A listener from its start to its end: what `waypost listen` does once its words are read."""

import argparse
import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any

from waypost.agent import Agent, Note, Online
from waypost.agent.programs import add_programs
from waypost.agent.values import Ended
from waypost.carriers.keyring import Address, Presence, identity
from waypost.commands.console import INTERRUPTED, Console, OutputError
from waypost.commands.live_place import home_of
from waypost.dialects import json_text
from waypost.errors import ConflictError, visible
from waypost.runtime.logs import Lines, log_to_stderr

_REACH_OUT_SECONDS = 5.0


def listen(console: Console, wanted: argparse.Namespace, name: str) -> int:
    """Listen until interrupted. Raises ConflictError when somebody listens under this name."""
    form = Lines("%(asctime)s %(levelname)s %(message)s")
    log_to_stderr(form, logging.DEBUG if wanted.verbose else logging.ERROR)
    home = home_of(wanted)
    identity(home, name)
    presence = Presence(home, name)
    if presence.is_listening():
        raise ConflictError(
            f"{name} listens already, at {presence.address()}",
            hint="one process listens for an agent; end that one first",
        )
    listener = Listener(console, _agent(wanted, name), home, announces=wanted.lan)
    listener.add_handlers(wanted)
    with asyncio.Runner(loop_factory=_fast_loop()) as runner:
        return runner.run(listener.go(wanted.on or str(presence.decide())))


def _agent(wanted: argparse.Namespace, name: str) -> Agent:
    return Agent(
        name,
        domains=wanted.domain,
        tools=wanted.tool,
        model=wanted.model,
        max_concurrent_tasks=wanted.max_tasks,
    )


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop of the extra `fast`, where it is installed."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop


class Listener:
    """One agent that is online until a signal comes."""

    def __init__(self, console: Console, agent: Agent, home: Path, *, announces: bool) -> None:
        self._console, self._agent, self._home, self._announces = console, agent, home, announces
        self._broken: OutputError | None = None

    def add_handlers(self, wanted: argparse.Namespace) -> None:
        """Let programs handle what comes; news and results without one are printed."""
        add_programs(
            self._agent,
            self._home,
            answers=wanted.exec,
            hears=wanted.on_notify,
            takes_results=wanted.on_result,
        )
        if wanted.on_notify is None:
            self._agent.notify(self._print_note)
        if wanted.on_result is None:
            self._agent.result(self._print_result)

    async def go(self, address: str) -> int:
        """Be online; gives the exit code. Raises OutputError when nobody reads any more."""
        loop = asyncio.get_running_loop()
        self._end: asyncio.Future[int] = loop.create_future()
        for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, INTERRUPTED)):
            loop.add_signal_handler(number, self._stop, code)
        async with self._agent.online(address, home=self._home) as me, self._announced(me):
            self._say_where(me)
            while not self._end.done():
                me.reach_out()  # also to peers that were enrolled since
                with suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(self._end), _REACH_OUT_SECONDS)
        if self._broken is not None:
            raise self._broken
        return self._end.result()

    def _stop(self, code: int) -> None:
        if not self._end.done():
            self._end.set_result(code)

    def _announced(self, me: Online) -> AbstractAsyncContextManager[None]:
        if not self._announces or me.address is None:
            return nullcontext()
        from waypost.carriers.lan import announced

        return announced(me.identity, Address(*me.address))

    # -- what is printed -------------------------------------------------------------------

    def _say_where(self, me: Online) -> None:
        where = str(Address(*me.address)) if me.address else ""
        name = me.identity.name
        self._print(
            {"agent": name, "id": me.id, "address": where, "token": me.token},
            f"{name} listens at {where}",
            f"token: {me.token}",
        )

    async def _print_note(self, note: Note) -> None:
        told = {"event": "notify", **note._asdict()}
        del told["payload"]
        data = note.data if isinstance(note.data, str) else json_text.write(note.data)
        self._print(told, f"{note.peer} tells {note.topic}: {data}")

    async def _print_result(self, ended: Ended) -> None:
        told = {"event": "result" if ended.error is None else "error", "id": ended.id}
        told |= {"peer": ended.peer, "peer_id": ended.peer_id, **ended.payload}
        how = "" if ended.result is None else f" is {ended.result.status}: {ended.result.outcome}"
        how = how if ended.error is None else f" has ended: {ended.error.details}"
        self._print(told, f"{ended.peer}: task {ended.id}{how}")

    def _print(self, shown: dict[str, Any], *lines: str) -> None:
        """Print at once; when nobody reads it, the listener ends."""
        try:
            if self._console.as_json:
                self._console.json(shown)
            else:
                for line in lines:
                    self._console.data(visible(line))
            self._console.flush()
        except OutputError as error:
            self._broken = error
            self._stop(1)
