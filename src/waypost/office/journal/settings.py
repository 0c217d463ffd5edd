"""Is the stream what the office's promises need? Made if it isn't there, refused if it is another.

What a server tells nobody but its operator, whether it syncs every write, is asked at the server's
monitoring port where the address names one; else it is a warning.
"""

import json
from collections.abc import Iterator
from typing import Any

from nats.js.api import RetentionPolicy, StorageType, StreamConfig, StreamInfo
from nats.js.errors import APIError, NotFoundError

from waypost.errors import UnreadableError, UsageError
from waypost.office.journal.link import Link

LEAST_PAYLOAD = 1024 * 1024
_DUPLICATE_SECONDS = 120
_MONITOR_SECONDS = 3
_LARGEST_ANSWER = 1 << 20
_MOVER = "waypost-mover"
_FIX = "waypost cluster init prints a configuration that does"


async def ensured(link: Link, deadline: float, mover: str | None = None) -> StreamInfo:
    """The office's stream. Raises UsageError for one that could lose mail.

    For a mover of an office it is made closed to all others, or may be closed already.
    """
    link_info = link.client.max_payload
    if link_info < LEAST_PAYLOAD:
        raise UsageError(
            f"the journal's servers take at most {link_info:,} bytes at once",
            hint=f"set max_payload to {LEAST_PAYLOAD:,} or more; {_FIX}",
        )
    name = link.address.stream

    async def found() -> StreamInfo:
        try:
            return await link.js.stream_info(name)
        except NotFoundError:
            return await link.js.add_stream(_wanted(link, mover))

    try:
        info: StreamInfo = await link.patiently(found, deadline)
    except APIError as error:
        raise UsageError(
            f"the journal {link.address} can't be made: {error.description}", hint=_FIX
        ) from error
    wrong = list(_wrong(info, link.address.replicas))
    if wrong:
        raise UsageError(
            f"the stream {name} isn't kept as mail needs it: {'; '.join(wrong)}",
            hint="mend it with the tools of NATS, or name another office in the address",
        )
    if mover is None:
        check_open(link, info)
    return info


def is_open(link: Link, info: StreamInfo) -> bool:
    """Whether nodes may write: not while an office moves in, nor after it moved out."""
    return link.address.subject in (info.config.subjects or [])


def mover_of(info: StreamInfo) -> str:
    """Who closed a stream."""
    return (info.config.metadata or {}).get(_MOVER, "somebody")


def check_open(link: Link, info: StreamInfo) -> None:
    """Raise UnreadableError for a journal that is closed."""
    if not is_open(link, info):
        raise UnreadableError(
            f"the journal {link.address} is closed: {mover_of(info)} moves its office, or moved it",
            hint="waypost journal migrate goes on there; when it is done, start this anew",
        )


def opened_or_closed(link: Link, config: StreamConfig, mover: str | None) -> StreamConfig:
    """The stream's settings when one alone may write, who moves an office; or all nodes again.

    The servers themselves keep the others out: to a subject that no stream has, nobody can write.
    """
    address = link.address
    metadata = {key: one for key, one in (config.metadata or {}).items() if key != _MOVER}
    if mover is not None:
        metadata[_MOVER] = mover
    subject = address.subject if mover is None else address.moved
    return config.evolve(subjects=[subject, address.bare("*")], metadata=metadata)


def warnings(link: Link, info: StreamInfo) -> list[str]:
    """What an operator should know. Raises UsageError when a server could lose what it promised."""
    told = []
    settings = {one: _syncs_always(one) for one in link.address.monitors}
    told += [
        f"{one} doesn't tell how its server is set" for one in settings if settings[one] is None
    ]
    lazy = [one for one, syncs in settings.items() if syncs is False]
    if lazy:
        raise UsageError(
            f"{', '.join(lazy)}: the server answers before a write is on its disk",
            hint=f"set sync_interval: always in its jetstream block; {_FIX}",
        )
    if not link.address.monitors:
        told.append(
            "whether the journal's servers sync every write can't be seen from here: give"
            " ?monitor=http://host:8222 for each, and set sync_interval: always"
        )
    if (info.config.num_replicas or 1) < 3:
        told.append("the journal has one copy: when its disk is lost, so is the mail on it")
    return told


def _wanted(link: Link, mover: str | None) -> StreamConfig:
    config = StreamConfig(
        name=link.address.stream,
        description="the journal of a waypost office",
        retention=RetentionPolicy.LIMITS,
        storage=StorageType.FILE,
        num_replicas=link.address.replicas or (3 if _is_cluster(link) else 1),
        duplicate_window=_DUPLICATE_SECONDS,
        deny_purge=True,
        allow_direct=False,
    )
    return opened_or_closed(link, config, mover)


def _is_cluster(link: Link) -> bool:
    return bool(link.client._server_info.get("cluster"))


def _wrong(info: StreamInfo, replicas: int | None) -> Iterator[str]:
    config = info.config
    if config.storage != StorageType.FILE:
        yield "it isn't on disk"
    if config.retention != RetentionPolicy.LIMITS:
        yield "it lets go of what was read"
    for name in ("max_msgs", "max_bytes", "max_age", "max_msgs_per_subject"):
        if (getattr(config, name) or -1) > 0:
            yield f"it has a limit, {name}"
    if config.sealed or config.no_ack:
        yield "it is sealed, or confirms nothing"
    if replicas is not None and config.num_replicas != replicas:
        yield f"it has {config.num_replicas} copies, not {replicas}"


def _syncs_always(monitor: str) -> bool | None:
    """What a server says; None when it says nothing, as one that is down."""
    from urllib.request import urlopen

    try:
        with urlopen(f"{monitor.rstrip('/')}/varz", timeout=_MONITOR_SECONDS) as answer:
            facts: dict[str, Any] = json.loads(answer.read(_LARGEST_ANSWER))
        return bool(facts["jetstream"]["config"].get("sync_always"))
    except (OSError, ValueError, KeyError, TypeError):
        return None
