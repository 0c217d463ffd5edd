"""Telling a peer something, with the failure as a value: one of many must not stop the rest."""

import asyncio
from typing import Any

from waypost.agent.switchboard import Switchboard
from waypost.carriers.keyring import Peer
from waypost.dialects.acp.tasks import Taken
from waypost.errors import TimedOutError, WaypostError


async def tell(
    board: Switchboard,
    peer: Peer,
    payload: dict[str, Any],
    deadline: float,
    *,
    task: Taken | None = None,
    allow_secrets: bool = False,
) -> WaypostError | None:
    """Notify a peer; gives what went wrong, or None."""
    try:
        async with asyncio.timeout_at(deadline):
            await board.tell(peer, payload, deadline, task=task, allow_secrets=allow_secrets)
    except TimeoutError:
        return TimedOutError(f"{peer.name} could not be told in time", retryable=True)
    except WaypostError as error:
        return error
    return None
