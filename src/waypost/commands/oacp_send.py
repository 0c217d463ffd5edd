"""`oacp send` and `oacp reply`: writing to others."""

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from typing import Any

from waypost.carriers.folders.reading import read_file
from waypost.commands.console import Console, Parser
from waypost.commands.inputs import standard_input
from waypost.commands.oacp_place import Place, add_options, find_place
from waypost.dialects.oacp.types import TYPES
from waypost.errors import (
    NotFoundError,
    Problem,
    TooLargeError,
    UnreadableError,
    UsageError,
    visible,
)
from waypost.letters.names import did_you_mean
from waypost.mailbox.items import Item, find
from waypost.mailbox.sending import Receipt, answer_type, send

_SEND_EXAMPLES = """\
  oacp send my-app --from claude --to codex --type question -s "mTLS or tokens?" -b "3 services."
  git diff --stat | oacp send --to codex --type notification -s "What changed"
  oacp send --to codex,gemini --type task_request -s "Triage" --body-file task.md --expires 2h
"""
_REPLY_EXAMPLES = """\
  oacp reply msg-20260313T1430Z -b "Tokens: one key less to rotate."
  oacp reply msg-20260313T1430Z --type review_lgtm --body-file verdict.yaml
"""
_UNITS = {"m": 60, "h": 3600, "d": 86400}


def run(console: Console, argv: Sequence[str]) -> int:
    """Send a message to one or several agents."""
    parser = Parser("oacp send", "Send a message; durable when it says so.", _SEND_EXAMPLES)
    parser.add_argument("project", nargs="?", help="the project")
    parser.add_argument("--to", required=True, help="who gets it; several with commas")
    parser.add_argument("--type", required=True, dest="kind", help="the type: " + ", ".join(TYPES))
    parser.add_argument("--in-reply-to", metavar="ID", help="the message that this answers")
    _add_message_options(parser)
    arguments = parser.parse_args(argv)
    place = find_place(arguments, may_be_new=arguments.create)
    draft = _draft(arguments, place)
    draft["to"] = _recipients(arguments.to)
    parent = _parent(place, arguments.in_reply_to) if arguments.in_reply_to else None
    _deliver(console, arguments, place, draft, parent)
    return 0


def reply(console: Console, argv: Sequence[str]) -> int:
    """Answer a message: its sender, type, subject and thread are filled in."""
    parser = Parser("oacp reply", "Answer a message of your mailbox.", _REPLY_EXAMPLES)
    parser.add_argument(
        "message", metavar="ID|FILE", help="the message, or the beginning of its id"
    )
    parser.add_argument("--type", dest="kind", help="the answer's type; the usual one if absent")
    parser.add_argument("--to", help="who gets it; its sender if absent")
    _add_message_options(parser)
    arguments = parser.parse_args(argv)
    place = find_place(arguments)
    parent = find(place.mailbox, arguments.message)
    arguments.kind = arguments.kind or answer_type(parent)
    subject = parent.text("subject")
    arguments.subject = (
        arguments.subject or (subject if subject.startswith("Re: ") else f"Re: {subject}")[:200]
    )
    draft = _draft(arguments, place)
    draft["to"] = _recipients(arguments.to) if arguments.to else _correspondents(parent, place)
    _deliver(console, arguments, place, draft, parent)
    return 0


def _correspondents(parent: Item, place: Place) -> str | list[str]:
    """Who an answer goes to: the sender, or the recipients of what one sent oneself."""
    sender = parent.text("from")
    others = [name for name in parent.recipients if name != sender]
    if sender == place.mailbox.agent and others:
        return others[0] if len(others) == 1 else others
    if not sender:
        raise UsageError("the message has no sender that could be answered", hint="say --to")
    return sender


def _add_message_options(parser: Parser) -> None:
    parser.add_argument("-s", "--subject", help="one line that says what it is about")
    body = parser.add_mutually_exclusive_group()
    body.add_argument("-b", "--body", help="the text; else it is read from a pipe")
    body.add_argument("--body-file", metavar="FILE", help="read the text from a file, or -")
    parser.add_argument("--priority", help="P0 to P3")
    for name in ("related-pr", "related-packet", "conversation-id", "parent-message-id", "channel"):
        parser.add_argument(f"--{name}")
    context = parser.add_mutually_exclusive_group()
    context.add_argument("--context-keys", help="what the reader should know")
    context.add_argument("--context-keys-file", metavar="FILE")
    context.add_argument("--inherit-context", action="store_true", help="take over the parent's")
    parser.add_argument("--expires", metavar="N{m,h,d}", help="from when on it no longer matters")
    parser.add_argument(
        "--allow-secrets", action="store_true", help="send it although it holds one"
    )
    parser.add_argument("--create", action="store_true", help="make mailboxes that are missing")
    parser.add_argument("--dry-run", action="store_true", help="check, but send nothing")
    parser.add_argument("--quiet", action="store_true", help="print nothing when it is sent")
    add_options(parser)


