"""`waypost translate`: a message said in another dialect, and what could not be said there."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from waypost.bridge.context import Answered, Context
from waypost.bridge.guards import ROOM
from waypost.bridge.losses import Loss, Reason
from waypost.bridge.routing import KEY
from waypost.bridge.table import TITLES, layout
from waypost.bridge.translate import Translation, translate
from waypost.commands.console import Console, Parser
from waypost.commands.inputs import read_inputs
from waypost.dialects import dialect
from waypost.dialects.acp.codec import typed_id
from waypost.dialects.detect import read
from waypost.dialects.message import Message
from waypost.dialects.text import finish
from waypost.errors import (
    At,
    NotFoundError,
    Problem,
    UnreadableError,
    UsageError,
    quoted,
    visible,
)
from waypost.letters.names import is_name
from waypost.messages import new_blanks

_EXAMPLES = """\
  waypost translate question.yaml --to acp
  waypost translate result.json --to oacp --answering request.yaml
  waypost translate task.yaml --to agentmail --json
"""
_NO_KEY = KEY + "0" * 32
_NOBODY = "nobody"
_UNKNOWN = frozenset({_NO_KEY, _NOBODY})
_PLACES: dict[str, tuple[At, At]] = {
    "oacp": (("from",), ("to",)),
    "acp": (("from",), ("to",)),
    "agentmail": (("sender_id",), ()),
}


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        "waypost translate",
        "Say a message in another dialect, and list what could not be said there.\n"
        "Nothing is sent. - is standard input.",
        _EXAMPLES,
    )
    parser.add_argument("path", metavar="FILE", help="a message of any dialect, or -")
    parser.add_argument("--to", required=True, metavar="DIALECT", help="oacp, acp or agentmail")
    parser.add_argument("--type", help="only as this type; the table chooses if absent")
    parser.add_argument(
        "--answering", metavar="FILE", help="what it answers, in the dialect it is translated to"
    )
    parser.add_argument("--sender", metavar="WHO", help="the writer's name, or key id for acp")
    parser.add_argument(
        "--recipient", metavar="WHO", action="append", help="who gets it; may be given again"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser.parse_args(argv)


def run(console: Console, argv: Sequence[str]) -> int:
    """Translate one message; raises what the errors of the bridge say."""
    arguments = parse_arguments(argv)
    target = dialect(arguments.to).name
    source = _read(arguments.path)
    ends = _ends(source, target, arguments.sender, arguments.recipient)
    around = Context(new_blanks(), ends.sender, ends.recipients)
    if arguments.answering:
        around = _answering(arguments.answering, around, target)
    done = translate(source, target, around, only=arguments.type)
    losses = (*ends.unknown, *done.losses) if done.message is not source else ()
    if console.as_json:
        console.json(_as_json(arguments.path, source, done, losses))
    else:
        _show(console, source, done, losses)
    return 0


def _read(path: str) -> Message:
    given = list(islice(read_inputs([path]), 2))
    if len(given) != 1:
        raise UsageError(f"{quoted(path)} is not one message", hint="name a file with one message")
    data = given[0].data
    if isinstance(data, Problem):
        kind = NotFoundError if data.code == "not_found" else UnreadableError
        (shown,) = finish([data], None)
        raise kind(f"{path}: {shown.message}", hint=data.hint)
    return read(data)


class _Ends(NamedTuple):
    """Who writes and who gets the translation, and what is not known of them."""

    sender: str
    recipients: tuple[str, ...]
    unknown: tuple[Loss, ...]


def _ends(source: Message, target: str, sender: str | None, recipients: list[str] | None) -> _Ends:
    """The ends as the caller names them, else as the source does where the target can say that."""
    fields, unknown = source.fields or {}, []
    writer, readers = _PLACES.get(str(source.dialect), ((), ()))
    if sender is None:
        (sender,) = _said(writer, fields, target)
        if sender in _UNKNOWN:
            unknown.append(_not_known(writer, target, "--sender"))
    if recipients is None:
        recipients = _said(readers, fields, target)
        if not _UNKNOWN.isdisjoint(recipients):
            unknown.append(_not_known(readers, target, "--recipient"))
    return _Ends(sender, tuple(recipients), tuple(unknown))


def _said(place: At, fields: Mapping[str, object], target: str) -> list[str]:
    """The addresses at a place of the source, each replaced where it is none in the target."""
    told = fields.get(str(place[0])) if place else None
    return [_address(one, target) for one in (told if isinstance(told, list) and told else [told])]


def _address(who: object, target: str) -> str:
    if target == "acp":
        return who if isinstance(who, str) and str(typed_id(who)).startswith(KEY) else _NO_KEY
    return who if isinstance(who, str) and is_name(who) else _NOBODY


def _not_known(place: At, target: str, flag: str) -> Loss:
    sentence = f"the address in {TITLES[target]} isn't known here; {flag} names it"
    return Loss(place, sentence, Reason.UNFIT)


def _answering(path: str, around: Context, target: str) -> Context:
    """What is answered, as the reader knows it, and the thread that it stands in."""
    answered = _read(path)
    fields = answered.fields or {}
    if answered.dialect != target or not answered.valid:
        raise UsageError(
            f"{quoted(path)} is no valid message of {TITLES[target]}",
            hint="name what is answered as its writer sent it: waypost validate explains a message",
        )
    form = layout(target, str(answered.type))
    (writer,) = _said(form.sender, fields, target)
    name = Answered(str(answered.type), str(fields[str(form.identity[0])]), writer == around.sender)
    thread = fields.get(str(form.thread[0])) if form.thread else None
    return around._replace(answered=name, thread=thread)


def _as_json(
    path: str, source: Message, done: Translation, losses: Sequence[Loss]
) -> dict[str, object]:
    return {
        "source": path,
        "from": {"dialect": source.dialect, "type": source.type},
        "to": {"dialect": done.message.dialect, "type": done.message.type},
        "why": done.rule.why or None,
        "message": done.message.fields,
        "text": done.message.raw.decode(),
        "losses": [loss.to_json() for loss in losses],
        **({"warning": warning} if (warning := _too_large(done)) else {}),
    }


def _too_large(done: Translation) -> str | None:
    """What speaks against sending a translation: more bytes than its readers take."""
    size, room = len(done.message.raw), ROOM[str(done.message.dialect)]
    if size <= room:
        return None
    title = TITLES[str(done.message.dialect)]
    return f"it is {size:,} bytes long; a message of {title} that is sent has at most {room:,}"


def _show(console: Console, source: Message, done: Translation, losses: Sequence[Loss]) -> None:
    console.data(visible(done.message.raw.decode().rstrip("\n"), keep="\n"))
    why = f": {done.rule.why}" if done.rule.why else ""
    became = f"{TITLES[str(done.message.dialect)]}'s {done.message.type}"
    console.talk(f"\n{TITLES[str(source.dialect)]}'s {source.type} becomes {became}{why}")
    for loss in losses:
        label = console.paint("lost:", "yellow", sys.stderr)
        console.talk(f"{label} {visible(loss.path) or 'the whole'}: {visible(loss.sentence)}")
    if not losses:
        console.talk("nothing is lost")
    if warning := _too_large(done):
        console.talk(f"{console.paint('warning:', 'yellow', sys.stderr)} {warning}")
