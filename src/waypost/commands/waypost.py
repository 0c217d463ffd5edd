"""The `waypost` command line."""

import sys

from waypost.commands.console import Command, dispatch, list_commands, run

_COMMANDS = (
    Command("validate", "check messages of any dialect", "waypost.commands.validate"),
    Command("schema", "show what a message type looks like", "waypost.commands.schema"),
    Command("examples", "show whole worked messages", "waypost.commands.examples"),
    Command("mcp", "give an agent its mail as MCP tools", "waypost.commands.mcp"),
    Command("serve", "serve the office over HTTP", "waypost.commands.serve"),
    Command("demo", "see it work, in a minute", "waypost.commands.demo"),
)


def _overview() -> str:
    return f"""waypost: the post office for AI agents

  waypost demo                               see it work
  waypost validate message.yaml              what is wrong with this message?
  waypost examples handoff > handoff.yaml    begin with a good one
  waypost schema oacp/handoff                which fields does it have?

commands:
{list_commands(_COMMANDS)}

Every command has --help with examples, and --json for programs.
exit codes: 0 done, 1 failed, 2 usage, 3 not found, 5 invalid message, 130 interrupted"""


def main() -> int:
    """Entry point of the console script."""
    return run(dispatch("waypost", _COMMANDS, _overview), sys.argv[1:])
