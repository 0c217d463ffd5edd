"""The guide to the tools says what the server does."""

import json
import re
from pathlib import Path

from waypost.faces.mcp.tools import TOOLS

GUIDE = (Path(__file__).parents[2] / "docs" / "agent-mail.md").read_text()


def rows() -> dict[str, list[str]]:
    """The arguments of each tool, as the guide's table names them."""
    found = re.findall(r"^\| `([a-z_]+)` \| (.*?) ?\| .* \|$", GUIDE, re.MULTILINE)
    return {name: re.findall(r"`([a-z_]+\??)`", takes) for name, takes in found}


def test_the_table_names_every_tool_with_its_arguments() -> None:
    for tool in TOOLS:
        required = tool.takes.get("required", ())
        takes = {name + "?" * (name not in required) for name in tool.takes["properties"]}
        assert set(rows()[tool.name]) == takes, tool.name


def test_the_configuration_shown_starts_the_program() -> None:
    (shown,) = re.findall(r'^\{"mcpServers".*$', GUIDE, re.MULTILINE)
    server = json.loads(shown)["mcpServers"]["waypost"]
    assert (server["command"], server["args"][:2]) == ("waypost", ["mcp", "--agent"])
