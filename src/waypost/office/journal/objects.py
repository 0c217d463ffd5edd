"""Large contents, kept in the servers' object store: an event names what it can't carry."""

from nats.js.api import ObjectMeta, StorageType
from nats.js.errors import (
    BucketNotFoundError,
    NotFoundError,
    ObjectDeletedError,
    ObjectNotFoundError,
)
from nats.js.object_store import ObjectStore

from waypost.office.journal.link import Link

LARGEST_INLINE = 512 * 1024


async def keep(link: Link, name: str, content: bytes, replicas: int) -> None:
    """Keep a content under a name."""
    bucket = await store(link, replicas)
    await bucket.put(name, content, meta=ObjectMeta(description="of a waypost event"))


async def fetch(link: Link, name: str) -> bytes | None:
    """A content by its name; None when it was removed."""
    try:
        found = await (await link.js.object_store(link.address.stream)).get(name)
    except (ObjectNotFoundError, ObjectDeletedError):
        return None
    return found.data


async def remove(link: Link, name: str) -> None:
    """Remove a content for good, if it is there."""
    try:
        await (await link.js.object_store(link.address.stream)).delete(name)
    except NotFoundError:
        return


async def store(link: Link, replicas: int) -> ObjectStore:
    """The bucket of an office, made if it isn't there."""
    bucket = link.address.stream
    try:
        return await link.js.object_store(bucket)
    except BucketNotFoundError:
        return await link.js.create_object_store(
            bucket, storage=StorageType.FILE, replicas=replicas
        )
