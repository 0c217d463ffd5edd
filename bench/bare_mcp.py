"""A server of the bare MCP SDK with one empty tool: what ours is measured against."""

import sys
from typing import Any

from mcp.server.mcpserver import MCPServer

server = MCPServer("bare", log_level="ERROR")


@server.tool()
def empty() -> dict[str, Any]:
    """Do nothing."""
    return {}


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", port=int(sys.argv[1]))
