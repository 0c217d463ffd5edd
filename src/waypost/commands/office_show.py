"""How letters look on a terminal. What letters say is shown, never obeyed."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waypost.commands.console import Console
from waypost.errors import visible

Json = Mapping[str, Any]
_SHORT = 8
_DEEPEST = 20  # how far a thread is indented
_SETTLED = frozenset(("acknowledged", "done", "bounced", "withdrawn", "expired"))
_USUAL_STATES = ("stored", "handed_over")


def short_ids(letters: Sequence[Json]) -> dict[str, str]:
    """For each id the shortest beginning that tells it from the others here."""
    ids = sorted({str(letter["id"]) for letter in letters})
    return {one: _shortest(one, ids) for one in ids}


def _shortest(one: str, ids: Iterable[str]) -> str:
    bare = one.removeprefix("msg-")
    others = [other.removeprefix("msg-") for other in ids if other != one]
    length = _SHORT
    while length < len(bare) and any(other.startswith(bare[:length]) for other in others):
        length += 4
    return visible(bare[:length])


def show_letters(console: Console, letters: Sequence[Json]) -> None:
    """List letters, two lines each: what it is, and by which name it is called."""
    for letter in letters:
        urgency = f"{letter.get('priority', 'normal'):<6}"
        colour = "red" if letter.get("priority") == "urgent" else "bold"
        head = f" {age(letter):>4}  {letter['from']:<12} {letter['type']:<19} {title(letter)}"
        line = visible(head) + marks(letter)
        console.data(f"  {console.paint(urgency, colour)}{line}")
        console.data(console.paint(visible(f"               {letter['id']}"), "dim"))


def marks(letter: Json) -> str:
    """What is special about a letter."""
    words = []
    states = letter.get("states", {}).values() or [letter.get("state")]
    if letter.get("overdue"):
        words.append("overdue")
    elif letter.get("wants_ack") and not _SETTLED.issuperset(states):
        words.append("wants an acknowledgement")
    if letter.get("expired"):
        words.append("expired")
    if (state := letter.get("state")) not in (None, *_USUAL_STATES):
        words.append(str(state))
    words += [f"{name}: {state}" for name, state in letter.get("states", {}).items()]
    return visible(f" ({', '.join(words)})") if words else ""


def show_tree(console: Console, letters: Sequence[Json]) -> None:
    """Draw letters as a conversation: an answer stands under what it answers."""
    known = {letter["id"] for letter in letters}
    answers: dict[str, list[Json]] = {}
    for letter in letters:
        answers.setdefault(str(letter.get("reply_to")), []).append(letter)
    roots = [letter for letter in letters if letter.get("reply_to") not in known]
    drawn: set[str] = set()
    for start in (*roots, *letters):  # the latter for those that answer in a circle
        waiting = [(0, start)]
        while waiting:
            depth, letter = waiting.pop()
            if letter["id"] not in drawn:
                drawn.add(letter["id"])
                _draw(console, letter, min(depth, _DEEPEST))
                below = reversed(answers.get(letter["id"], []))
                waiting += [(depth + 1, answer) for answer in below]


def _draw(console: Console, letter: Json, depth: int) -> None:
    to = letter.get("to")
    who = f"{letter['from']} → {', '.join(to) if to else 'you'}"
    line = f"{'  ' * depth}{who}  {letter['type']}: {title(letter)}"
    name = console.paint(short_ids([letter])[letter["id"]], "dim")
    console.data(f"{visible(line)}{marks(letter)}  {name}")


def age(letter: Json) -> str:
    """How old a letter is, in the largest unit that fits."""
    from calendar import timegm

    text = str(letter.get("sent_at", ""))
    try:
        sent = timegm(
            (int(text[:4]), int(text[5:7]), int(text[8:10]), int(text[11:13]), int(text[14:16]), 0)
        )
    except ValueError:
        return "?"
    minutes = max(0, int(time.time() - sent) // 60)
    for size, unit in ((1440, "d"), (60, "h")):
        if minutes >= size:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"


def listed(names: Sequence[str], most: int = 20) -> str:
    """Some names in a sentence."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return visible(", ".join(names[:most]) + more)


def title(letter: Mapping[str, Any]) -> str:
    """A letter's subject, which it may have lost."""
    return letter.get("subject") or "(no subject)"


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
