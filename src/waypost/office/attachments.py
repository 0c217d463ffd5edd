"""Attachments: bytes known by their hash, at most 8 MiB each, for everybody in the project."""

import base64
import binascii
import json
import re
from collections.abc import Iterable
from typing import NamedTuple

from waypost.dialects.secrets import find_secrets
from waypost.errors import NotFoundError, SecretDetectedError, TooLargeError, UsageError, quoted
from waypost.office import members
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import LONGEST_LINE, one_line
from waypost.office.deciding import Desk, event_of
from waypost.office.events import Event, Json, digest
from waypost.office.tables import Tables
from waypost.office.views import filled

LARGEST = 8 * 1024 * 1024
SCHEME = "artifact://sha256-"
_ONE = "SELECT sha256, name, media_type, size FROM attachments WHERE project = ? AND sha256 = ?"
_SEVERAL = (
    "SELECT sha256, name, media_type, size FROM attachments WHERE project = ?"
    " AND sha256 IN (SELECT value FROM json_each(?))"
)
_BYTES = (
    "SELECT message FROM attachments JOIN contents USING (position)"
    " WHERE project = ? AND sha256 = ?"
)
_HASH = re.compile("[0-9a-f]{64}")
_MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+", re.IGNORECASE)


class Attachment(NamedTuple):
    """What is kept: `data` only where it was asked for."""

    uri: str
    name: str
    media_type: str
    size: int
    data: bytes | None = None

    def to_json(self) -> Json:
        """As JSON, where bytes are base64."""
        data = None if self.data is None else base64.b64encode(self.data).decode()
        return filled({**self._asdict(), "size": self.size, "data": data})


def attach(
    desk: Desk,
    caller: Caller,
    name: str,
    data: str | bytes,
    media_type: str = "application/octet-stream",
    allow_secrets: bool = False,
) -> Attachment:
    """Keep a file's bytes (as text: base64); the same bytes are kept once.

    Raises TooLargeError, SecretDetectedError.
    """
    checked_caller(caller)
    one_line(name, "the name of an attachment")
    if not _MEDIA_TYPE.fullmatch(media_type) or len(media_type) > 100:
        raise UsageError(f"{quoted(media_type)} is no media type", hint="like text/plain")
    content = _content(name, data)
    if not allow_secrets:
        _check_secrets(name, content)
    sha256, now = digest(content), desk.world.now()

    def decision(tables: Tables) -> Event | Attachment:
        members.of_caller(tables, caller)
        if row := tables.one(_ONE, caller.project, sha256):
            return Attachment(SCHEME + row[0], row[1], row[2], row[3])
        facts = {"sha256": sha256, "media_type": media_type, "size": len(content)}
        event = event_of(caller, "attachment.stored", now, facts, {"name": name})
        return event._replace(message=content)

    kept = Attachment(SCHEME + sha256, name, media_type, len(content))
    return desk.decide([f"attachment:{caller.project}/{sha256}"], decision, lambda _: kept)


def attachment(desk: Desk, caller: Caller, uri: str) -> Attachment:
    """An attachment with its bytes. Raises NotFoundError."""
    checked_caller(caller)
    sha256 = hash_in(uri)
    with desk.database.reading() as tables:
        members.of_caller(tables, caller)
        row = tables.one(_ONE, caller.project, sha256)
        content = tables.value(_BYTES, caller.project, sha256)
    if row is None or content is None:
        raise NotFoundError(f"{caller.project} keeps no {quoted(uri, 100)}")
    return Attachment(SCHEME + row[0], row[1], row[2], row[3], content)


def kept(desk: Desk, caller: Caller, hashes: Iterable[str]) -> dict[str, Attachment]:
    """Those attachments of some hashes that the project keeps, without their bytes."""
    checked_caller(caller)
    wanted = json.dumps(list(hashes))
    with desk.database.reading() as tables:
        members.of_caller(tables, caller)
        rows = tables.all(_SEVERAL, caller.project, wanted)
    return {row[0]: Attachment(SCHEME + row[0], row[1], row[2], row[3]) for row in rows}


def hash_in(uri: str) -> str:
    """The hash that an address of an attachment holds. Raises UsageError."""
    sha256 = uri.removeprefix(SCHEME)
    if not _HASH.fullmatch(sha256):
        raise UsageError(f"{quoted(uri)} is no address of an attachment", hint=f"{SCHEME}…")
    return sha256


def _check_secrets(name: str, content: bytes) -> None:
    if any(find_secrets(name)):
        what = "the name of an attachment"  # which isn't repeated
    elif any(find_secrets(content.decode("utf-8", "replace"))):
        what = quoted(name, LONGEST_LINE)
    else:
        return
    raise SecretDetectedError(
        f"{what} seems to hold a key, token or password",
        hint="take it out, or allow secrets for this one",
    )


def _content(name: str, data: str | bytes) -> bytes:
    what = quoted(name, LONGEST_LINE)
    too_large = TooLargeError(f"{what} is larger than an attachment may be: {LARGEST >> 20} MiB")
    if len(data) > (LARGEST if isinstance(data, bytes) else LARGEST * 4 // 3 + 4):
        raise too_large
    if isinstance(data, bytes):
        return data
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"{what} isn't base64") from error
    if len(content) > LARGEST:
        raise too_large
    return content
