"""Sees to it that a revoked key's links end within a second, in every process that holds one."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from waypost.carriers.links import Link, Local

EVERY_SECONDS = 0.25
REVOKED = "the key is not trusted any more"


async def watch(
    locals_: Sequence[Local],
    links: Callable[[], Iterable[Link]],
    revoke: Callable[[Link], None],
) -> None:
    """Re-read the lists of peers for as long as the task lives, and revoke what fell out."""
    while True:
        await asyncio.sleep(EVERY_SECONDS)
        changed = [local for local in locals_ if local.peers.refresh()]
        for local in changed:
            for link in list(links()):
                if link.me == local.identity.id and local.peers.by_id(link.peer) is None:
                    revoke(link)
        for local in locals_:
            local.peers.save_notes()


async def end(task: "asyncio.Task[None] | None") -> None:
    """Stop watching."""
    if task is None:
        return
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
