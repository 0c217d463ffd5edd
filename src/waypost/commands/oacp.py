"""The `oacp` command line: OACP with nothing but files."""

import sys
from typing import NoReturn

from waypost.commands.console import Command, Console, dispatch, leave, list_commands, run

COMMANDS = (
    Command("init", "make a project and its mailboxes", "waypost.commands.oacp_init"),
    Command("agent", "add an agent to a project", "waypost.commands.oacp_agent"),
    Command("add-agent", "the older spelling of agent add", "waypost.commands.oacp_agent", "add"),
    Command("send", "send a message", "waypost.commands.oacp_send"),
    Command("inbox", "list mail in the order to deal with it", "waypost.commands.oacp_inbox"),
    Command("show", "show a message", "waypost.commands.oacp_messages", "show"),
    Command("reply", "answer a message", "waypost.commands.oacp_send", "reply"),
    Command("done", "put a message away", "waypost.commands.oacp_messages", "done"),
    Command("watch", "tell what is new, and go on telling", "waypost.commands.oacp_watch"),
    Command("thread", "show a conversation", "waypost.commands.oacp_messages", "thread"),
    Command("review", "take part in a review", "waypost.commands.oacp_review"),
    Command("follow-ups", "work that was put off", "waypost.commands.oacp_follow_ups"),
    Command("validate", "check message files", "waypost.commands.oacp_validate"),
    Command("doctor", "find and mend what is wrong with mailboxes", "waypost.commands.oacp_doctor"),
    Command("completion", "let a shell complete words", "waypost.commands.completion", "run_oacp"),
)


def _overview() -> str:
    return f"""oacp: mail between agents, in files, without a server

  oacp init my-app --agents claude,codex
  oacp send --from claude --to codex --type question -s "mTLS or tokens?" -b "Three services."
  oacp inbox --agent codex              your mail, most urgent first
  oacp reply msg-2026 --from codex -b "Tokens."
  oacp validate inbox/*.yaml            what is wrong with these messages?

commands:
{list_commands(COMMANDS)}

Every command has --help with examples, and --json for programs.
exit codes: 0 done, 1 failed, 2 usage, 3 not found, 5 invalid message, 130 interrupted"""


def _situation(console: Console) -> bool:
    from waypost.commands.oacp_situation import situation

    return situation(console)


def main() -> int:
    """Run one command; gives its exit code."""
    return run(dispatch("oacp", COMMANDS, _overview, _situation), sys.argv[1:])


def script() -> NoReturn:
    """Entry point of the console script."""
    leave(main())
