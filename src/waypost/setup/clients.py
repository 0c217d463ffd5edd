"""What each client reads: which files, in which form, and when it lets a program speak up.

Only differences stand here. `plan` makes changes of it.
"""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

SERVER = "waypost"  # what the clients call us
_HANDED_ON = ["WAYPOST_HOME", "WAYPOST_JOURNAL", "WAYPOST_URL", "WAYPOST_TOKEN"]
_SECONDS = 10  # a notice that takes longer is not worth waiting for


class Files(NamedTuple):
    """Where a client reads, within the folder of a project or as whole paths."""

    servers: str
    hooks: str
    page: str | None  # what the model is told


class Event(NamedTuple):
    """A moment at which the client runs a program, and how the program must answer."""

    name: str
    answer: str | None = None  # the form of the notice; None is plain text


class Client(NamedTuple):
    """One client: how it is called, what it reads, and what a person must know of it."""

    name: str
    title: str
    project: Files
    events: tuple[Event, ...]
    after: str  # what is left to do once the files are written

    @property
    def speaks_toml(self) -> bool:
        """Whether its servers stand in a TOML file."""
        return self.project.servers.endswith(".toml")


CLAUDE = Client(
    "claude",
    "Claude Code",
    Files(".mcp.json", ".claude/settings.json", "CLAUDE.md"),
    (Event("SessionStart"), Event("UserPromptSubmit"), Event("Stop", "Stop")),
    "start claude here and approve the server; /mcp shows it",
)
CODEX = Client(
    "codex",
    "Codex",
    Files(".codex/config.toml", ".codex/hooks.json", "AGENTS.md"),
    (Event("SessionStart"), Event("UserPromptSubmit"), Event("Stop", "Stop")),
    "start codex here, trust the folder and (with /hooks) the hooks; /mcp shows the server",
)
GEMINI = Client(
    "gemini",
    "Gemini CLI",
    Files(".gemini/settings.json", ".gemini/settings.json", "GEMINI.md"),
    (Event("SessionStart", "SessionStart"), Event("BeforeAgent", "BeforeAgent")),
    "start gemini here and trust the folder; /mcp shows the server",
)
CURSOR = Client(
    "cursor",
    "Cursor",
    Files(".cursor/mcp.json", ".cursor/hooks.json", "AGENTS.md"),
    (Event("sessionStart", "sessionStart"), Event("stop", "stop")),
    "open the folder in Cursor and turn the server on in its MCP settings",
)
CLIENTS = {client.name: client for client in (CLAUDE, CODEX, GEMINI, CURSOR)}


def user_files(client: Client, environment: Mapping[str, str]) -> Files:
    """Where a client reads what holds for all projects of a person."""
    if client is CLAUDE:
        own = environment.get("CLAUDE_CONFIG_DIR")
        folder = own or os.path.expanduser("~/.claude")
        servers = os.path.join(own or os.path.expanduser("~"), ".claude.json")
        return Files(servers, f"{folder}/settings.json", f"{folder}/CLAUDE.md")
    if client is CODEX:
        folder = environment.get("CODEX_HOME") or os.path.expanduser("~/.codex")
        return Files(f"{folder}/config.toml", f"{folder}/hooks.json", f"{folder}/AGENTS.md")
    home = os.path.expanduser("~")
    page = f"{home}/.gemini/GEMINI.md" if client is GEMINI else None
    return Files(f"{home}/{client.project.servers}", f"{home}/{client.project.hooks}", page)


def server_by_command(client: Client, command: str, words: list[str]) -> dict[str, Any]:
    """The server that a client starts itself."""
    if client is CODEX:  # which hands on only the variables that are named
        return {"command": command, "args": words, "env_vars": _HANDED_ON}
    return {"command": command, "args": words}


def server_by_address(client: Client, url: str, variable: str) -> dict[str, Any]:
    """The server at an address; its token is in a variable, never in the file."""
    if client is CODEX:
        return {"url": url, "bearer_token_env_var": variable}
    if client is CLAUDE:
        return {"type": "http", "url": url, "headers": _bearer("${" + variable + "}")}
    if client is GEMINI:
        return {"httpUrl": url, "headers": _bearer("${" + variable + "}")}
    return {"url": url, "headers": _bearer("${env:" + variable + "}")}


def _bearer(reference: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {reference}"}


def hook_entry(client: Client, command: str) -> dict[str, Any]:
    """What runs a command at an event, as the client wants it in the list of that event."""
    if client is CURSOR:
        return {"command": command, "timeout": _SECONDS}
    timeout = _SECONDS * 1000 if client is GEMINI else _SECONDS
    return {"hooks": [{"type": "command", "command": command, "timeout": timeout}]}
