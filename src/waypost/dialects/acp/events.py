"""What a connection tells its owner: one small tuple for each thing that can happen. Pure."""

from typing import NamedTuple

from waypost.dialects.acp.wire import Fault
from waypost.dialects.message import Fields


class Request(NamedTuple):
    """The peer asks. Answer it by its number, once."""

    number: int
    kind: str
    message: Fields
    deadline: float


class Greeting(NamedTuple):
    """The peer's hello. `welcome` writes the answer."""

    number: int
    message: Fields


class Refusal(NamedTuple):
    """A request that isn't taken. `refuse` writes the answer."""

    fault: Fault


class Answer(NamedTuple):
    """What the peer answered to the exchange with this id; a late one changes nothing."""

    id: str
    kind: str
    message: Fields
    late: bool = False
    raw: bytes = b""  # the answer's very bytes, where they are at hand


class Told(NamedTuple):
    """The peer tells something one way: a notify, a result, or an error nobody waits for."""

    kind: str
    message: Fields


class Held(NamedTuple):
    """The message overtook the hello; give it again when the hello is answered."""


class Dropped(NamedTuple):
    """The message is not taken, and nobody is told; its stream may be given up."""

    why: Fault


class Overdue(NamedTuple):
    """A deadline has passed: of our exchange (`id`), or of a request of the peer (`number`)."""

    id: str | None
    number: int | None
    kind: str


class Seen:
    """Remembers the last few thousand ids of a peer, across all its connections."""

    def __init__(self, most: int = 2048) -> None:
        self._most = most
        self._newer: set[str] = set()
        self._older: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self._newer or name in self._older

    def again(self, name: str) -> bool:
        """Remember an id, and tell whether it was known."""
        if name in self:
            return True
        self._newer.add(name)
        if len(self._newer) >= self._most:
            self._older, self._newer = self._newer, set()
        return False