def _draft(arguments: argparse.Namespace, place: Place) -> dict[str, Any]:
    if arguments.kind not in TYPES:
        hint = did_you_mean(arguments.kind, TYPES) or "they are " + ", ".join(TYPES)
        raise UsageError(f'no message type is called "{arguments.kind}"', hint=hint)
    draft: dict[str, Any] = {
        "from": place.mailbox.agent,
        "type": arguments.kind,
        "subject": arguments.subject or "",
        "body": _body(arguments),
        "context_keys": arguments.context_keys or _file(arguments.context_keys_file),
        "expires_at": _expiry(arguments.expires) if arguments.expires is not None else None,
    }
    for name in (
        "priority",
        "related_pr",
        "related_packet",
        "conversation_id",
        "parent_message_id",
        "channel",
    ):
        draft[name] = getattr(arguments, name)
    return {key: value for key, value in draft.items() if value is not None}


def _recipients(text: str) -> str | list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("nobody to send to", hint="--to takes one name, or several with commas")
    return names[0] if len(names) == 1 else names


def _body(arguments: argparse.Namespace) -> str:
    if arguments.body is not None:
        return str(arguments.body)
    if arguments.body_file not in (None, "-"):
        return str(_file(arguments.body_file))
    if arguments.body_file is None and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError(
            "the message has no body", hint="say --body, --body-file FILE, or pipe it in"
        )
    return _text(_read(standard_input(), "standard input"), "standard input")


def _file(path: str | None) -> str | None:
    if path is None:
        return None
    return _text(_read(read_file(path), path), path)


def _read(data: bytes | Problem, source: str) -> bytes:
    if isinstance(data, Problem):
        kind = TooLargeError if data.code == "too_large" else UsageError
        raise kind(f"{source} {data.message}", hint=data.hint or "name a text file")
    return data


def _text(data: bytes, source: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{source} is not UTF-8 text", hint="save it as UTF-8") from error


def _expiry(text: str) -> str:
    match = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    if match is None:
        raise UsageError(f'"{text}" is no duration', hint="a number with m, h or d, like 30m or 2h")
    moment = time.time() + int(match[1]) * _UNITS[match[2]]
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _parent(place: Place, wanted: str) -> Item:
    try:
        return find(place.mailbox, wanted)
    except NotFoundError as error:
        error.hint = "a message that isn't in your mailbox is named by --parent-message-id"
        raise


def _deliver(
    console: Console,
    arguments: argparse.Namespace,
    place: Place,
    draft: dict[str, Any],
    parent: Item | None,
) -> None:
    if arguments.inherit_context and parent is not None:
        draft["context_keys"] = (parent.header or {}).get("context_keys")
    receipt = send(
        place.project,
        draft,
        answering=parent,
        allow_secrets=arguments.allow_secrets,
        dry_run=arguments.dry_run,
        create=arguments.create,
    )
    if console.as_json:
        console.json(_receipt_json(receipt))
    elif not receipt.is_sent:
        console.data(visible(receipt.message.raw.decode(), keep="\n").rstrip("\n"))
    elif not arguments.quiet:
        for agent in receipt.created:
            console.talk(f"made a mailbox for {agent}")
        fields = receipt.message.fields or {}
        to = fields["to"] if isinstance(fields["to"], str) else ", ".join(fields["to"])
        console.data(f"sent {fields['id']} to {to}")
        for path in receipt.inbox_paths:
            console.talk(f"  {visible(os.path.relpath(path, place.project.path))}")
        if receipt.delayed:
            console.talk(f"warning: not all can see it yet: {visible(receipt.delayed)}")
            console.talk("hint:    the next oacp command of this project lets it appear")


def _receipt_json(receipt: Receipt) -> dict[str, object]:
    fields = receipt.message.fields or {}
    names = ("from", "to", "type", "priority", "subject", "created_at_utc", "conversation_id")
    shown: dict[str, object] = {"message_id": fields["id"]}
    shown |= {name: fields[name] for name in names if name in fields}
    shown["dry_run"] = not receipt.is_sent
    if receipt.delayed:
        shown["delayed"] = receipt.delayed
    if receipt.created:
        shown["created"] = receipt.created
    if not receipt.is_sent:
        return shown | {"yaml": receipt.message.raw.decode()}
    if isinstance(fields["to"], list):
        shown["inbox_paths"] = receipt.inbox_paths
    else:
        shown["inbox_path"] = receipt.inbox_paths[0]
    return shown | {"outbox_path": receipt.outbox_path}
