"""The steps of `oacp review`: what each takes from the command line."""

from collections.abc import Sequence

from waypost.commands.console import Console
from waypost.commands.oacp_review_input import (
    add_list,
    add_number,
    every_problem_told,
    findings_in_file,
    findings_in_words,
    listed,
    step_parser,
    take,
    text_or_pipe,
)
from waypost.errors import UsageError
from waypost.mailbox import reviewing

_REQUEST_EXAMPLES = """\
  oacp review request --to codex --pr 42 --branch feat/limit --diff-summary "A rate limit"
  git diff --stat main | oacp review request --to codex --pr 42 --branch feat/limit
  oacp review request 42 --again --diff-summary "Rebased on main"
"""
_FEEDBACK_EXAMPLES = """\
  oacp review feedback 42 --finding "P1! src/limit.ts:12 raised without a lock"
  oacp review feedback 42 --findings findings.yaml --reopen finding-001
"""
_ADDRESS_EXAMPLES = """\
  oacp review address 42 --commit a1b2c3d --summary "A lock around the counter"
  git log -1 --format=%B | oacp review address 42 --commit a1b2c3d --except finding-003
"""
_LGTM_EXAMPLES = """\
  oacp review lgtm 42
  oacp review lgtm 42 --nit "a longer name for rl" --not-ready
"""
_COMPUTED = "computed; refused when it is another"


def request(console: Console, argv: Sequence[str]) -> int:
    """Ask for a review."""
    parser = step_parser("request", "Ask another agent to review a change.", _REQUEST_EXAMPLES)
    parser.add_argument("--to", metavar="AGENT", help="who reviews; several with commas")
    parser.add_argument("--pr", help="the pull request: a number or a link")
    parser.add_argument("--branch", help="the branch with the change")
    parser.add_argument("--diff-summary", metavar="TEXT", help="what the change does; else piped")
    add_number(parser, "--max-turns", "max_turns_reviewer", "rounds before a person decides")
    add_number(parser, "--max-runtime", "max_runtime_s_reviewer", "the reviewer's seconds")
    parser.add_argument("--again", action="store_true", help="once more, in a review that is there")
    arguments = parser.parse_args(argv)
    if not arguments.again and (arguments.review or not arguments.to):
        what = "who should review?" if not arguments.to else "a first request names no review"
        raise UsageError(what, hint="say --to AGENT, or --again for a review that is there")
    arguments.diff_summary = text_or_pipe(arguments.diff_summary, "--diff-summary")
    names = ("pr", "branch", "diff_summary", "max_turns_reviewer", "max_runtime_s_reviewer")
    body = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    to = listed([arguments.to or ""])
    ask = reviewing.request_again if arguments.again else reviewing.request
    return take(console, arguments, lambda caller: ask(caller, to, body))


def feedback(console: Console, argv: Sequence[str]) -> int:
    """Give findings."""
    about = "Give findings; those still open are carried over."
    parser = step_parser("feedback", about, _FEEDBACK_EXAMPLES)
    parser.add_argument(
        "--finding",
        action="append",
        default=[],
        metavar='"P1! FILE:LINE TEXT"',
        help="one finding; ! when it blocks the merge; FILE:LINE may be left out",
    )
    parser.add_argument("--findings", metavar="FILE", help="findings in a YAML or JSON file, or -")
    add_list(parser, "--reopen", "findings that are not settled after all")
    add_list(parser, "--withdraw", "findings that you take back")
    add_number(parser, "--round", "round", _COMPUTED)
    add_number(parser, "--blocking-count", "blocking_count", _COMPUTED, least=0)
    arguments = parser.parse_args(argv)
    with every_problem_told(console, arguments.findings or ""):
        findings = findings_in_file(arguments.findings)
    given = reviewing.Feedback(
        [*findings, *findings_in_words(arguments.finding)],
        listed(arguments.reopen),
        listed(arguments.withdraw),
        arguments.round,
        arguments.blocking_count,
        may_be_empty=arguments.findings is not None,
    )
    return take(console, arguments, lambda caller: reviewing.feedback(caller, given))


def address(console: Console, argv: Sequence[str]) -> int:
    """Tell the reviewer what was settled."""
    parser = step_parser("address", "Tell the reviewer what was settled.", _ADDRESS_EXAMPLES)
    parser.add_argument("--commit", "--commit-sha", required=True, help="the commit that does it")
    parser.add_argument(
        "--summary", "--changes-summary", metavar="TEXT", help="what was changed; else piped"
    )
    add_list(parser, "--touched", "files that were changed", "FILE,FILE")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--addressed", metavar="ID,ID", help="what is settled; else all that is open"
    )
    which.add_argument("--except", dest="besides", metavar="ID,ID", help="what stays open")
    add_number(parser, "--round", "round", _COMPUTED)
    arguments = parser.parse_args(argv)
    done = reviewing.Addressed(
        arguments.commit,
        text_or_pipe(arguments.summary, "--summary"),
        listed(arguments.touched),
        None if arguments.addressed is None else listed([arguments.addressed]),
        listed([arguments.besides or ""]),
        arguments.round,
    )
    return take(console, arguments, lambda caller: reviewing.address(caller, done))


def lgtm(console: Console, argv: Sequence[str]) -> int:
    """Approve the change."""
    about = "Approve a change; refused while blocking findings are open."
    parser = step_parser("lgtm", about, _LGTM_EXAMPLES)
    parser.add_argument(
        "--nit", action="append", default=[], metavar="TEXT", help="a remark that blocks nothing"
    )
    parser.add_argument("--gate", choices=("pass", "fail"), default="pass", help="the quality gate")
    parser.add_argument("--not-ready", action="store_true", help="approved, but not to be merged")
    arguments = parser.parse_args(argv)
    ready = False if arguments.not_ready else None
    verdict = reviewing.Verdict(arguments.gate, ready, arguments.nit)
    return take(console, arguments, lambda caller: reviewing.approve(caller, verdict))
