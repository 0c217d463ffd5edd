"""What every carrier of live messages gives: transports that dial and listen, links that carry.

A link joins two agents whose keys are proven, and carries whole messages as bytes: requests, which
wait for one answer, and pushes, which don't. It knows nothing of what the messages say.
Callbacks of a Receiver are called in the event loop and must not block.

Everything from outside is bounded by Limits. What breaks a bound costs its own message, never the
link; what breaks the rules of the transport itself costs the link, never another's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from waypost.carriers.keyring import Identity, Peer, Peers
from waypost.errors import BusyError, LostError, TooLargeError

MOST_MESSAGE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of a transport; the defaults suit everything but tests of the bounds."""

    message_bytes: int = MOST_MESSAGE_BYTES
    requests_from_peer: int = 128  # that wait for our answer, on one link
    pushes_from_peer: int = 128  # that are arriving, on one link
    buffered_bytes: int = 2 * 1024 * 1024  # of unfinished messages, on one link
    message_seconds: float = 10.0  # that a message may take from its first byte to its last
    in_flight: int = 1024  # of our own messages, on one link
    links: int = 128  # of one local agent
    links_of_peer: int = 16  # of one local agent with one peer
    handshakes: int = 64  # under way at once
    handshakes_a_second: float = 50.0
    dial_seconds: float = 10.0


class Local(NamedTuple):
    """A local agent at a transport: its key, and whom it trusts."""

    identity: Identity
    peers: Peers


class Waiting(Protocol):
    """A request of the peer that waits for its answer.

    `gone`, when the receiver sets it, is called once if the asker gives up or the link closes.
    After an answer, a drop or that, the others do nothing.
    """

    gone: Callable[[], None] | None

    def answer(self, message: bytes) -> None:
        """Send the answer. Raises TooLargeError."""

    def drop(self) -> None:
        """Give no answer: costs the asker this request, never the link."""


class Link(Protocol):
    """A live connection between two agents. `peer` is proven, `me` is the local agent's id."""

    me: str
    peer: str
    is_dialled: bool

    @property
    def is_open(self) -> bool: ...

    @property
    def round_trip(self) -> float | None:
        """The seconds to the peer and back, as far as they are known."""

    async def request(self, message: bytes) -> bytes:
        """Send a message and wait for its answer; cancelling tells the peer that nobody waits.

        Raises TooLargeError, BusyError, LostError, NotTrustedError.
        """

    async def push(self, message: bytes) -> None:
        """Send a message that nobody answers; returns when it is on its way.

        Raises TooLargeError, BusyError, LostError, NotTrustedError.
        """

    async def drain(self) -> None:
        """Wait until all that was pushed has arrived, or the link is closed."""

    def close(self, reason: str = "") -> None:
        """End the link and tell the peer why; what waits for an answer ends with LostError."""


class Receiver(Protocol):
    """What a transport tells its user."""

    def opened(self, link: Link) -> None:
        """A link stands, dialled or taken; for a dialled one just before `dial` returns it."""

    def asked(self, link: Link, waiting: Waiting, message: bytes) -> None:
        """The peer sent a request."""

    def told(self, link: Link, message: bytes) -> None:
        """The peer pushed a message."""

    def closed(self, link: Link, reason: str) -> None:
        """A link that was opened is no more, whoever closed it; comes once."""


class Transport(Protocol):
    """A way to reach peers, and to be reached by them."""

    @property
    def address(self) -> tuple[str, int] | None:
        """Where this transport listens, once it is started; None when it only dials."""

    async def start(self, receiver: Receiver) -> None:
        """Begin; listens when it was given an address. Raises UnreadableError."""

    async def dial(self, peer: Peer, me: str | None = None) -> Link:
        """Open a link to a peer, as the local agent with the id `me` (default: the first).

        Returns when both ends have proven their keys and the peer has let us in.
        Raises UnreachableError, NotTrustedError, TimedOutError.
        """

    async def stop(self) -> None:
        """Close everything, after a short while for what was pushed to arrive."""


def check_size(message: bytes, limits: Limits) -> None:
    """Raise TooLargeError for a message that no link may carry."""
    if len(message) > limits.message_bytes:
        raise TooLargeError(
            f"the message has {len(message):,} bytes; a live one may have {limits.message_bytes:,}",
            hint="put the large part in a file and refer to it",
        )


def check_flight(under_way: int, limits: Limits) -> None:
    """Raise BusyError when a link has as much under way as it may."""
    if under_way >= limits.in_flight:
        raise BusyError(
            f"{under_way:,} messages are under way to this peer already",
            hint="wait for some of them, then try again",
            retryable=True,
        )


def lost(reason: str) -> LostError:
    """The error of what was under way on a link that is no more."""
    return LostError(f"the link is closed: {reason or 'no reason given'}", retryable=True)
