"""From `waypost setup` to mail: what stands in a client's files starts a server, or reaches one."""

import asyncio
import json
import os
import re
import tomllib
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from commands.workplace import PROJECT, Workplace, workplace
from faces.clients import served
from waypost.setup.clients import CLIENTS
from waypost.setup.plan import PARAGRAPH

__all__ = ["workplace"]
each_client = pytest.mark.parametrize("name", CLIENTS)
_READ = {".json": json.loads, ".toml": tomllib.loads}


def entry(place: Workplace, name: str) -> dict[str, Any]:
    """Our server as a client finds it in its file."""
    path = place.folder / CLIENTS[name].project.servers
    config = _READ[path.suffix](path.read_text())
    found: dict[str, Any] = (config.get("mcpServers") or config["mcp_servers"])["waypost"]
    return found


def by_client(text: str) -> str:
    """A value with the variables filled in, as the clients do."""
    return re.sub(r"\$\{(?:env:)?(\w+)\}", lambda found: os.environ[found[1]], text)


async def tools_and_agents(server: Any) -> tuple[set[str], list[str]]:
    """Which tools a server has, and who has a mailbox there."""
    async with asyncio.timeout(60), Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        told = (await client.call_tool("list_agents", {})).structured_content
    return tools, [agent["name"] for agent in told["agents"]]


@each_client
def test_the_server_in_the_file_starts_and_knows_the_agent(name: str, workplace: Workplace) -> None:
    workplace.tell("setup", name)
    found = entry(workplace, name)
    server = StdioServerParameters(
        command=found["command"],
        args=found["args"],
        cwd=str(workplace.folder),
        env={word: os.environ[word] for word in ("HOME", "PATH", "WAYPOST_HOME")},
    )
    tools, agents = asyncio.run(tools_and_agents(server))
    assert set(re.findall(r"`(\w+_\w+)`", PARAGRAPH)) <= tools
    assert name in agents


@each_client
def test_the_address_in_the_file_is_reached_with_the_token_of_the_variable(
    name: str, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(workplace.office) as office:
        workplace.tell("setup", name, "--http", f"{office.url}/mcp")
        monkeypatch.setenv(f"WAYPOST_TOKEN_{name.upper()}", office.token(name, PROJECT))
        found = entry(workplace, name)
        variable = found.get("bearer_token_env_var")
        proof = f"Bearer ${{{variable}}}" if variable else found["headers"]["Authorization"]

        async def reached() -> tuple[set[str], list[str]]:
            headers = {"Authorization": by_client(proof)}
            async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
                url = found.get("httpUrl") or found["url"]
                return await tools_and_agents(streamable_http_client(url, http_client=http))

        tools, agents = asyncio.run(reached())
    assert "fetch_inbox" in tools
    assert name in agents
