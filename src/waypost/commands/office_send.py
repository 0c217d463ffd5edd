"""`waypost send` and `waypost reply`: writing to others through the office."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any

from waypost.commands.console import Console, Parser
from waypost.commands.office_place import add_options, connect
from waypost.commands.office_show import listed
from waypost.errors import InvalidMessageError, Problem, UnreadableError, UsageError, visible

_SEND_EXAMPLES = """\
  waypost send codex -s "mTLS or tokens?" -b "Three services."
  waypost send codex,gemini --type task_request -s "Triage" --body-file task.md --expires 2h
  git diff --stat | waypost send everyone -s "What changed"
  waypost send codex@shop -b "The API is out."      in another project, if you are in it, too
  waypost send codex --type task_assignment --body-file task.json --ack-within 30m
"""
_REPLY_EXAMPLES = """\
  waypost reply 8e4a0b52 -b "Tokens: one key less to rotate."
  waypost reply 8e4a0b52 --type task_completion --body-file done.json
"""
_UNITS = {"m": 1, "h": 60, "d": 24 * 60}


def run(console: Console, argv: Sequence[str]) -> int:
    """Send a letter to one or several agents."""
    parser = Parser("waypost send", "Send a letter; it is stored when it says so.", _SEND_EXAMPLES)
    parser.add_argument("to", metavar="TO", help='names, name@project, keys; or "everyone"')
    parser.add_argument("--thread", help="the conversation that it belongs to")
    parser.add_argument(
        "--ack-within", metavar="N{m,h,d}", help="ask for an acknowledgement, by then"
    )
    parser.add_argument("--expires", metavar="N{m,h,d}", help="from when on it no longer matters")
    _add_message_options(parser)
    arguments = parser.parse_args(argv)
    given = _given(arguments) | {
        "to": _recipients(arguments.to),
        "thread": arguments.thread,
        "acknowledge_minutes": minutes(arguments.ack_within),
        "expires_minutes": minutes(arguments.expires),
    }
    return _post(console, arguments, "send", given)


def reply(console: Console, argv: Sequence[str]) -> int:
    """Answer a letter: to its sender, in its thread."""
    parser = Parser("waypost reply", "Answer a letter; for you it is done then.", _REPLY_EXAMPLES)
    parser.add_argument("letter", metavar="ID", help="the letter, or the beginning of its id")
    _add_message_options(parser)
    arguments = parser.parse_args(argv)
    return _post(console, arguments, "reply", _given(arguments) | {"letter": arguments.letter})


def _add_message_options(parser: Parser) -> None:
    parser.add_argument("-s", "--subject", help="one line that says what it is about")
    body = parser.add_mutually_exclusive_group()
    body.add_argument("-b", "--body", help="the text; else it is read from a pipe")
    body.add_argument("--body-file", metavar="FILE", help="read the text from a file, or -")
    parser.add_argument(
        "--type", help="one of any dialect; its fields are the body (waypost schema lists them)"
    )
    parser.add_argument("--priority", help="urgent, high, normal, low")
    parser.add_argument("--ack", action="store_true", help="ask for an acknowledgement")
    parser.add_argument("--id", metavar="ID", help="send it under this id, once and never again")
    parser.add_argument(
        "--allow-secrets", action="store_true", help="send it although it holds one"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing when it is sent")
    add_options(parser)


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    """What both commands give to the office."""
    given: dict[str, Any] = {
        "type": arguments.type,
        "subject": arguments.subject,
        "priority": arguments.priority,
        "acknowledge": arguments.ack or None,
        "message_id": arguments.id,
        "allow_secrets": arguments.allow_secrets or None,
    }
    return given | _content(arguments.type, body_of(arguments.body, arguments.body_file))


def _content(kind: str | None, body: str) -> dict[str, Any]:
    """A body as it is given: text, or the fields of a type that is written in JSON."""
    from waypost.office.drafts import dialect_of

    if kind is None or dialect_of(kind) == "oacp":
        return {"text": body}
    from waypost.dialects import json_text

    fields, problems = json_text.parse(body)
    if problems:
        raise InvalidMessageError(
            f"the body is no JSON, which {visible(kind)} is written in: {problems[0].message}",
            hint=f"waypost examples {visible(kind)} shows one",
        )
    if not isinstance(fields, dict):
        raise InvalidMessageError(f"the body of {visible(kind)} must be an object with its fields")
    return {"content": fields}


def body_of(body: str | None, path: str | None) -> str:
    """The text that the options name, or that is piped in. Raises UsageError."""
    if body is not None:
        return body
    from waypost.carriers.folders.reading import read_file
    from waypost.dialects.text import MAX_BYTES

    if path not in (None, "-"):
        data = read_file(path)
        if isinstance(data, Problem):
            raise UsageError(f"{path} {data.message}", hint=data.hint or "name a text file")
        return _text(data, path)
    if path is None and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError("there is no text", hint="say --body, --body-file FILE, or pipe it in")
    return _text(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")


def _text(data: bytes, source: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{source} is not UTF-8 text", hint="save it as UTF-8") from error


def _recipients(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("nobody to send to", hint="one name, or several with commas")
    return names


def minutes(text: str | None) -> int | None:
    """A duration in minutes. Raises UsageError."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    if match is None or not int(match[1]):
        raise UsageError(
            f'"{visible(text)}" is no duration', hint="a number with m, h or d, like 30m or 2h"
        )
    return int(match[1]) * _UNITS[match[2]]


def _post(
    console: Console, arguments: argparse.Namespace, use_case: str, given: dict[str, Any]
) -> int:
    with connect(arguments) as office:
        receipt = office.ask(use_case, **given)
    if console.as_json:
        console.json(receipt)
    elif not arguments.quiet:
        show_receipt(console, receipt)
    return os.EX_OK


def show_receipt(console: Console, receipt: dict[str, Any]) -> None:
    """Say what the office took."""
    again = " before; nothing was sent twice" if receipt.get("repeated") else ""
    to = f" to {listed(receipt['to'])}" if receipt.get("to") else ""
    there = f" in {visible(receipt['project'])}" if receipt.get("project") else ""
    console.data(f"sent {visible(receipt['id'])}{to}{there}{again}")
    if held := receipt.get("reservation"):
        console.data(f"reserved {listed(held['patterns'])} until {held['until']}")
    for warning in receipt.get("warnings", ()):
        console.talk(f"warning: {visible(warning['message'])}")
