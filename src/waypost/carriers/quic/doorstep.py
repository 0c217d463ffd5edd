"""What becomes of a first datagram from somewhere: whether a handshake begins, and how.

Strangers cost us nothing but a reply that is smaller than what they sent. When many handshakes are
under way, an address has to prove first that it receives what is sent to it.
"""

import os

from aioquic.quic.configuration import SMALLEST_MAX_DATAGRAM_SIZE
from aioquic.quic.packet import (
    QuicHeader,
    QuicPacketType,
    QuicProtocolVersion,
    encode_quic_retry,
    encode_quic_version_negotiation,
)
from aioquic.quic.retry import QuicRetryTokenHandler

from waypost.carriers.links import Limits
from waypost.carriers.quic.gate import Gate
from waypost.carriers.quic.sockets import Address

CONNECTION_ID_BYTES = 8
_VERSIONS = [QuicProtocolVersion.VERSION_1, QuicProtocolVersion.VERSION_2]

Begin = dict[str, bytes | None]  # how the connection is to begin


class Doorstep:
    """Where handshakes begin."""

    def __init__(self, limits: Limits, now: float) -> None:
        self._limits = limits
        self._gate = Gate(limits.handshakes, limits.handshakes_a_second, now)
        self._tokens = QuicRetryTokenHandler()

    def arrive(
        self, header: QuicHeader, size: int, source: Address, under_way: int, now: float
    ) -> Begin | bytes | None:
        """Say how to begin, or what to reply, or nothing."""
        if size < SMALLEST_MAX_DATAGRAM_SIZE:
            return None
        if header.version not in _VERSIONS:
            return self._other_version(header)
        if header.packet_type != QuicPacketType.INITIAL:
            return None
        if not header.token and under_way >= self._limits.handshakes // 2:
            return self._prove_address(header, source, now)
        if not self._gate.opens(under_way, now):
            return None
        if not header.token:
            return {"original_destination_connection_id": header.destination_cid}
        return self._with_token(header, source, now)

    def _other_version(self, header: QuicHeader) -> bytes | None:
        if header.packet_type == QuicPacketType.VERSION_NEGOTIATION or header.version is None:
            return None
        return encode_quic_version_negotiation(
            source_cid=header.destination_cid,
            destination_cid=header.source_cid,
            supported_versions=[int(version) for version in _VERSIONS],
        )

    def _prove_address(self, header: QuicHeader, source: Address, now: float) -> bytes:
        assert header.version is not None
        source_cid = os.urandom(CONNECTION_ID_BYTES)
        token = self._tokens.create_token(
            address=source,
            original_destination_connection_id=header.destination_cid,
            retry_source_connection_id=source_cid,
            now=now,
        )
        return encode_quic_retry(
            version=header.version,
            source_cid=source_cid,
            destination_cid=header.source_cid,
            original_destination_cid=header.destination_cid,
            retry_token=token,
        )

    def _with_token(self, header: QuicHeader, source: Address, now: float) -> Begin | None:
        try:
            original = self._tokens.validate_token(
                address=source,
                destination_cid=header.destination_cid,
                token=header.token,
                now=now,
            )
        except ValueError:
            return None
        return {
            "original_destination_connection_id": original,
            "retry_source_connection_id": header.destination_cid,
        }
