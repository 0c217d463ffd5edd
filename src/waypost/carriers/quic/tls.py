"""aioquic's connection with our rules of trust; the one file that touches its private names.

aioquic asks no client for a certificate and checks certificates against authorities. Here both ends
show one, and only the key in it counts: whoever listens lets in what `admits` lets in, whoever
dials expects one key. A stranger is refused inside the handshake, after it has proven its key.

It also widens its windows without end; here what a peer may have under way is fixed.
"""

import logging
import ssl
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from aioquic import tls
from aioquic.buffer import Buffer  # type: ignore[attr-defined]
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import END_STATES, Limit, QuicConnection
from aioquic.quic.events import ConnectionTerminated
from aioquic.quic.packet_builder import QuicPacketBuilder

from waypost.carriers.keyring import Identity, Peer
from waypost.carriers.links import Limits, Local
from waypost.carriers.quic.certificates import certificate, public_key

ALPN = "acp/1"
IDLE_SECONDS = 60.0
_PREFIX = "ed25519."
_LOG = logging.getLogger("waypost.quic")
_LOG.setLevel(logging.ERROR)  # what strangers do wrong is no news

Admits = Callable[[Local, bytes], bool]


class _UnrecognizedName(tls.Alert):
    description = tls.AlertDescription.unrecognized_name


class Trust:
    """Whom one connection may be with, and what came of it."""

    def __init__(self, locals_: Sequence[Local], admits: Admits, expected: bytes | None) -> None:
        self.locals = locals_
        self.local = locals_[0]  # chosen by the name that a dialler asks for
        self.admits = admits
        self.expected = expected
        self.peer_key: bytes | None = None
        self.met_another = False  # we dialled, and somebody else's key was shown

    def choose(self, server_name: str | None) -> None:
        """Find the local agent that a dialler wants. Raises an alert when it isn't here."""
        if server_name is None and len(self.locals) == 1:
            return
        wanted = (server_name or "").removeprefix(_PREFIX)
        for local in self.locals:
            if local.identity.id.removeprefix(_PREFIX) == wanted:
                self.local = local
                return
        raise _UnrecognizedName("no agent of that id is here")

    def check(self, shown: bytes | None) -> None:
        """Take the peer's proven key. Raises an alert when it isn't to be trusted."""
        if self.expected is not None:
            self.met_another = shown != self.expected
            is_welcome = not self.met_another
        else:
            is_welcome = shown is not None and self.admits(self.local, shown)
        if not is_welcome:
            raise tls.AlertBadCertificate("this key is not enrolled here")
        self.peer_key = shown


class _Context(tls.Context):
    """The TLS handshake with pinned keys."""

    trust: Trust

    def _server_handle_hello(
        self, input_buf: Buffer, initial_buf: Buffer, handshake_buf: Buffer
    ) -> None:
        hello = tls.pull_client_hello(input_buf)
        input_buf.seek(0)
        self.trust.choose(hello.server_name)
        me = self.trust.local.identity
        self.certificate, self.certificate_private_key = _certificate(me), me.private_key
        if hello.alpn_protocols is None:
            self._alpn_protocols = None  # a peer that offers none is served
        self._request_client_certificate = True
        super()._server_handle_hello(input_buf, initial_buf, handshake_buf)

    def _server_expect_finished(self) -> None:
        if self._peer_certificate is None:
            raise tls.AlertHandshakeFailure("a certificate is needed")
        self.trust.check(public_key(self._peer_certificate))
        super()._server_expect_finished()

    def _client_handle_certificate_verify(self, input_buf: Buffer) -> None:
        super()._client_handle_certificate_verify(input_buf)
        assert self._peer_certificate is not None
        self.trust.check(public_key(self._peer_certificate))


class _Window(Limit):
    """A limit on bytes that only we move; aioquic would double it whenever half is used."""

    def __init__(self, of: Limit) -> None:
        self.allowed = of.value
        super().__init__(of.frame_type, of.name, of.value)

    @property
    def value(self) -> int:
        return self.allowed

    @value.setter
    def value(self, _: int) -> None:
        pass


