"""One ACP message between bytes and fields, as it travels between two known peers. Pure.

`read` parses once and checks once. What is wrong is a Fault: its code is the answer that a peer
gets for it, where an answer is possible at all. `write` refuses what the peer would refuse.
"""

from typing import Any, NamedTuple

from waypost.dialects import dialect, json_text
from waypost.dialects.acp.rules import VERSION
from waypost.dialects.acp.types import TYPES
from waypost.dialects.checks import is_whole
from waypost.dialects.message import Blanks, Fields, Message
from waypost.dialects.secrets import find_secrets, suspicious
from waypost.dialects.text import MAX_DEPTH, brackets, finish, too_large
from waypost.dialects.tree import is_deep
from waypost.errors import SecretDetectedError, TooLargeError, quoted

MAX_BYTES = 64 * 1024
NOBODYS_ID = "00000000-0000-0000-0000-000000000000"  # the ref of an answer to a message without id
_PREFIX = "ed25519."
_LONGEST_SENTENCE = 300


class Stamp(NamedTuple):
    """What the world gives to a new message: a fresh UUID, and the time in milliseconds."""

    id: str
    ts: int


class Fault(NamedTuple):
    """Why a message is not taken. `ref` is its id; None when it can't be answered at all."""

    code: str
    message: str
    ref: str | None = None


class Ends:
    """The two ends of a connection: us and the peer, whose key is proven."""

    def __init__(self, me: str, peer: str) -> None:
        self.me, self.peer = me, peer
        self._us = frozenset({me, me.removeprefix(_PREFIX)})
        self._them = frozenset({peer, peer.removeprefix(_PREFIX)})
        self._acp = dialect("acp")

    def read(self, data: bytes) -> Fields | Fault:
        """Read a message from the peer to us, or say why it isn't one."""
        if len(data) > MAX_BYTES:
            return Fault("too_large", too_large(len(data), MAX_BYTES).message)
        message = self._acp.read(data)
        fields = message.fields
        if fields is None:
            return Fault("invalid_envelope", _first_sentence(message))
        if (
            fields.get("from") not in self._them
            or fields.get("to") not in self._us
            or message.problems
        ):
            return self._judge(message, fields)
        return fields

    def _judge(self, message: Message, fields: Fields) -> Fields | Fault:
        wrong = {problem.path for problem in message.problems if problem.is_error}
        ref = NOBODYS_ID if "id" in wrong else fields["id"]
        if "from" not in wrong and fields["from"] not in self._them:
            return Fault("not_authorized", "from is not the key that this connection proved", ref)
        if "to" not in wrong and fields["to"] not in self._us:
            return Fault("not_authorized", "to is another agent than the one reached here", ref)
        version = fields.get("v")
        if is_whole(version) and version > VERSION:
            return Fault("incompatible_version", f"only version {VERSION} is spoken here", ref)
        if isinstance(kind := fields.get("kind"), str) and kind.strip() and kind not in TYPES:
            return Fault("unknown_kind", f"there is no kind {quoted(kind)}", ref)
        if wrong:
            return Fault("invalid_envelope", _first_sentence(message), ref)
        return fields

    def write(
        self, kind: str, payload: Fields, ref: str | None, stamp: Stamp, allow_secrets: bool = True
    ) -> bytes:
        """Write a message to the peer.

        Raises InvalidMessageError, SecretDetectedError or TooLargeError with every problem.
        """
        fields: Fields = {
            "v": VERSION,
            "id": stamp.id,
            "from": self.me,
            "to": self.peer,
            "ts": stamp.ts,
            "kind": kind,
            "ref": ref,
            "payload": payload,
        }
        text, data = self._written(fields)
        if not allow_secrets and _is_suspicious(text):
            _refuse_secrets(payload)
        if len(data) > MAX_BYTES:
            problem = finish([too_large(len(data), MAX_BYTES)], None)[0]
            raise TooLargeError(problem.message, hint=problem.hint, problems=[problem])
        return data

    def _written(self, fields: Fields) -> tuple[str, bytes]:
        try:
            text = json_text.write(fields)
            data = text.encode()
            sound = not (brackets(text) > MAX_DEPTH and is_deep(fields))
        except (TypeError, ValueError, RecursionError):
            sound = False
        if not sound or any(problem.is_error for problem in self._acp.findings(fields)):
            blanks = Blanks(now="", milliseconds=fields["ts"], uuid=fields["id"], rand="")
            text = json_text.write(self._acp.draw_up(fields, blanks, None))  # raises, explaining
            data = text.encode()
        return text, data


def _first_sentence(message: Message) -> str:
    errors = [problem for problem in message.problems if problem.is_error]
    text = errors[0].message if errors else "the message is not one"
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return text[:_LONGEST_SENTENCE] + more


def _is_suspicious(text: str) -> bool:
    """Whether the payload, which stands last, may hold a secret; a name of ours looks like one."""
    _, _, payload = text.partition('"payload":')
    return suspicious(payload.replace('"max_tokens":', ""))


def _refuse_secrets(payload: dict[str, Any]) -> None:
    secrets = list(find_secrets(payload, ("payload",)))
    if secrets:
        problems = finish([secret.problem() for secret in secrets], None)
        raise SecretDetectedError(problems[0].message, hint=problems[0].hint, problems=problems)
