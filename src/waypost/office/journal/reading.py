"""Reads the stream: fetches what comes next, in order and without holes, and hands it on.

Messages are pulled, so that the servers never send more than this node can hold. A look at the
stream, once a second, tells whether the line lives, how far the stream goes, and whether what
should come has stopped coming: then the reader is made anew where it stood.
"""

import asyncio
import json
import queue
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import nats.errors
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, StreamInfo
from nats.js.errors import Error as StreamError
from nats.js.errors import NotFoundError

from waypost.errors import UnreadableError, WaypostError
from waypost.office.journal import objects, settings
from waypost.office.journal.cache import Message
from waypost.office.journal.link import ATTEMPT_SECONDS, Link
from waypost.office.journal.packing import FaultyError, Parcel, unpack

_BATCH = 256
_MOST_WAITING = 1024
_MOST_BYTES = 16 << 20
_PULL_SECONDS = 30
_LOOK_SECONDS = 1.0
_STALE_SECONDS = 4.0
_SILENT_NANOSECONDS = 3_000_000_000  # servers hear each other every second
_FORGET_SECONDS = 60.0
_PAUSE_SECONDS = 0.2
_PASSING = (StreamError, nats.errors.Error, OSError)


class Reader:
    """Lives in the link's event loop; what it reads goes to `arrived`, for another thread."""

    def __init__(self, link: Link, identity: str, after: int, *, moves: bool = False) -> None:
        self.arrived: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self.fault: WaypostError | None = None  # why it doesn't read any more
        self.newest = 0  # the stream's last message, as far as we heard
        # What this process published and waits for, with its fields: by the message's identity.
        self.written: dict[str, tuple[Parcel, Mapping[str, Any] | None]] = {}
        self._heard_at = 0.0
        self._link = link
        self._identity = identity
        self._moves = moves  # whether it follows a journal that is closed, too
        self._received = after
        self._asked = 0  # messages that were asked for and didn't come yet
        self._delivered = 0  # by the consumer that we have now
        self._pulls_from = self._inbox = ""
        self._stumbled = asyncio.Event()
        self._task = asyncio.run_coroutine_threadsafe(self._follow(), link.loop)

    @property
    def is_stale(self) -> bool:
        """Whether there may be news that can't be seen from here."""
        return self.fault is not None or time.monotonic() - self._heard_at > _STALE_SECONDS

    def hear(self, newest: int) -> None:
        """The servers spoke: that is how far the stream goes."""
        self._heard_at = time.monotonic()
        self.newest = max(self.newest, newest)

    def make_room(self) -> None:
        """What had arrived was taken: have more come, if we stopped asking. For another thread."""
        if self._asked <= _BATCH // 2 and not self._task.done():
            asyncio.run_coroutine_threadsafe(self._pull(), self._link.loop)

    def close(self) -> None:
        """Stop reading."""
        self._task.cancel()
        self.arrived.put(None)

    async def _follow(self) -> None:
        while self.fault is None:
            try:
                await self._read_on()
            except _PASSING:
                pass
            except WaypostError as error:
                self.fault = error
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _read_on(self) -> None:
        """Read from where we stand until something is amiss."""
        self._stumbled.clear()
        self._asked = self._delivered = 0
        self._pulls_from = ""
        self._inbox = self._link.client.new_inbox()
        subscription = await self._link.client.subscribe(self._inbox, cb=self._receive)
        try:
            made = await self._link.js.add_consumer(
                self._link.address.stream,
                ConsumerConfig(
                    deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
                    opt_start_seq=self._received + 1,
                    ack_policy=AckPolicy.NONE,
                    num_replicas=1,
                    mem_storage=True,
                    inactive_threshold=_FORGET_SECONDS,
                ),
            )
            stream = self._link.address.stream
            self._pulls_from = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{made.name}"
            await self._until_amiss()
        finally:
            with suppress(nats.errors.Error):
                await subscription.unsubscribe()

    async def _until_amiss(self) -> None:
        while not self._stumbled.is_set():
            await self._pull()
            before = self._received
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stumbled.wait(), _LOOK_SECONDS)
            is_behind = before < self.newest  # as it was before this look
            await self._look()
            if is_behind and self._received == before and not self.arrived.qsize():
                return  # there is more, and it doesn't come

    async def _pull(self) -> None:
        wanted = {"batch": _BATCH, "max_bytes": _MOST_BYTES, "expires": _PULL_SECONDS * 10**9}
        while (
            self._pulls_from and self._asked <= _BATCH // 2 and self.arrived.qsize() < _MOST_WAITING
        ):
            self._asked += _BATCH
            request = json.dumps(wanted).encode()
            await self._link.client.publish(self._pulls_from, request, reply=self._inbox)

    async def _look(self) -> None:
        stream = self._link.address.stream
        try:
            info = await asyncio.wait_for(self._link.js.stream_info(stream), ATTEMPT_SECONDS)
        except NotFoundError as error:
            raise UnreadableError("the journal was deleted from its servers") from error
        if identity_of(info) != self._identity:
            raise UnreadableError("the journal was deleted from its servers, and made anew")
        if not self._moves:
            settings.check_open(self._link, info)
        if _has_quorum(info):
            self.hear(info.state.last_seq)

    async def _receive(self, message: Msg) -> None:
        if self._stumbled.is_set():
            return
        try:
            if message.reply:
                await self._arrive(message)
            else:
                self._told(dict(message.headers or {}))
            await self._pull()
        except _PASSING:
            self._stumbled.set()
        except WaypostError as error:
            self.fault = error
            self._stumbled.set()

    def _told(self, headers: dict[str, str]) -> None:
        """The server says that a request is at its end, or that it has no reader for us."""
        status, why = headers.get("Status", ""), headers.get("Description", "").lower()
        if status == "408" or "batch completed" in why or "maxbytes" in why:
            self._asked -= int(headers.get("Nats-Pending-Messages", _BATCH))
        else:
            self._stumbled.set()

    async def _arrive(self, message: Msg) -> None:
        # $JS.ACK.….stream sequence.consumer sequence.time.pending, and more in front or behind
        tokens = message.reply.split(".")
        in_stream, in_reader = map(int, tokens[5:7] if len(tokens) == 9 else tokens[7:9])
        self._asked -= 1
        self._delivered += 1
        if in_reader != self._delivered:  # one was lost on the way
            self._stumbled.set()
            return
        while self._received + 1 < in_stream:
            await self._hand_on(self._received + 1, await self._bare(self._received + 1))
        address = self._link.address
        is_event = message.subject in (address.subject, address.moved)
        identity = (message.headers or {}).get("Nats-Msg-Id", "")
        await self._hand_on(in_stream, message.data if is_event else None, identity)
        self.hear(in_stream)

    async def _hand_on(self, sequence: int, data: bytes | None, identity: str = "") -> None:
        """Give one message to whoever applies it, with its content if that is kept elsewhere."""
        if data is None:
            self.arrived.put(Message(sequence, None, "a head without its content"))
        else:
            try:
                parcel = unpack(data)
            except FaultyError as error:
                self.arrived.put(Message(sequence, None, str(error)))
            else:
                if parcel.kept_as is not None:
                    content = await objects.fetch(self._link, parcel.kept_as)
                    parcel = parcel._replace(message=content)
                ours, fields = self.written.pop(identity, (None, None))
                known = fields if ours == parcel else None
                self.arrived.put(Message(sequence, parcel, fields=known))
        self._received = sequence

    async def _bare(self, sequence: int) -> bytes:
        """What is left of a message whose content was removed for good."""
        address = self._link.address
        try:
            kept = await self._link.js.get_last_msg(address.stream, address.bare(sequence))
        except NotFoundError as error:
            raise UnreadableError(
                f"message {sequence} of the journal is gone from its servers",
                hint="somebody deleted it; a node that saw it can be migrated to a new journal",
            ) from error
        return bytes(kept.data or b"")


def _has_quorum(info: StreamInfo) -> bool:
    """Whether enough servers keep up; a leader that lost the others answers for a while yet."""
    others = (info.cluster.replicas if info.cluster else None) or []
    alive = sum((one.active or 0) < _SILENT_NANOSECONDS for one in others)
    return 2 * (alive + 1) > len(others) + 1


def identity_of(info: StreamInfo) -> str:
    """What tells a stream from another of the same name, made later."""
    return f"{info.config.name} {info.created.isoformat() if info.created else ''}"
