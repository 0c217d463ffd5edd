"""The key-value bucket beside the stream in which the nodes of an office keep what is of now."""

import asyncio
import json
import time
from datetime import datetime
from typing import Any, NamedTuple

from nats.js.api import KeyValueConfig, StorageType
from nats.js.errors import APIError, NotFoundError

from waypost.office.events import Json
from waypost.office.journal.link import Link

_WRONG_LAST = (10071, 10164)
_WHAT = "the nodes of a waypost office"


class Row(NamedTuple):
    """A value, and when this process first saw it, by its own clock."""

    revision: int
    value: Json
    seen_at: float
    written_at: datetime | None = None  # by the servers' clock


class Bucket:
    """The rows as last seen. All of it runs in the link's event loop, but reading `rows`."""

    def __init__(self, link: Link, replicas: int) -> None:
        self.rows: dict[str, Row] = {}
        self.looked_at = float("-inf")
        self._link = link
        self._name = f"{link.address.stream}-nodes"
        self._replicas = replicas
        self._prefix = f"$KV.{self._name}."

    async def look(self) -> None:
        """See every row. Raises what the servers answer, or that they don't."""
        begun = time.monotonic()
        js, stream = self._link.js, f"KV_{self._name}"
        try:
            info = await js.stream_info(stream, subjects_filter=f"{self._prefix}>")
        except NotFoundError:
            await js.create_key_value(
                KeyValueConfig(self._name, _WHAT, storage=StorageType.FILE, replicas=self._replicas)
            )
            info = await js.stream_info(stream, subjects_filter=f"{self._prefix}>")
        found = await asyncio.gather(
            *(js.get_last_msg(stream, subject) for subject in info.state.subjects or ())
        )
        for message in found:
            key, revision = str(message.subject).removeprefix(self._prefix), message.seq or 0
            known = self.rows.get(key)
            if known is None or known.revision < revision:
                value = _value(message.data)
                self.rows[key] = Row(revision, value, time.monotonic(), message.time)
        self.looked_at = begun

    async def put(self, key: str, value: Json) -> None:
        """Write a row, whatever it was."""
        await self._link.js.publish(self._prefix + key, json.dumps(value).encode())

    async def replace(self, key: str, value: Json) -> bool:
        """Write a row if it is still what we saw; tells whether it was."""
        row = self.rows.get(key)
        expected = {"Nats-Expected-Last-Subject-Sequence": str(row.revision if row else 0)}
        try:
            ack = await self._link.js.publish(
                self._prefix + key, json.dumps(value).encode(), headers=expected
            )
        except APIError as error:
            if error.err_code not in _WRONG_LAST:
                raise
            return False
        self.rows[key] = Row(ack.seq, value, time.monotonic())
        return True


def _value(data: bytes | None) -> Json:
    try:
        found: Any = json.loads(data or b"")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
