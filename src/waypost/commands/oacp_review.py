"""`oacp review`: the review loop from request to approval, one subcommand a step."""

from collections.abc import Sequence

from waypost.commands.console import Command, Console, dispatch, list_commands

_STEPS = "waypost.commands.oacp_review_steps"
_COMMANDS = (
    Command("request", "ask for a review", _STEPS, "request"),
    Command("feedback", "give findings", _STEPS, "feedback"),
    Command("address", "tell what was settled", _STEPS, "address"),
    Command("lgtm", "approve", _STEPS, "lgtm"),
    Command("status", "whose turn it is", "waypost.commands.oacp_review_report", "status"),
)
_LOOP = """\
  oacp review request --to codex --pr 42 --branch feat/limit --diff-summary "Adds a rate limit"
  oacp review feedback 42 --finding "P1! src/limit.ts:12 the counter is raised without a lock"
  oacp review address 42 --commit a1b2c3d --summary "A lock around the counter"
  oacp review lgtm 42
  oacp review status 42"""


def run(console: Console, argv: Sequence[str]) -> int:
    """Take one step of a review."""
    return dispatch("oacp review", _COMMANDS, _overview)(console, argv)


def _overview() -> str:
    return f"""oacp review: from a request to an approval, in rounds

{_LOOP}

commands:
{list_commands(_COMMANDS)}

  request   --to AGENT --pr PR --branch BRANCH --diff-summary TEXT (or piped)
            [--max-turns N] [--max-runtime SECONDS] | [CONV|ID|PR] --again --diff-summary TEXT
  feedback  [CONV|ID|PR] --finding "P1! FILE:LINE TEXT" … | --findings FILE|-
            [--reopen ID] [--withdraw ID] [--round N] [--blocking-count N]
  address   [CONV|ID|PR] --commit SHA --summary TEXT (or piped) [--touched FILE]
            [--addressed ID,ID | --except ID,ID] [--round N]
  lgtm      [CONV|ID|PR] [--nit TEXT] [--gate pass|fail] [--not-ready]
  status    [CONV|ID|PR] [--all] [--findings]

All take --from or --agent (else OACP_AGENT), --project, --oacp-dir and --json; those that send
take --subject, --priority, --quiet and --allow-secrets. The mark ! is for what blocks a merge."""
