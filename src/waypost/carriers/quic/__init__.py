"""Links over QUIC: keys pinned on both sides, one message a stream, everything bounded.

The layers, from the wire up: `sockets` moves datagrams, `tls` is aioquic's connection with our
rules of trust (and the only file that touches its private names), `link` turns its events into
messages, `transport` listens, dials and keeps the links. The contract is in `carriers/links.py`.
"""

from waypost.carriers.quic.transport import QuicTransport

__all__ = ["QuicTransport"]
