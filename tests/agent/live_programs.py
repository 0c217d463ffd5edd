"""Programs that answer for an agent, and a gate to know where they are."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from live_worlds import World

from waypost import Agent
from waypost.agent import Online
from waypost.agent.programs import add_programs


@asynccontextmanager
async def asking(
    world: World, program: str, *domains: str, kit: Agent | None = None
) -> AsyncIterator[Online]:
    """Kit online, and family, for whom a program answers."""
    family = Agent("family", domains=domains, max_concurrent_tasks=2)
    add_programs(family, world.home / "family", answers=program)
    async with world.both(kit or Agent("kit"), family) as (me, _):
        yield me


class Gate:
    """A pipe with a name. Whoever holds it open for writing keeps `closed` waiting."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "gate"
        os.mkfifo(self.path)

    def closed(self) -> "asyncio.Future[str]":
        """What was written, once all writers are gone."""
        return asyncio.ensure_future(asyncio.to_thread(self.path.read_text))
