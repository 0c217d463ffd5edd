"""Agents in the local network, by multicast DNS: it suggests tokens, and trusts nobody.

Anyone in the network can announce anything; who believes a suggestion enrols it by hand. Needs the
extra `lan`. It knows nothing of links.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, NamedTuple

from waypost.carriers.keyring import Address, Identity, agent_id, token_of
from waypost.carriers.keyring.tokens import decoded, encoded
from waypost.errors import UnreadableError, UsageError, visible, words_of

SERVICE = "_waypost._udp.local."
MOST = 64
_LONGEST_NAME = 64
_RESOLVE_MILLISECONDS = 1500


class Suggestion(NamedTuple):
    """An agent that somebody announces: the name it goes by, its id, the token to enrol it."""

    name: str
    id: str
    token: str


@asynccontextmanager
async def announced(identity: Identity, address: Address) -> AsyncIterator[None]:
    """Announce a local agent that listens at an address. Raises UsageError, UnreadableError."""
    library, host = _library(), _announceable(address)
    label = identity.id.removeprefix("ed25519.")
    service = library.AsyncServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        port=address.port,
        addresses=[host.packed],
        server=f"{label}.local.",
        properties={"key": encoded(identity.public_key), "name": identity.name},
    )
    async with _network(library) as network:
        await network.async_register_service(service, cooperating_responders=True)
        yield
        await network.async_unregister_service(service)


async def suggestions(seconds: float) -> list[Suggestion]:
    """Listen for a while, and list who is announced. Raises UsageError, UnreadableError."""
    library = _library()
    names: dict[str, None] = {}

    def changed(zeroconf: Any, service_type: str, name: str, state_change: Any) -> None:
        if len(names) < MOST:
            names[name] = None

    async with _network(library) as network:
        browser = library.AsyncServiceBrowser(network.zeroconf, SERVICE, handlers=[changed])
        try:
            await asyncio.sleep(seconds)
            services = [library.AsyncServiceInfo(SERVICE, name) for name in names]
            asked = (one.async_request(network.zeroconf, _RESOLVE_MILLISECONDS) for one in services)
            answered = await asyncio.gather(*asked)
        finally:
            await browser.async_cancel()
    read = [_read(one) for one, known in zip(services, answered, strict=True) if known]
    return sorted({one.id: one for one in read if one is not None}.values())


def _read(service: Any) -> Suggestion | None:
    """What an announcement says, if it says enough."""
    properties = service.properties
    key = decoded((properties.get(b"key") or b"").decode("ascii", "replace"))
    addresses = sorted(service.parsed_addresses(), key=lambda text: ":" in text)
    if key is None or not addresses or not service.port:
        return None
    name = visible((properties.get(b"name") or b"").decode(errors="replace"))[:_LONGEST_NAME]
    return Suggestion(name, agent_id(key), token_of(key, addresses[0], service.port))


def _announceable(address: Address) -> IPv4Address | IPv6Address:
    """The address that others can dial. Raises UsageError when there is none."""
    try:
        host = ip_address(address.for_others().host)
    except ValueError:
        host = None
    if host is None or host.is_loopback:
        raise UsageError(
            f"nobody else in the network can reach {address}",
            hint=f"listen at an address of this machine: --on 0.0.0.0:{address.port}",
        )
    return host


def _library() -> Any:
    """The multicast DNS library, which is optional. Raises UsageError when it isn't there."""
    try:
        from zeroconf import asyncio as library
    except ImportError:
        raise UsageError(
            "looking around the local network needs the extra lan",
            hint="pip install 'waypost[lan]'; or pass tokens on by hand: waypost peers token",
        ) from None
    return library


@asynccontextmanager
async def _network(library: Any) -> AsyncIterator[Any]:
    try:
        network = library.AsyncZeroconf()
    except OSError as error:
        raise UnreadableError(
            f"multicast doesn't work here: {words_of(error)}", hint="pass tokens on by hand"
        ) from error
    try:
        yield network
    finally:
        await network.async_close()
