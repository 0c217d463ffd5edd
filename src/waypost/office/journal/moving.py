"""A whole office on its way into a stream, or out of it: the stream is closed to all others then.

What moves in keeps its place: its events are published as they stand, in order, and each says
which place that is. So a repeat, or one that overtook another, counts for nothing; whoever was
interrupted looks how far the stream goes and goes on there.
"""

import asyncio
import socket
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import NamedTuple

from nats.js.api import StreamInfo
from nats.js.errors import APIError, NotFoundError

from waypost.errors import UnreadableError
from waypost.office.events import digest
from waypost.office.journal import settings
from waypost.office.journal.address import Address
from waypost.office.journal.jetstream import JetStreamJournal
from waypost.office.journal.link import Link
from waypost.office.journal.packing import Parcel
from waypost.office.journal.reading import identity_of

Moved = tuple[int, str, str | None, bytes | None]  # position, head, texts, message
_SECONDS = 60.0  # for one piece of the journal


class Standing(NamedTuple):
    """How a stream is found."""

    identity: str
    messages: int
    is_open: bool
    mover: str


def standing(address: Address, patience: float) -> Standing | None:
    """How the stream of an address stands; None when there is none. Changes nothing."""
    with closing(Link(address, patience)) as link:
        try:
            info = _look(link, patience)
        except NotFoundError:
            return None
        is_open = settings.is_open(link, info)
        return Standing(identity_of(info), info.state.last_seq, is_open, settings.mover_of(info))


def open_to_all(address: Address, patience: float) -> None:
    """Let nodes write again."""
    with closing(Link(address, patience)) as link:
        _change(link, _look(link, patience), None, patience)


def mover_at(home: str) -> str:
    """What a stream is closed with by whoever moves the office of a home."""
    return f"{socket.gethostname()}:{home}"


class MovingJournal(JetStreamJournal):
    """The journal for whoever moves an office: alone with it."""

    def shut(self) -> None:
        """Keep all others from writing, and have seen all that they wrote."""
        info = _look(self._link, self._patience)
        if settings.is_open(self._link, info):
            _change(self._link, info, self._mover, self._patience)
        # What was on its way stands before this word, which is no event, and nothing behind it.
        self._publish_moved([b"closed"])

    def put(self, rows: Sequence[Moved]) -> int:
        """Publish events as they stand; gives how far the journal goes now, which may be less."""
        deadline = time.monotonic() + _SECONDS
        self._publish_moved([self._link.do(self._parcel(row, deadline)) for row in rows])
        return self.last()

    def _publish_moved(self, packed: Iterable[bytes]) -> None:
        subject, deadline = self._link.address.moved, time.monotonic() + _SECONDS

        async def publish() -> list[int]:
            each = [
                self._link.publish(subject, data, str(uuid.uuid4()), deadline) for data in packed
            ]
            return await asyncio.gather(*each)

        self._catch_up(max(self._link.do(publish())))

    async def _parcel(self, row: Moved, deadline: float) -> bytes:
        position, head, texts, message = row
        parcel = Parcel((), head, texts, message, position=position)
        name = f"moved-{position}-{digest(head.encode())[:16]}"
        return await self._packed(parcel, name, deadline)


def _look(link: Link, patience: float) -> StreamInfo:
    deadline = time.monotonic() + patience
    stream = link.address.stream
    info: StreamInfo = link.do(link.patiently(lambda: link.js.stream_info(stream), deadline))
    return info


def _change(link: Link, info: StreamInfo, mover: str | None, patience: float) -> None:
    config = settings.opened_or_closed(link, info.config, mover)
    deadline = time.monotonic() + patience
    try:
        link.do(link.patiently(lambda: link.js.update_stream(config), deadline))
    except APIError as error:
        raise UnreadableError(
            f"the servers don't change the stream of {link.address}: {error.description}",
            hint="the user in its address must be allowed to update streams",
        ) from error
