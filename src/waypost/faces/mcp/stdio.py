"""The server over standard streams: one client, who is what the command line said.

Standard output carries the protocol and nothing else; whatever else would be written there goes
to standard error.
"""

import asyncio

from mcp.server.stdio import stdio_server

from waypost.faces.desk import Desk
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office import Office
from waypost.office.callers import Caller


def serve(office: Office, caller: Caller) -> None:
    """Serve until the client closes its end."""
    asyncio.run(_serve(office, caller))


async def _serve(office: Office, caller: Caller) -> None:
    async with Desk(office) as desk, stdio_server() as (incoming, outgoing):
        server = build(desk, lambda _: caller, Pusher(desk.bell, lambda _: caller))
        await server.run(incoming, outgoing, server.create_initialization_options())
