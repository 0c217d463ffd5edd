"""What the steps of `oacp review` share: their options, the findings they read, what they print."""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from waypost.carriers.folders.reading import read_file
from waypost.commands.console import Console, Parser
from waypost.commands.inputs import standard_input
from waypost.commands.oacp_items import now
from waypost.commands.oacp_place import add_options, find_place
from waypost.commands.oacp_review_report import escalation, review_json, show_review
from waypost.dialects.text import decode
from waypost.errors import (
    InvalidMessageError,
    NotFoundError,
    Problem,
    UnreadableError,
    UsageError,
    visible,
)
from waypost.mailbox import packets
from waypost.mailbox.reviewing import Caller, Step

_FINDING = re.compile(
    r"(?P<severity>P[0-3])(?P<mark>!?)\s+"
    r"(?:(?P<file>[^\s:]*[^\s:0-9][^\s:]*):(?P<line>[1-9][0-9]{0,8})(?::[0-9]+)?:?\s+)?"
    r"(?P<summary>\S.*)",
    re.DOTALL,
)
_MESSAGE = ("from", "to", "type", "priority", "subject", "created_at_utc", "conversation_id")


def step_parser(name: str, description: str, examples: str) -> Parser:
    """A parser with the options that every step has."""
    parser = Parser(f"oacp review {name}", description, examples)
    parser.add_argument(
        "review",
        nargs="?",
        metavar="CONV|ID|PR",
        help="which review; the only fitting one if absent",
    )
    add_options(parser)
    parser.add_argument("-s", "--subject", help="the message's subject; made up if absent")
    parser.add_argument("--priority", help="P0 to P3; the request's if absent")
    parser.add_argument(
        "--allow-secrets", action="store_true", help="send what looks like a secret"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing when it went well")
    return parser


def add_number(parser: Parser, flag: str, name: str, words: str, least: int = 1) -> None:
    """Add an option that takes a whole number; it may also be spelled as the message's field."""
    flags = dict.fromkeys([flag, "--" + name.replace("_", "-")])

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
        return int(text)

    parser.add_argument(*flags, dest=name, type=number, metavar="N", help=words)


def add_list(parser: Parser, flag: str, words: str, metavar: str = "ID,ID") -> None:
    """Add an option that takes names with commas, also several times."""
    parser.add_argument(flag, action="append", default=[], metavar=metavar, help=words)


def listed(given: Sequence[str]) -> list[str]:
    """Split what was given with commas; each name once."""
    names = [name.strip() for text in given for name in text.split(",")]
    return list(dict.fromkeys(name for name in names if name))


def text_or_pipe(given: str | None, flag: str) -> str:
    """A text from the command line, else from a pipe. Raises UsageError when there is neither."""
    if given is not None:
        return given
    piped = b"" if sys.stdin is None or sys.stdin.isatty() else standard_input()
    if isinstance(piped, bytes) and not piped.strip():
        raise UsageError(f"{flag} is missing", hint=f"say {flag} TEXT, or pipe the text in")
    text = decode(piped) if isinstance(piped, bytes) else piped
    if isinstance(text, Problem):
        raise UnreadableError(f"standard input {text.message}", hint=text.hint)
    return text


# -- findings ----------------------------------------------------------------------------------


def findings_in_file(path: str | None) -> list[dict[str, Any]]:
    """The findings of a YAML or JSON file; "-" is standard input.

    Raises InvalidMessageError with every problem and its line.
    """
    if path is None:
        return []
    data = standard_input() if path == "-" else read_file(path)
    if isinstance(data, Problem):
        kind = NotFoundError if data.code == "not_found" else UnreadableError
        source = "standard input" if path == "-" else path
        raise kind(f"{source} {data.message}", hint=data.hint)
    return packets.read_findings(data)


def findings_in_words(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The findings that stand on the command line. Raises UsageError naming each that is none."""
    matches = [_FINDING.fullmatch(text.strip()) for text in texts]
    hint = 'write "P1! src/a.ts:12 what is wrong", with ! when it blocks the merge'
    wrong = [
        Problem(("finding", index), "bad_format", f"finding.{index} has the wrong form", hint)
        for index, match in enumerate(matches)
        if match is None
    ]
    if wrong:
        shown = next(text for text, match in zip(texts, matches, strict=True) if match is None)
        raise UsageError(f'"{shown[:60]}" is not a finding', hint=hint, problems=wrong)
    return [_finding(match) for match in matches if match]


def _finding(match: re.Match[str]) -> dict[str, Any]:
    place = {"file": match["file"], "line": int(match["line"])} if match["file"] else {}
    return {
        "severity": match["severity"],
        "blocking": match["mark"] == "!",
        **place,
        "summary": match["summary"],
    }


# -- taking a step -----------------------------------------------------------------------------


def take(console: Console, arguments: argparse.Namespace, step: Callable[[Caller], Step]) -> int:
    """Take a step as the agent that the arguments mean, and tell what came of it."""
    place = find_place(arguments)
    caller = Caller(
        place.project,
        place.mailbox.agent,
        arguments.review,
        arguments.subject,
        arguments.priority,
        arguments.allow_secrets,
    )
    with every_problem_told(console):
        taken = step(caller)
    if console.as_json:
        console.json(_step_json(taken))
    elif not arguments.quiet:
        _show_step(console, taken)
    else:
        for reasons in (review.escalations(now()) for review in taken.reviews):
            if reasons:
                console.talk(escalation(reasons))
    return 0


@contextmanager
def every_problem_told(console: Console, source: str = "") -> Iterator[None]:
    """List on stderr what is wrong, when that is more than the error's one sentence can say."""
    try:
        yield
    except InvalidMessageError as error:
        if not console.as_json and len(error.problems) > 1:
            for problem in error.problems:
                where = f"{source}:{problem.line}: " if source and problem.line else ""
                console.talk(visible(f"{problem.severity}: {where}{problem.message}"))
        raise


def _show_step(console: Console, taken: Step) -> None:
    fields = taken.receipt.message.fields or {}
    to = fields["to"] if isinstance(fields["to"], str) else ", ".join(fields["to"])
    console.data(visible(f"sent {fields['type']} {fields['id']} to {to}"))
    if packet := fields["body"].get("findings_packet"):
        console.talk(visible(f"  {packet}"))
    for review in taken.reviews:
        show_review(console, review, findings=False)


def _step_json(taken: Step) -> dict[str, object]:
    fields = taken.receipt.message.fields or {}
    shown: dict[str, object] = {"message_id": fields["id"]}
    shown |= {name: fields[name] for name in _MESSAGE if name in fields}
    paths = taken.receipt.inbox_paths
    many = isinstance(fields["to"], list)
    shown |= {"inbox_paths": paths} if many else {"inbox_path": paths[0]}
    shown |= {"outbox_path": taken.receipt.outbox_path, "body": fields["body"]}
    return shown | {"reviews": [review_json(review) for review in taken.reviews]}
