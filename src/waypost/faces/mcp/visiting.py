"""The other end: a client of an office's MCP server, as any agent has one."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

Tool = Callable[..., Awaitable[dict[str, Any]]]
_PATIENCE_SECONDS = 30


@asynccontextmanager
async def visiting(url: str, token: str) -> AsyncIterator[Tool]:
    """Call tools by name for as long as this is entered; a refusal comes as its error form."""
    proof = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=proof, timeout=_PATIENCE_SECONDS) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            return dict(result.structured_content or {})

        yield call
