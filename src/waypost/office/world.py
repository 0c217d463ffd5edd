"""What the office takes from the world: the time, and fresh identity. Tests bring their own."""

import os
import time
from collections.abc import Callable
from typing import NamedTuple

from waypost.dialects.message import Blanks


class World(NamedTuple):
    """A clock in milliseconds since 1970, and a source of bytes that nobody can guess."""

    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    chance: Callable[[int], bytes] = os.urandom

    def uuid(self) -> str:
        """A new UUID, version 4."""
        data = bytearray(self.chance(16))
        data[6] = data[6] & 0x0F | 0x40
        data[8] = data[8] & 0x3F | 0x80
        text = data.hex()
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def token(self) -> str:
        """A new token: 256 bits that only its owner will know."""
        return "wp_" + self.chance(32).hex()

    def blanks(self, now: int, uuid: str) -> Blanks:
        """What a new message is filled in with."""
        return Blanks(now=moment(now), milliseconds=now, uuid=uuid, rand=uuid[-4:])


def moment(milliseconds: int) -> str:
    """A time as all dialects write it: UTC, whole seconds, with a Z."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(milliseconds // 1000))
    except (OverflowError, ValueError, OSError):  # a clock that is beyond all calendars
        return "9999-12-31T23:59:59Z"


def milliseconds(text: object) -> int | None:
    """A time as the dialects write it in milliseconds; None for what is no time."""
    from datetime import datetime

    if not isinstance(text, str) or not text.endswith("Z"):
        return None
    try:
        return round(datetime.fromisoformat(text[:-1] + "+00:00").timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
