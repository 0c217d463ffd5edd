"""The server over standard streams: one client, who is what the command line said."""

import asyncio
import sys

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from waypost.faces.desk import Desk
from waypost.faces.mcp.lines import Answers, for_the_protocol_alone, lines, misread
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office import Office
from waypost.office.callers import Caller


def serve(office: Office, caller: Caller) -> None:
    """Serve until the client closes its end."""
    with for_the_protocol_alone(sys.stdout.fileno()) as descriptor:
        asyncio.run(_serve(office, caller, descriptor))


async def _serve(office: Office, caller: Caller, descriptor: int) -> None:
    answers = Answers(descriptor)
    heard, incoming = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outgoing, told = anyio.create_memory_object_stream[SessionMessage]()

    async def hear() -> None:
        async with heard:  # whose end is the end of serving
            async for line in lines(sys.stdin.fileno(), answers):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    await answers.tell(misread(line))
                    continue
                await heard.send(SessionMessage(message))

    async def tell() -> None:
        async with told:
            async for one in told:
                text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                await answers.write(text + "\n")

    async with Desk(office) as desk, anyio.create_task_group() as tasks:
        tasks.start_soon(hear)
        tasks.start_soon(tell)
        server = build(desk, lambda _: caller, Pusher(desk.bell, lambda _: caller))
        await server.run(incoming, outgoing, server.create_initialization_options())
