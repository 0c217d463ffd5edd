"""Numbers that no two processes get: for the ends of ids, and for conversations.

One small file a mailbox, changed under a lock. Should it be lost, ids go on from a random
place, and conversations from the last one in the outbox.
"""

import json
import os
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

from waypost.carriers.folders.files import about
from waypost.errors import UnreadableError

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANGE = len(_LETTERS) ** 4
_STEP = 747_373  # shares no factor with the range, so every number comes before one repeats
_DAYS_KEPT = 400
_MOST_BYTES = 1 << 16


class Numbers(NamedTuple):
    """What one message needs."""

    rand: str  # four letters or digits that the mailbox has not used for 1.6 million messages
    conversation: int | None  # the next that the mailbox starts that day, from 1


def take(
    folder: str,
    random_start: Callable[[], int],
    day: str | None = None,
    last_known: Callable[[], int] = int,
) -> Numbers:
    """Take the end of an id, and the number of a new conversation when a day is named.

    Raises OSError, or UnreadableError when something else stands in the counters' place.
    """
    import fcntl

    path = f"{folder}/counters"
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o644)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableError(f"{path} is not a file", hint="remove it; it is made again")
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        before = os.pread(descriptor, _MOST_BYTES, 0)
        state = _parse(before)
        numbers = _advance(state, random_start, day, last_known)
        data = json.dumps(state).encode()
        # Blanks over the rest: who dies before the next line leaves no damaged text.
        os.pwrite(descriptor, data.ljust(len(before)), 0)
        if len(data) < len(before):
            os.ftruncate(descriptor, len(data))
    except OSError as error:
        about(path, error)
        raise
    finally:
        os.close(descriptor)
    return numbers


def _advance(
    state: dict[str, Any],
    random_start: Callable[[], int],
    day: str | None,
    last_known: Callable[[], int],
) -> Numbers:
    last = state.get("rand")
    number = ((last if isinstance(last, int) else random_start()) + _STEP) % _RANGE
    state["rand"] = number
    rand = "".join(_LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in range(4))
    return Numbers(rand, None if day is None else _next_conversation(state, day, last_known))


def _next_conversation(state: dict[str, Any], day: str, last_known: Callable[[], int]) -> int:
    days = state.get("conversations")
    days = days if isinstance(days, dict) else {}
    last = days.get(day)
    days[day] = number = (last if isinstance(last, int) else last_known()) + 1
    state["conversations"] = dict(sorted(days.items())[-_DAYS_KEPT:])
    return int(number)


def _parse(data: bytes) -> dict[str, Any]:
    try:
        state = json.loads(data)
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}
