"""A copy of a node's tables in the servers' object store: there a new node begins, and follows on.

There is one at most, the newest. It holds what the stream holds, under the same rights; when
contents are removed from the stream it is removed, too. A new node trusts it as far as it agrees
with itself and with the stream, and else reads the stream from its beginning.
"""

import gzip
import json
import logging
import os
import shutil
import sqlite3
import time
from contextlib import closing
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

import nats.errors
from nats.js.api import ObjectMeta
from nats.js.errors import Error as StreamError
from nats.js.errors import NotFoundError

from waypost.errors import OfficeBusyError, UnreadableError, WaypostError
from waypost.office.database import FILE, Database
from waypost.office.events import Json, canonical
from waypost.office.events import link as chained
from waypost.office.journal import objects
from waypost.office.journal.address import Address
from waypost.office.journal.cache import FOLLOWED, message_of
from waypost.office.journal.link import Link
from waypost.office.journal.packing import unpack
from waypost.office.journal.reading import identity_of
from waypost.office.journal.sqlite import end_of
from waypost.office.keeping import check_sound, copy_to, sync

NAME = "snapshot"
_FORM = 1
_ATTEMPTS = 3
_SECONDS_A_MIB, _LEAST_SECONDS = 2, 30
_REMOVED_SINCE = (
    "SELECT 1 FROM events WHERE position > ? AND json_extract(head, '$.kind') = 'contents.removed'"
)
_LAST_LINKS = "SELECT position, head, chain FROM events WHERE position > ? ORDER BY position"
_LOG = logging.getLogger("waypost.journal")


class Snapshot(NamedTuple):
    """How far a snapshot goes, and how many bytes it takes on the servers."""

    position: int
    size: int

    def to_json(self) -> Json:
        return self._asdict()


def take(link: Link, database: Database, replicas: int, after: int) -> Snapshot | None:
    """Put a new one in the place of the last; None where that is new enough.

    Raises OfficeBusyError, UnreadableError.
    """
    if (last := _last(link)) is not None:
        with database.reading() as tables:
            news = tables.value("SELECT position FROM tip") - last["position"]
        if news < after:
            return None
    for _ in range(_ATTEMPTS):
        with TemporaryDirectory(dir=os.path.dirname(database.path), prefix="snapshot-") as folder:
            taken = _put(link, database, folder, replicas)
        if not _is_outdated(link, database, taken.position):
            return taken
        link.do(objects.remove(link, NAME))
    raise OfficeBusyError(
        "contents are being removed from the journal at this moment",
        hint="there is no snapshot now; do it again in a moment",
        retryable=True,
    )


def fetch(home: str, address: Address, patience: float) -> bool:
    """Begin a home with the newest snapshot; tells whether there was one that is good.

    Raises UnreachableError, NotAllowedError when no server lets us ask.
    """
    with closing(Link(address, patience)) as link:
        return _fetch(link, home)


def _fetch(link: Link, home: str) -> bool:
    try:
        about = _last(link)
        if about is None:
            return False
        os.makedirs(home, mode=0o700, exist_ok=True)
        with TemporaryDirectory(dir=home, prefix="snapshot-") as folder:
            _get(link, about, folder)
            _check(link, about, os.path.join(folder, FILE))
            os.link(os.path.join(folder, FILE), os.path.join(home, FILE))
        sync(home)
    except FileExistsError:  # another process was faster
        return True
    except (OSError, ValueError, LookupError, TypeError, EOFError, sqlite3.Error) as error:
        return _passed_over(error)
    except (WaypostError, StreamError, nats.errors.Error) as error:
        return _passed_over(error)
    return True


def _passed_over(error: Exception) -> bool:
    _LOG.warning("no beginning with a snapshot, all is read from the journal: %s", error)
    return False


def _last(link: Link) -> Json | None:
    """What is said of the newest snapshot; None when there is none that we understand."""

    async def look() -> str | None:
        try:
            store = await link.js.object_store(link.address.stream)
            return (await store.get_info(NAME)).description
        except NotFoundError:
            return None

    try:
        about = json.loads(link.do(look()) or "{}")
    except ValueError:
        return None
    return about if isinstance(about, dict) and about.get("form") == _FORM else None


