"""Agents at the doors, for stories: the official client over streams, over HTTP, and in process."""

import asyncio
import functools
import json
import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from commands.terminal import PATIENCE, command, environment
from waypost.faces.desk import Desk
from waypost.faces.mcp.push import Pusher
from waypost.faces.mcp.server import build
from waypost.office import Office, open_office
from waypost.office.callers import Caller

PROJECT = "shop"
MODES = ("auto", "legacy")
BASE = ("version", "timestamp", "sender_id", "message_id", "type")


def caller(name: str, project: str = PROJECT) -> Caller:
    return Caller(name, project, "mcp")


class Mail:
    """A client, and short ways to use its tools."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def do(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool gives that must not refuse."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.structured_content
        return self._same(result)

    async def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The error form of a call that is marked as an error."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        error = self._same(result)
        assert {"error", "details"} <= set(error)
        return error

    async def text(self, tool: str, **arguments: Any) -> str:
        """What a client shows that knows nothing of structure."""
        text: str = (await self.client.call_tool(tool, arguments)).content[0].text  # type: ignore[union-attr]
        return text

    async def newest(self) -> dict[str, Any]:
        """The one letter that is unread."""
        (header,) = (await self.do("fetch_inbox"))["letters"]
        return dict(header)

    async def send(self, to: str, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        return await self.do("send_message", to=[to], type=kind, content=content)

    @staticmethod
    def _same(result: Any) -> dict[str, Any]:
        found: dict[str, Any] = result.structured_content
        assert json.loads(result.content[0].text) == found
        return found


def story(tell: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Make an async story a test; it has a minute, which only one that hangs needs."""

    @functools.wraps(tell)
    def test(*given: Any, **named: Any) -> None:
        async def told() -> None:
            async with asyncio.timeout(60):
                await tell(*given, **named)

        asyncio.run(told())

    return test


@asynccontextmanager
async def indoors(office: Office, *names: str, mode: str = "auto") -> AsyncIterator[Any]:
    """Clients of one office inside this process, one for each agent."""
    mails, exits = [], []
    async with Desk(office) as desk:
        try:
            for name in names:
                office.register(caller(name), with_token=False)
                who = functools.partial(lambda one, _: one, caller(name))
                client = Client(build(desk, who, Pusher(desk.bell, who)), mode=mode)
                exits.append(client)
                mails.append(Mail(await client.__aenter__()))
            yield mails[0] if len(mails) == 1 else mails
        finally:
            for client in reversed(exits):
                await client.__aexit__(None, None, None)


def program(home: Path, name: str, project: str = PROJECT) -> StdioServerParameters:
    """What a client's configuration says to start `waypost mcp`."""
    words = command("waypost", "mcp", "--agent", name, "--project", project, "--home", str(home))
    return StdioServerParameters(
        command=os.fsdecode(words[0]),
        args=[os.fsdecode(word) for word in words[1:]],
        env=environment(OACP_HOME=f"{home}-oacp"),
    )


@asynccontextmanager
async def over_streams(home: Path, name: str, mode: str = "auto") -> AsyncIterator[Mail]:
    """A client with a server program of its own."""
    async with Client(program(home, name), mode=mode) as client:
        yield Mail(client)


def program_for(url: str, token: str, home: Path) -> StdioServerParameters:
    """The same program where the environment leads it to a running `waypost serve`."""
    words = command("waypost", "mcp", "--home", str(home))
    return StdioServerParameters(
        command=os.fsdecode(words[0]),
        args=[os.fsdecode(word) for word in words[1:]],
        env={"WAYPOST_URL": url, "WAYPOST_TOKEN": token},
    )


@asynccontextmanager
async def over_relay(url: str, token: str, home: Path, mode: str = "auto") -> AsyncIterator[Mail]:
    """A client with a program of its own, which hands on to a running `waypost serve`."""
    async with Client(program_for(url, token, home), mode=mode) as client:
        yield Mail(client)


@asynccontextmanager
async def over_http(url: str, token: str, mode: str = "auto") -> AsyncIterator[Mail]:
    """A client of a running `waypost serve`."""
    proof = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=proof, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield Mail(client)


class Served(NamedTuple):
    """A running `waypost serve`."""

    home: Path
    url: str
    process: "subprocess.Popen[bytes]"

    def token(self, name: str, project: str = PROJECT) -> str:
        """A token for an agent, which is registered if it isn't."""
        with open_office(self.home) as office:
            registered = office.register(caller(name, project))
            found = registered.token or office.rotate_token(caller(name, project)).token
        assert found is not None
        return found

    def http(self, token: str | None = None, **more: str) -> httpx2.Client:
        """A client for plain requests."""
        proof = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.Client(base_url=self.url, headers={**proof, **more}, timeout=PATIENCE)


@contextmanager
def served(home: Path, *words: str, **more: str) -> Iterator[Served]:
    """Run `waypost serve` at a free port; it is ended in the end, however the story went."""
    asked = command("waypost", "serve", "--home", str(home), "--json", *words)
    if "--http" not in words:
        asked += ["--http", "127.0.0.1:0"]
    known = environment(**{"OACP_HOME": f"{home}-oacp", **more})  # never the tester's own folders
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=known)
    try:
        assert process.stdout is not None
        yield Served(home, json.loads(process.stdout.readline())["url"], process)
    finally:
        process.kill()
        process.communicate()