class PinnedConnection(QuicConnection):
    """A QUIC connection between two keys."""

    def __init__(self, trust: Trust, limits: Limits, **options: Any) -> None:
        super().__init__(**options)
        self.trust = trust
        self._logger: Any = _LOG
        self._window = limits.buffered_bytes
        self._bytes_allowed = self._local_max_data = _Window(self._local_max_data)
        for limit, most in (
            (self._local_max_streams_bidi, limits.requests_from_peer),
            (self._local_max_streams_uni, limits.pushes_from_peer),
        ):
            limit.value = limit.sent = most

    @property
    def is_confirmed(self) -> bool:
        """Both ends have finished the handshake; a dialler's own end being done isn't enough."""
        return self._handshake_confirmed

    @property
    def round_trip(self) -> float | None:
        return self._loss._rtt_smoothed if self._loss._rtt_initialized else None

    @property
    def end(self) -> ConnectionTerminated | None:
        """How the connection ended, known as soon as nothing more can be sent."""
        return self._close_event if self._state in END_STATES else None

    @property
    def streams_open(self) -> int:
        """How many streams aren't done with: unanswered, unread, or unconfirmed."""
        return len(self._streams)

    @property
    def requests_free(self) -> int:
        """How many two-way streams the peer lets us open now."""
        return self._remote_max_streams_bidi - self._local_next_stream_id_bidi // 4

    @property
    def pushes_free(self) -> int:
        return self._remote_max_streams_uni - self._local_next_stream_id_uni // 4

    def is_done(self, stream_id: int) -> bool:
        """Whether a stream has ended in all its directions, to the last confirmation."""
        return stream_id not in self._streams

    def is_receiving(self, stream_id: int) -> bool:
        stream = self._streams.get(stream_id)
        return stream is not None and not stream.receiver.is_finished

    def _initialize(self, peer_cid: bytes) -> None:
        super()._initialize(peer_cid)
        # The context is made by the library, with no place to say which class it should have.
        self.tls.__class__ = _Context
        cast(_Context, self.tls).trust = self.trust

    def _write_stream_limits(self, *_: object, **__: object) -> None:
        """A stream's window fits one message and never grows."""

    def _write_connection_limits(self, builder: QuicPacketBuilder, space: Any) -> None:
        limit = self._bytes_allowed
        if limit.allowed - limit.used < self._window // 2:
            held = sum(
                stream.receiver.highest_offset - stream.receiver.starting_offset()
                for stream in self._streams.values()
                if not stream.receiver.is_finished
            )
            limit.allowed = max(limit.allowed, limit.used - held + self._window)
        super()._write_connection_limits(builder=builder, space=space)


@cache
def _certificate(of: Identity) -> Any:
    return certificate(of)


def accept(
    locals_: Sequence[Local], admits: Admits, limits: Limits, **original: bytes | None
) -> PinnedConnection:
    """Begin the listening end of a connection."""
    trust = Trust(locals_, admits, None)
    me = locals_[0].identity
    configuration = _configuration(me, limits, is_client=False, alpn_protocols=[ALPN])
    return PinnedConnection(trust, limits, configuration=configuration, **original)


def dial(local: Local, peer: Peer, limits: Limits) -> PinnedConnection:
    """Begin the dialling end of a connection."""
    trust = Trust([local], _nobody, peer.public_key)
    configuration = _configuration(
        local.identity,
        limits,
        is_client=True,
        alpn_protocols=[ALPN] if peer.alpn else None,
        server_name=peer.id,
        verify_mode=ssl.CERT_NONE,  # by authorities; the key is checked against the one we expect
    )
    return PinnedConnection(trust, limits, configuration=configuration)


def _nobody(_: Local, __: bytes) -> bool:
    return False


def _configuration(me: Identity, limits: Limits, **options: Any) -> QuicConfiguration:
    return QuicConfiguration(
        certificate=_certificate(me),
        private_key=me.private_key,
        idle_timeout=IDLE_SECONDS,
        max_data=limits.buffered_bytes,
        max_stream_data=limits.message_bytes + 1,
        **options,
    )
