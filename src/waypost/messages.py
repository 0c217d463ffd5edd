"""Messages of all dialects for Python users: parse, check, compose.

The dialects are pure; this is where the clock and chance come in.
"""

import secrets
import string
import time
import uuid
from collections.abc import Mapping
from typing import Any

from waypost.dialects import DIALECTS, dialect
from waypost.dialects.detect import detect, read
from waypost.dialects.message import Blanks, Message
from waypost.dialects.secrets import find_secrets
from waypost.errors import Problem, SecretDetectedError, UnknownTypeError, UsageError, quoted
from waypost.letters.names import did_you_mean

__all__ = ["Message", "check", "compose", "parse"]

_RAND = string.ascii_lowercase + string.digits


def parse(
    data: bytes | bytearray | memoryview | str,
    dialect: str | None = None,
    *,
    name: str | None = None,
) -> Message:
    """Read one message. What is wrong with it is in its `problems`; nothing is raised for that.

    `dialect` is oacp, acp or agentmail; left out, it is told from the message. `name` is the name
    of the file that the bytes came from, if that should be checked too.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise UsageError(f"a message is bytes or text, not a {type(data).__name__}")
    return read(bytes(data), dialect, file_name=name)


def check(
    fields: Mapping[str, Any], dialect: str | None = None, *, sending: bool = False
) -> list[Problem]:
    """List every problem of a message given as Python values; an empty list means a good message.

    `sending` applies the stricter rules of a message that is about to leave.
    """
    if dialect is None:
        dialect = detect(fields) if isinstance(fields, Mapping) else "oacp"
    return list(_dialect(dialect).check(fields, sending=sending))


def compose(
    type_name: str,
    fields: Mapping[str, Any],
    *,
    dialect: str | None = None,
    answering: Message | Mapping[str, Any] | None = None,
    allow_secrets: bool = False,
) -> Message:
    """Build a new message of any type: fill in what was left out, check, write, read it again.

    `answering` is the message that this one answers, or its fields. The bytes to send are in
    `raw`. Raises InvalidMessageError, UnknownTypeError or SecretDetectedError with every problem.
    """
    chosen = _dialect(_dialect_of(type_name) if dialect is None else dialect)
    parent = answering.fields if isinstance(answering, Message) else answering
    for value, what in ((fields, "the fields"), (parent or {}, "the message that is answered")):
        if not isinstance(value, Mapping):
            raise UsageError(f"{what} must be a mapping, not a {type(value).__name__}")
    given = {**fields, chosen.type_field: type_name}
    return chosen.compose(
        given,
        new_blanks(),
        answering=dict(parent) if parent is not None else None,
        allow_secrets=allow_secrets,
    )


def new_blanks() -> Blanks:
    """Ask the world for the time and for fresh identity."""
    now = time.time_ns() // 1_000_000
    return Blanks(
        now=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now // 1000)),
        milliseconds=now,
        uuid=str(uuid.uuid4()),
        rand="".join(secrets.choice(_RAND) for _ in range(4)),
    )


_dialect = dialect


def _dialect_of(type_name: str) -> str:
    if not isinstance(type_name, str):
        raise UsageError(f"a message type is text, not a {type(type_name).__name__}")
    for name in DIALECTS:
        if type_name in dialect(name).types:
            return name
    if any(find_secrets(type_name)):
        raise SecretDetectedError("the type seems to hold a secret")
    known = [known for name in DIALECTS for known in dialect(name).types]
    raise UnknownTypeError(
        f"no dialect has a message type {quoted(type_name)}", hint=did_you_mean(type_name, known)
    )
