"""Messages on their way in: pieces put together, with bounds on size, sum and time. Pure."""

from waypost.carriers.links import Limits
from waypost.carriers.quic.codes import Code


class _Pieces:
    __slots__ = ("begun", "data")

    def __init__(self, begun: float) -> None:
        self.data = bytearray()
        self.begun = begun


class Arrivals:
    """The unfinished messages of one connection."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._streams: dict[int, _Pieces] = {}
        self._refused: set[int] = set()
        self._bytes = 0

    def take(self, stream_id: int, data: bytes, ends: bool, now: float) -> bytes | Code | None:
        """Add a piece; gives the whole message when it is complete, or why it is refused.

        What comes on a refused stream is thrown away in silence.
        """
        if stream_id in self._refused:
            if ends:
                self._refused.discard(stream_id)
            return None
        pieces = self._streams.get(stream_id)
        size = len(data) + (len(pieces.data) if pieces is not None else 0)
        if size > self._limits.message_bytes:
            return self._refuse(stream_id, ends, Code.TOO_LARGE)
        if ends:
            return data if pieces is None else bytes(self._forget(stream_id) + data)
        if self._bytes + len(data) > self._limits.buffered_bytes:
            return self._refuse(stream_id, ends, Code.BUSY)
        if pieces is None:
            pieces = self._streams[stream_id] = _Pieces(now)
        pieces.data += data
        self._bytes += len(data)
        return None

    def cut(self, stream_id: int) -> None:
        """The peer ended a stream before its message did."""
        self._forget(stream_id)
        self._refused.discard(stream_id)

    def overdue(self, now: float) -> list[int]:
        """Refuse the messages that take too long, and list their streams."""
        oldest = now - self._limits.message_seconds
        late = [stream_id for stream_id, one in self._streams.items() if one.begun < oldest]
        for stream_id in late:
            self._refuse(stream_id, False, Code.TOO_SLOW)
        return late

    @property
    def is_empty(self) -> bool:
        return not self._streams

    def _refuse(self, stream_id: int, ends: bool, why: Code) -> Code:
        self._forget(stream_id)
        if not ends:
            self._refused.add(stream_id)
        return why

    def _forget(self, stream_id: int) -> bytearray:
        pieces = self._streams.pop(stream_id, None)
        if pieces is None:
            return bytearray()
        self._bytes -= len(pieces.data)
        return pieces.data
