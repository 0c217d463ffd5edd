"""A node among others: says that it is there, sees who is, and takes its turn at the lease.

Each node writes its row every two seconds and looks at all rows twice a second. A row that stood
still for the lease, while we looked, is a node that is gone; whoever holds the lease, one at most,
carries for it. A node's own word counts for less time than others wait, counted from before it was
sent: one that was stopped, or cut off, has ceased to carry when another begins. And one that comes
back waits until the holder of the lease must have seen it.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from waypost.errors import ConflictError, UnreachableError, WaypostError
from waypost.office.events import Json
from waypost.office.journal.bucket import Bucket, Row
from waypost.office.journal.company import Identity, Node, Server, Standing
from waypost.office.journal.link import Link

LEASE_SECONDS = 10.0  # without a sign after which a node counts as gone
_OWN_SECONDS = 7.0  # that a node relies on its own last sign: less, for whatever is under way
_RENEW_SECONDS = 2.0
_LOOK_SECONDS = 0.5
_FRESH_SECONDS = 2.0  # how old what is seen of others may be, to carry for them
_SETTLE_SECONDS = 3.0  # until whoever carried for us must have seen that we are back
_ATTEMPT_SECONDS = 3.0
_LEASE, _CLOCK, _NODE = "lease", "clock", "node."
_NEVER = float("-inf")


class Nodes:
    """The company of a node whose journal is a stream."""

    def __init__(
        self, link: Link, identity: Identity, replicas: int, applied: Callable[[], int]
    ) -> None:
        self.me: str = identity.name
        self._link, self._id = link, identity.id
        self._bucket = Bucket(link, replicas)
        self._applied = applied
        self._since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._task: asyncio.Task[None] | None = None
        self._renewed_at = _NEVER  # the moment before the last sign that the servers confirmed
        self._settled_at = _NEVER
        self._held_at = _NEVER  # the same of the lease
        self._told: object = None

    # -- what anyone may ask, from any thread --------------------------------------------------

    def carries(self, node: str | None) -> bool:
        """Whether this node may carry to those who live at a node, at this very moment."""
        now = time.monotonic()
        holds = now - self._held_at < _OWN_SECONDS
        if node == self.me:
            is_there = now - self._renewed_at < _OWN_SECONDS and not self._is_doubled()
            return is_there and (holds or now >= self._settled_at)
        if not holds or now - self._bucket.looked_at > _FRESH_SECONDS:
            return False
        return node is None or not self._is_there(node, now)

    def shares_folders(self, node: str | None) -> bool:
        """Whether the folders of a node are the same files as ours."""
        if node is None or node == self.me:
            return node is not None
        ours, theirs = (self._bucket.rows.get(_NODE + one) for one in (self.me, node))
        tree = theirs.value.get("tree") if theirs else None
        return ours is not None and tree is not None and tree == ours.value.get("tree")

    def standing(self) -> Standing:
        """Who is there, and how far. Raises UnreachableError when the servers don't say."""
        try:
            return self._link.do(asyncio.wait_for(self._standing(), 2 * _ATTEMPT_SECONDS))
        except WaypostError:
            raise
        except Exception as error:
            raise UnreachableError(
                "the journal's servers don't say who is there",
                hint="are enough of them up?",
                retryable=True,
            ) from error

    # -- being there ---------------------------------------------------------------------------

    def join(self, about: Callable[[], Json], changed: Callable[[], None]) -> None:
        """Be there, and tell of changes. Raises ConflictError, UnreachableError."""
        self._about, self._changed = about, changed
        for other in self.standing().nodes:
            row = self._bucket.rows[_NODE + other.name]
            if other.name == self.me and other.is_there and row.value.get("id") != self._id:
                raise ConflictError(
                    f"a node called {self.me} is there already, at {other.url}",
                    hint="serve this one with --node and another name",
                )
        self._task = self._link.do(self._begin())

    def leave(self) -> None:
        """Be there no more. Where the servers can't be told, others wait for the lease."""
        if self._task is None:
            return
        held = time.monotonic() - self._held_at < _OWN_SECONDS
        self._link.loop.call_soon_threadsafe(self._task.cancel)
        self._held_at = self._renewed_at = _NEVER
        with suppress(Exception):
            self._link.do(asyncio.wait_for(self._say_goodbye(held=held), _ATTEMPT_SECONDS))

    async def _begin(self) -> "asyncio.Task[None]":
        return asyncio.create_task(self._run())

    async def _say_goodbye(self, *, held: bool) -> None:
        await self._bucket.put(_NODE + self.me, {**self._row(), "left": True})
        if held:
            await self._bucket.replace(_LEASE, {})

    async def _run(self) -> None:
        while True:
            with suppress(Exception):  # servers that don't answer; what we relied on runs out
                await asyncio.wait_for(self._turn(), _ATTEMPT_SECONDS)
            self._tell()
            await asyncio.sleep(_LOOK_SECONDS)

    async def _turn(self) -> None:
        if time.monotonic() - self._renewed_at >= _RENEW_SECONDS:
            begun = time.monotonic()
            await self._bucket.put(_NODE + self.me, self._row())
            if begun - self._renewed_at > _OWN_SECONDS:
                self._settled_at = time.monotonic() + _SETTLE_SECONDS
            self._renewed_at = begun
        await self._bucket.look()
        await self._keep_lease()

    async def _keep_lease(self) -> None:
        """Take the lease if it is free or ran out, and hold it on if it is ours."""
        row, begun = self._bucket.rows.get(_LEASE), time.monotonic()
        holder = row.value.get("id") if row else None
        if holder == self._id and begun - self._held_at < _RENEW_SECONDS:
            return
        is_over = row is not None and begun - row.seen_at > LEASE_SECONDS
        if holder not in (None, self._id) and not is_over:
            self._held_at = _NEVER
            return
        is_ours = await self._bucket.replace(_LEASE, {"id": self._id, "node": self.me})
        self._held_at = begun if is_ours else _NEVER

    def _row(self) -> Json:
        mine = {"id": self._id, "since": self._since, "applied": self._applied()}
        return {**mine, **self._about()}

    def _tell(self) -> None:
        """Tell when somebody came or went, or the lease did."""
        now, rows = time.monotonic(), self._bucket.rows
        there = {key for key in rows if key.startswith(_NODE) and self._is_there(key[5:], now)}
        duties = self.carries(self.me), self.carries(None), frozenset(there)
        if duties != self._told:
            self._told = duties
            self._changed()

    # -- seeing --------------------------------------------------------------------------------

    def _is_there(self, node: str, now: float) -> bool:
        row = self._bucket.rows.get(_NODE + node)
        return row is not None and not row.value.get("left") and now - row.seen_at <= LEASE_SECONDS

    def _is_doubled(self) -> bool:
        row = self._bucket.rows.get(_NODE + self.me)
        return row is not None and row.value.get("id") != self._id

    async def _standing(self) -> Standing:
        bucket, js = self._bucket, self._link.js
        if self._task is None:  # nothing is known yet: ages are told by the servers' clock
            await bucket.look()
            await bucket.put(_CLOCK, {})
            await bucket.look()
        info = await js.stream_info(self._link.address.stream)
        rows = {key: row for key, row in sorted(bucket.rows.items()) if key.startswith(_NODE)}
        lease = bucket.rows.get(_LEASE)
        holder = lease.value.get("node") if lease else None
        nodes = [
            self._node(key.removeprefix(_NODE), row, holder, info.state.last_seq)
            for key, row in rows.items()
        ]
        servers, cluster = [], info.cluster
        if cluster is not None and cluster.leader:
            servers = [Server(cluster.leader, leads=True, is_current=True, lag=0)]
        for one in (cluster.replicas or []) if cluster else []:
            current = bool(one.current) and not one.offline
            servers.append(Server(str(one.name), leads=False, is_current=current, lag=one.lag or 0))
        return Standing(self.me, tuple(nodes), tuple(servers))

    def _node(self, name: str, row: Row, holder: str | None, last: int) -> Node:
        value, age = row.value, self._age(row)
        is_there = age <= LEASE_SECONDS and not value.get("left")
        applied = self._applied() if name == self.me else value.get("applied")
        lag = max(0, last - applied) if isinstance(applied, int) else last
        told = [value.get(key) for key in ("url", "version", "since")]
        url, version, since = (one if isinstance(one, str) else None for one in told)
        online = tuple(str(one) for one in value.get("online") or ()) if is_there else ()
        return Node(name, url, version, since, is_there, age, lag,
                    is_there and name == holder, online)  # fmt: skip

    def _age(self, row: Row) -> float:
        clock = self._bucket.rows.get(_CLOCK)
        if self._task is None and clock and clock.written_at and row.written_at:
            return max(0.0, (clock.written_at - row.written_at).total_seconds())
        return time.monotonic() - row.seen_at
