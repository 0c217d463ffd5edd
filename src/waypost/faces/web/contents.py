"""What a letter says, as pages take it: without its envelope, in bounds, in its own words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from waypost.dialects import dialect
from waypost.errors import visible
from waypost.faces.web.attached import Found, hashes_in
from waypost.faces.web.markdown import MOST_CHARACTERS
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.views import Letter

_MOST_RAW = 200_000
# What stands in the envelope and is shown above the message already.
_ENVELOPE = frozenset(
    (
        *("id", "from", "to", "type", "priority", "created_at_utc", "subject", "channel"),
        *("conversation_id", "parent_message_id", "v", "ts", "kind", "ref"),
        *("version", "timestamp", "sender_id", "message_id", "priority_value"),
    )
)


class Raw(NamedTuple):
    """The bytes of a message as text, with what can't be seen written out."""

    text: str
    size: int
    is_cut: bool


def contents(letters: Sequence[Letter]) -> dict[str, Any]:
    """What each letter says, without its envelope."""
    return {one.header.id: content(one) for one in letters}


def attached(office: Office, caller: Caller, said: Any) -> Found:
    """The attachments that letters name."""
    hashes = hashes_in(said, MOST_CHARACTERS)
    kept = office.attachments_kept(caller, hashes) if hashes else {}
    return {one: kept.get(one) for one in hashes}


def content(letter: Letter) -> Any:
    """What a letter says, without its envelope."""
    return _without_options(_inside(letter.fields, letter.text), letter.options)


def content_of(dialect_name: str, message: bytes) -> Any:
    """What a message of a dialect says, without its envelope."""
    fields = dialect(dialect_name).read(message).fields
    return _inside(fields or {}, message.decode("utf-8", "replace"))


def in_words(said: Any) -> str:
    """The texts of a value, one after the other."""
    if isinstance(said, Mapping):
        said = list(said.values())
    if isinstance(said, list):
        return " · ".join(filter(None, map(in_words, said)))
    return said if isinstance(said, str) else ""


def raw(message: bytes | None) -> Raw:
    """A message byte by byte: bytes that are no text, and characters that don't show, are named."""
    data = message or b""
    text = data[:_MOST_RAW].decode("utf-8", "backslashreplace")
    return Raw(visible(text, keep="\n"), len(data), len(data) > _MOST_RAW)


def _inside(fields: Mapping[str, Any], text: str) -> Any:
    if not fields:
        return text
    for name in ("body", "payload"):
        if name in fields:
            return fields[name]
    return {key: found for key, found in fields.items() if key not in _ENVELOPE}


def _without_options(said: Any, options: tuple[str, ...]) -> Any:
    """What a question says before its options, which have buttons."""
    if not isinstance(said, str) or not options:
        return said
    return said.rstrip("\n").removesuffix("\n".join(f"- {one}" for one in options)).rstrip("\n")
