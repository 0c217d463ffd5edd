"""What a translation is told by those who know the world: time, ends, threads, originals. Pure."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from waypost.dialects.message import Blanks, Message

_NONE: Mapping[str, Message] = MappingProxyType({})


class Answered(NamedTuple):
    """The message that is answered, as the reader of the translation knows it.

    `own`: it was written by the sender of the translation, who comes back to it.
    """

    type: str
    id: str
    own: bool = False


class Context(NamedTuple):
    """Who writes and gets the translation, in the target's form, and what it belongs to.

    `thread` is the thread's name in the target dialect; left out, the source's own name serves.
    `identity` is the translation's own id; left out, a new one is made from the blanks.
    `originals` are the messages that translations were made from, by the hash of their bytes.
    """

    blanks: Blanks
    sender: str
    recipients: tuple[str, ...]
    answered: Answered | None = None
    thread: str | None = None
    identity: str | None = None
    originals: Mapping[str, Message] = _NONE
