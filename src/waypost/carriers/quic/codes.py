"""The numbers that end a stream or a connection, and what they mean to whoever waits. Pure."""

from enum import IntEnum

from aioquic.quic.events import ConnectionTerminated

from waypost.carriers.links import lost
from waypost.errors import (
    BusyError,
    LinkError,
    LostError,
    NotTrustedError,
    TooLargeError,
    UnreachableError,
    WaypostError,
)

_CRYPTO_ERROR = 0x100
_UNTRUSTED_ALERTS = {40, 42, 43, 44, 45, 46, 48, 49, 116}
_UNRECOGNIZED_NAME, _NO_APPLICATION_PROTOCOL = 112, 120


class Code(IntEnum):
    """Why we end a stream or a connection."""

    FINE = 0
    NOT_TRUSTED = 1
    BUSY = 2
    SPARE = 3  # there is another connection between the two already
    DROPPED = 16
    TOO_LARGE = 17
    TOO_SLOW = 18
    NOT_WANTED = 19


def of_stream(code: int) -> WaypostError:
    """The error of a request whose stream the peer has ended."""
    if code == Code.TOO_LARGE:
        return TooLargeError("the message is larger than the other end takes")
    if code == Code.BUSY:
        return BusyError("the peer has too much under way with us", retryable=True)
    if code == Code.TOO_SLOW:
        return LostError("the message took too long to arrive", retryable=True)
    return LostError("the peer dropped the request", retryable=True)


def of_link(event: ConnectionTerminated, *, met_another: bool = False) -> LinkError:
    """The error of what was under way on a connection that the peer or the network ended."""
    is_peers = event.frame_type is None  # and not the transport's
    if is_peers and event.error_code == Code.NOT_TRUSTED:
        return _unknown_to_peer()
    if is_peers and event.error_code == Code.BUSY:
        return BusyError("the peer takes no more links", retryable=True)
    return lost(event.reason_phrase)


def of_dial(event: ConnectionTerminated, *, met_another: bool) -> LinkError:
    """The error of a connection that ended before it stood."""
    alert = event.error_code - _CRYPTO_ERROR if event.frame_type is not None else None
    if met_another or alert == _UNRECOGNIZED_NAME:
        return NotTrustedError(
            "another agent answers at the peer's address, with a key that isn't the peer's",
            hint="ask the peer for its token, and enrol it anew if you believe it",
        )
    if alert in _UNTRUSTED_ALERTS:
        return _unknown_to_peer()
    if alert == _NO_APPLICATION_PROTOCOL:
        return UnreachableError(
            "who answers at the peer's address doesn't speak ACP", hint="look at host and port"
        )
    error = of_link(event)
    if not isinstance(error, LostError):
        return error
    said = event.reason_phrase or "it gave no reason"
    return UnreachableError(f"the peer broke off the handshake: {said}", retryable=True)


def _unknown_to_peer() -> NotTrustedError:
    return NotTrustedError(
        "the peer doesn't trust our key",
        hint="give it our token (waypost peers token), which it enrols with waypost peers add",
    )
