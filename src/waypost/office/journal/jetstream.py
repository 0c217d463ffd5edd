"""The journal of many machines: a NATS JetStream stream, and on each node tables that follow it.

An event is one message. It says where its scopes stood when it was decided, and every node checks
that for itself when the message's turn comes: so of decisions that race the first in the stream
counts, on all nodes the same, and decisions that share no scope never meet. `append` answers when
the servers keep the message *and* the tables of this node have it.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nats.js.errors import NotFoundError

from waypost.errors import TimedOutError, TooLargeError, WaypostError
from waypost.office.apply import is_known
from waypost.office.database import Database
from waypost.office.events import Entry, Event, seal
from waypost.office.journal import Expected, Outcome, Proposal, objects, settings, snapshots
from waypost.office.journal.address import Address
from waypost.office.journal.cache import Cache, Taken
from waypost.office.journal.company import Company
from waypost.office.journal.company import identity_of as node_of
from waypost.office.journal.following import Follower
from waypost.office.journal.link import Link
from waypost.office.journal.local import LocalJournal
from waypost.office.journal.nodes import Nodes
from waypost.office.journal.packing import Parcel, pack, unpack
from waypost.office.journal.reading import Reader, identity_of

_BESIDES = 4096  # what the servers' own lines need of a message


class _Post(NamedTuple):
    """An event on its way to the servers, under an identity that makes it one however often."""

    identity: str
    entry: Entry  # still without its place
    parcel: Parcel


def _post(event: Event, expect: Expected) -> _Post:
    identity = str(uuid.uuid4())
    # Whatever expects nothing expects that it wasn't there before: repeats are stale, always.
    expected = expect or {f"once:{identity}": 0}
    entry = seal(event, tuple(expected), 0)
    parcel = Parcel(tuple(expected.values()), entry.head, entry.texts, event.message)
    return _Post(identity, entry, parcel)


class JetStreamJournal(LocalJournal):
    """The journal as one node has it; or as whoever moves an office has it, also while it is closed
    to all others: a `mover` says who that is."""

    def __init__(
        self,
        home: str,
        database: Database,
        address: Address,
        patience: float,
        mover: str | None = None,
        node: str | None = None,
    ) -> None:
        super().__init__(home, database)
        self._mover = mover
        self._patience = patience
        self._cache = Cache(database)
        self.warnings: Sequence[str] = ()
        self._link = Link(address, patience)
        self._follower: Follower | None = None
        self._identity = node_of(home, node)
        try:
            self._start(time.monotonic() + patience)
        except BaseException:
            self.close()
            raise

    def append(self, proposals: Sequence[Proposal], begun: Callable[[], None]) -> list[Outcome]:
        """Publish events together and wait for each. See `Journal`."""
        deadline = time.monotonic() + self._patience
        posts = [_post(*proposal) for proposal in proposals]
        for post in posts:
            self._reader.written[post.identity] = post.parcel, post.entry.event.fields
        begun()
        try:
            if self._reader.fault is not None:
                raise self._reader.fault
            published = self._link.do(self._publish_all(posts, deadline))
            return [self._shown(*each, deadline) for each in zip(posts, published, strict=True)]
        finally:
            for post in posts:
                self._reader.written.pop(post.identity, None)

    def _shown(self, post: _Post, published: int | BaseException, deadline: float) -> Outcome:
        """What became of an event: it counts when this node's tables have it, too."""
        try:
            if isinstance(published, BaseException):
                raise published
            if not self._following.wait_for(published, deadline):
                raise self._not_shown()
            return post.entry._replace(position=self._cache.position_of(published))
        except Exception as error:
            return error

    @property
    def is_stale(self) -> bool:
        """Whether others may have written what this node can't see."""
        return self._following.trouble is not None or self._reader.is_stale

    def erase(self, positions: Sequence[int]) -> None:
        """Put the bare head in the place of each event, then have the servers overwrite it.

        A snapshot from before may hold the contents, too: so it goes first.
        """
        self._link.do(objects.remove(self._link, snapshots.NAME))
        for position in positions:
            sequence = self._cache.sequence_of(position)
            self._link.do(self._erase(sequence, time.monotonic() + self._patience))
        self._database.forget_pages()

    def snapshot(self, after: int) -> snapshots.Snapshot | None:
        """Put a copy of the tables where new nodes begin; None if there were fewer events since
        the last than `after`."""
        return snapshots.take(self._link, self._database, self._replicas, after)

    def close(self) -> None:
        """Stop following, hang up, let everyone go who waits."""
        if self._follower is not None:
            self._follower.close()
        self._link.close()
        self._bell.close()

    @property
    def _following(self) -> Follower:
        assert self._follower is not None
        return self._follower

    def _start(self, deadline: float) -> None:
        info = self._link.do(settings.ensured(self._link, deadline, self._mover))
        self.warnings = settings.warnings(self._link, info)
        self._replicas = info.config.num_replicas or 1
        seen = self._cache.belong_to(identity_of(info))
        self._database.be_a_cache()
        moves = self._mover is not None
        self._reader = Reader(self._link, identity_of(info), seen, moves=moves)
        self._reader.hear(info.state.last_seq)
        self._follower = Follower(self._reader, self._cache, seen, self._grown)
        self.company: Company = Nodes(
            self._link, self._identity, self._replicas, lambda: self._following.applied
        )
        self._catch_up(info.state.last_seq)

    def _catch_up(self, sequence: int) -> None:
        """Wait as long as it goes on. Raises what keeps it from going on."""
        before = -1
        while not self._following.wait_for(sequence, time.monotonic() + self._patience):
            if self._following.applied == before:
                raise self._following.trouble or self._link.too_late()
            before = self._following.applied

    def _not_shown(self) -> WaypostError:
        trouble = self._following.trouble
        why = f": {trouble.details}" if trouble else ""
        return TimedOutError(
            f"it is in the journal, but this node doesn't see it yet{why}",
            hint="wait; or do it again, a letter under the same id",
            retryable=True,
        )

    async def _erase(self, sequence: int, deadline: float) -> None:
        link, stream = self._link, self._link.address.stream
        try:
            kept = await link.patiently(lambda: link.js.get_msg(stream, sequence), deadline)
        except NotFoundError:
            return  # it was done before
        parcel = unpack(kept.data)
        if parcel.kept_as is not None:
            await objects.remove(link, parcel.kept_as)
        bare, identity = pack(parcel.bare()), f"bare-{sequence}"
        await link.publish(link.address.bare(sequence), bare, identity, deadline)
        await link.patiently(lambda: link.js.delete_msg(stream, sequence), deadline)

    def _grown(self, taken: Taken) -> None:
        if taken.has_removed:
            self._database.forget_pages()
        self._bell.ring(taken.position)

    async def _publish_all(
        self, posts: Sequence[_Post], deadline: float
    ) -> list[int | BaseException]:
        each = (self._publish(post, deadline) for post in posts)
        return await asyncio.gather(*each, return_exceptions=True)

    async def _publish(self, post: _Post, deadline: float) -> int:
        if not is_known(post.entry.event.kind):  # it would stop every node
            raise KeyError(post.entry.event.kind)
        data = await self._packed(post.parcel, post.identity, deadline)
        return await self._link.publish(self._link.address.subject, data, post.identity, deadline)

    async def _packed(self, parcel: Parcel, name: str, deadline: float) -> bytes:
        """What travels of a parcel, once a content that is too large for that is kept by a name."""
        message = parcel.message
        if message is not None and len(message) > objects.LARGEST_INLINE:

            async def keep() -> None:
                await objects.keep(self._link, name, message, self._replicas)

            await self._link.patiently(keep, deadline)
            parcel = parcel._replace(message=None, kept_as=name)
        data = pack(parcel)
        if len(data) > self._link.client.max_payload - _BESIDES:
            raise TooLargeError("the event is longer than the journal's servers take")
        return data
