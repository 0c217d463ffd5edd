"""Numbers that no two processes get: for the ends of ids, and for conversations.

One small file a mailbox, changed under a lock. Should it be lost, ids go on from a random
place, and conversations from the last one in the outbox.
"""

import json
import os
from collections.abc import Callable
from typing import Any

_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANGE = len(_LETTERS) ** 4
_STEP = 747_373  # shares no factor with the range, so every number comes before one repeats
_DAYS_KEPT = 400
_MOST_BYTES = 1 << 16


def next_rand(folder: str, random_start: Callable[[], int]) -> str:
    """Four letters or digits that this mailbox has not used for 1.6 million messages."""

    def advance(state: dict[str, Any]) -> int:
        last = state.get("rand")
        start = random_start() if not isinstance(last, int) else last
        state["rand"] = (start + _STEP) % _RANGE
        return int(state["rand"])

    number = _change(folder, advance)
    digits = []
    for _ in range(4):
        number, digit = divmod(number, len(_LETTERS))
        digits.append(_LETTERS[digit])
    return "".join(digits)


def next_conversation(folder: str, day: str, last_known: Callable[[], int]) -> int:
    """The number of the next conversation that this mailbox starts on a day, from 1."""

    def advance(state: dict[str, Any]) -> int:
        days = state.get("conversations")
        days = days if isinstance(days, dict) else {}
        last = days.get(day)
        days[day] = (last if isinstance(last, int) else last_known()) + 1
        state["conversations"] = dict(sorted(days.items())[-_DAYS_KEPT:])
        return int(days[day])

    return _change(folder, advance)


def _change(folder: str, advance: Callable[[dict[str, Any]], int]) -> int:
    import fcntl

    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(f"{folder}/counters", flags, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        before = os.pread(descriptor, _MOST_BYTES, 0)
        state = _parse(before)
        number = advance(state)
        data = json.dumps(state).encode()
        # Blanks over the rest: who dies before the next line leaves no damaged text.
        os.pwrite(descriptor, data.ljust(len(before)), 0)
        os.ftruncate(descriptor, len(data))
    finally:
        os.close(descriptor)
    return number


def _parse(data: bytes) -> dict[str, Any]:
    try:
        state = json.loads(data)
    except ValueError:
        return {}
    return state if isinstance(state, dict) else {}
