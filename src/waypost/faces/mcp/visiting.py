"""The other end: a client of an office's MCP server, as any agent has one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from waypost.errors import UnreadableError

Tool = Callable[..., Awaitable[dict[str, Any]]]
_PATIENCE_SECONDS = 30


@asynccontextmanager
async def visiting(url: str, token: str) -> AsyncIterator[Tool]:
    """Call tools by name for as long as this is entered; a refusal comes as its error form.

    Raises UnreadableError when the office can't be reached, and whatever is raised inside.
    """
    try:
        async with _connected(url, token) as client:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                result = await client.call_tool(tool, arguments)
                return dict(result.structured_content or {})

            yield call
    except BaseException as error:
        first = _first_of(error)
        if isinstance(first, httpx2.HTTPError):
            what = f"the office at {url} can't be reached: {str(first).lower()}"
            raise UnreadableError(what) from first
        raise first from first.__cause__  # not in groups, which only the client's tasks make


@asynccontextmanager
async def _connected(url: str, token: str) -> AsyncIterator[Client]:
    proof = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=proof, timeout=_PATIENCE_SECONDS) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


def _first_of(error: BaseException) -> BaseException:
    """The one thing that went wrong."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
