"""Both event loops, the standard one and the fast one, keep listening whatever the network says."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from live.pairs import Agent, agents
from waypost.carriers.keyring import token_of
from waypost.errors import UnreachableError

LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_listener_that_dialled_nobody_can_still_be_dialled(
    tmp_path: Path, loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def story() -> None:
        async with agents(tmp_path) as (kit, family):
            gone = Agent(tmp_path, "gone")
            await gone.start()
            address = gone.transport.address
            await gone.transport.stop()
            family.local.peers.add(token_of(gone.local.identity.public_key, *(address or ())))
            for _ in range(3):
                with pytest.raises(UnreachableError, match="nobody listens"):
                    await family.transport.dial(family.local.peers.find(gone.id))
            assert await (await kit.dial(family)).request(b"hi") == b"echo hi"

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(asyncio.wait_for(story(), 20))
