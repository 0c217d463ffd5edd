"""The `oacp` command line: OACP with nothing but files."""

import sys

from waypost.commands.console import Command, dispatch, list_commands, run

_COMMANDS = (Command("validate", "check message files", "waypost.commands.oacp_validate"),)


def _overview() -> str:
    return f"""oacp: OACP messages in files, without a server

  oacp validate inbox/*.yaml    what is wrong with these messages?

commands:
{list_commands(_COMMANDS)}

Every command has --help with examples, and --json for programs."""


def main() -> int:
    """Entry point of the console script."""
    return run(dispatch("oacp", _COMMANDS, _overview), sys.argv[1:])