def _put(link: Link, database: Database, folder: str, replicas: int) -> Snapshot:
    copy, packed = os.path.join(folder, FILE), os.path.join(folder, "packed")
    copy_to(database, copy)
    with closing(sqlite3.connect(copy)) as db:
        identity, sequence = db.execute(FOLLOWED).fetchone()
        position, chain = end_of(db)
    with open(copy, "rb") as source, gzip.open(packed, "wb", compresslevel=3) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    about = {"form": _FORM, "stream": identity, "sequence": sequence, "position": position}
    about |= {"chain": chain.hex(), "size": os.path.getsize(copy)}

    async def put() -> None:
        store = await objects.store(link, replicas)
        with open(packed, "rb") as file:
            await store.put(NAME, file, meta=ObjectMeta(description=canonical(about)))

    try:
        link.do(put())
    except (StreamError, nats.errors.Error) as error:
        raise UnreadableError(f"the servers don't take the snapshot: {error}") from error
    return Snapshot(position, os.path.getsize(packed))


def _is_outdated(link: Link, database: Database, position: int) -> bool:
    """Whether contents were removed since. Who removes them later finds the snapshot, and it goes.

    Raises UnreachableError when nobody can say: then it is removed as well.
    """
    stream = link.address.stream

    async def newest() -> int:
        return (await link.js.stream_info(stream)).state.last_seq

    try:
        end, deadline = link.do(newest()), time.monotonic() + _LEAST_SECONDS
        while True:
            with database.reading() as tables:
                seen = tables.one(FOLLOWED)
                if seen is not None and seen[1] >= end:
                    return tables.one(_REMOVED_SINCE, position) is not None
            if time.monotonic() > deadline:
                return True
            time.sleep(0.05)
    except (StreamError, nats.errors.Error):
        return True


def _get(link: Link, about: Json, folder: str) -> None:
    """Bring the snapshot into a folder; the client compares its hash."""
    packed, size = os.path.join(folder, "packed"), int(about["size"])

    async def get(file: BinaryIO) -> None:
        import asyncio

        store = await link.js.object_store(link.address.stream)
        seconds = _LEAST_SECONDS + _SECONDS_A_MIB * (size >> 20)
        await asyncio.wait_for(store.get(NAME, writeinto=file), seconds)  # type: ignore[arg-type]

    with open(packed, "wb") as file:
        link.do(get(file))
    left = size
    with gzip.open(packed) as source, open(os.path.join(folder, FILE), "xb") as target:
        os.fchmod(target.fileno(), 0o600)
        while piece := source.read(1 << 20):
            left -= len(piece)
            if left < 0:
                break
            target.write(piece)
        os.fsync(target.fileno())
    if left:
        raise ValueError("it isn't as long as it says")


def _check(link: Link, about: Json, path: str) -> None:
    """Raises ValueError, and others, for what isn't a copy of this very journal."""
    info = link.do(link.js.stream_info(link.address.stream))
    with closing(sqlite3.connect(path)) as db:
        check_sound(db, "the snapshot")
        identity, sequence = db.execute(FOLLOWED).fetchone()
        position, chain = end_of(db)
        said = (about["stream"], about["sequence"], about["position"], about["chain"])
        if (identity, sequence, position, chain.hex()) != said or identity != identity_of(info):
            raise ValueError("it is of another journal")
        if sequence > info.state.last_seq:
            raise ValueError("it goes further than the journal")
        if position:
            _check_end(link, db, position, chain)


def _check_end(link: Link, db: sqlite3.Connection, position: int, chain: bytes) -> None:
    """The last event is the journal's own, and the chain ends with it."""
    rows = db.execute(_LAST_LINKS, (position - 2,)).fetchall()
    before = rows[0][2] if len(rows) > 1 else b"\0" * 32
    at, head, linked = rows[-1]
    if at != position or linked != chain or chained(before, head.encode()) != chain:
        raise ValueError("its chain doesn't hold")
    sequence = message_of(db, position)
    address = link.address

    async def kept() -> Any:
        try:
            return await link.js.get_msg(address.stream, sequence)
        except NotFoundError:
            return await link.js.get_last_msg(address.stream, address.bare(sequence))

    if unpack(link.do(kept()).data or b"").head != head:
        raise ValueError("its last event is another than the journal's")
