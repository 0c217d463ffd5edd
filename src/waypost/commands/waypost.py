"""The `waypost` command line."""

import sys

from waypost.commands.console import Command, Console, dispatch, list_commands, run
from waypost.commands.office import FILES, MAIL, OFFICE

_ASK, _TASKS = "waypost.commands.live_ask", "waypost.commands.live_tasks"
_MESSAGES = (
    Command("validate", "check messages of any dialect", "waypost.commands.validate"),
    Command("schema", "show what a message type looks like", "waypost.commands.schema"),
    Command("translate", "say a message in another dialect", "waypost.commands.translate"),
    Command("examples", "show whole worked messages", "waypost.commands.examples"),
    Command("demo", "see it work, in a minute", "waypost.commands.demo"),
)
_LIVE = (
    Command("peers", "whom we trust, and how they are", "waypost.commands.live_peers"),
    Command("listen", "stay online; programs answer", "waypost.commands.live_listen"),
    Command("ask", "ask a peer a question", _ASK, "ask"),
    Command("delegate", "give a peer a task", _TASKS, "delegate"),
    Command("cancel", "call off a task", _TASKS, "cancel"),
    Command("notify", "tell peers something", _TASKS, "notify"),
    Command("ping", "is a peer there, and how busy", _ASK, "ping"),
    Command("discover", "what a peer can do", _ASK, "discover"),
    Command("who", "who can answer for a domain", _ASK, "who"),
)
_SERVING = (
    Command("mcp", "give an agent its mail as MCP tools", "waypost.commands.mcp"),
    Command("serve", "serve the office over HTTP", "waypost.commands.serve"),
    Command("open", "open the dashboard in a browser", "waypost.commands.office_open"),
    Command("cluster", "share one office among machines", "waypost.commands.cluster"),
    Command("journal", "move the office into a cluster, or back", "waypost.commands.journal"),
    Command("doctor", "find and mend what is wrong", "waypost.commands.doctor"),
)
_CODING = (
    Command("setup", "give a coding agent its mailbox", "waypost.commands.setup"),
    Command("completion", "let a shell complete words", "waypost.commands.completion"),
    Command("guard", "keep commits off files that others hold", "waypost.commands.guard"),
    Command("notice", "one line when mail is unread, for hooks", "waypost.commands.notice"),
)
COMMANDS = (*MAIL, *FILES, *OFFICE, *_SERVING, *_CODING, *_LIVE, *_MESSAGES)
_WIDTH = max(len(command.name) for command in COMMANDS)


def _overview() -> str:
    return f"""waypost: the post office for AI agents

  waypost demo                               see it work
  waypost init my-app --agents claude,codex  mail for a project
  waypost inbox                              what is there for me?
  waypost setup claude                       a coding agent gets its mailbox
  waypost ask family "Swim schedules?"       a live agent answers
  waypost validate message.yaml              what is wrong with this message?
  waypost examples handoff > handoff.yaml    begin with a good one
  waypost schema oacp/handoff                which fields does it have?
  waypost translate task.yaml --to acp       the same, said in another dialect

mail:
{list_commands(MAIL, _WIDTH)}

files:
{list_commands(FILES, _WIDTH)}

the office:
{list_commands((*OFFICE, *_SERVING), _WIDTH)}

coding agents:
{list_commands(_CODING, _WIDTH)}

live peers:
{list_commands(_LIVE, _WIDTH)}

messages:
{list_commands(_MESSAGES, _WIDTH)}

Every command has --help with examples, and --json for programs.
exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 not trusted, 5 invalid message,
6 not delivered or timed out, 7 files held by another, 130 interrupted"""


def _situation(console: Console) -> bool:
    from waypost.commands.office_situation import situation

    return situation(console)


def main() -> int:
    """Entry point of the console script."""
    return run(dispatch("waypost", COMMANDS, _overview, _situation), sys.argv[1:])
