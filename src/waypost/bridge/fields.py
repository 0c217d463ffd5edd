"""One small function for each thing that dialects say differently. Pure.

Each gives what the target says, and what is lost by it, if anything is.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from waypost.bridge.content import Content, Part, says_something
from waypost.bridge.losses import Loss, Reason, on_the_envelope, unfit
from waypost.bridge.table import TITLES, Layout
from waypost.dialects.oacp import emitter
from waypost.letters import priority as scales
from waypost.letters.priority import Priority, priority_of, says, to_word

LONGEST_SUBJECT = 200
QUERY_WAITS = 30_000  # milliseconds, where a query doesn't say how long
_CUT = "…"
_LINE_ENDS = re.compile("[\n\r\x0b\x0c\x85\u2028\u2029]+")
_ZERO = datetime(1970, 1, 1, tzinfo=UTC)
_FORM = re.compile(r"(.{19})(?:[.](\d+))?Z")


# -- words -------------------------------------------------------------------------------------


def opened(text: str | None, opening: str) -> str | None:
    """A text that opens with a word, which is not repeated."""
    if not opening or (text is not None and opens_with(text, opening)):
        return text
    return opening if text is None else f"{opening}: {text}"


def opens_with(text: str, word: str) -> bool:
    """Whether a word opens a text: it is the whole first line, or a colon follows it."""
    first = _LINE_ENDS.split(text.strip(), maxsplit=1)[0]
    return first.partition(":")[0].strip().rstrip(".!").casefold() == word.casefold()


def joined(title: str | None, text: str | None) -> str | None:
    """A title and a text as one text; a title that the text begins with is not repeated."""
    if title is None or text is None:
        return text if title is None else title
    return text if _LINE_ENDS.split(text, maxsplit=1)[0] == title else f"{title}\n\n{text}"


def subject(text: str) -> str:
    """The first line of a text that says something, cut where no subject may be longer."""
    line = next(line for line in _LINE_ENDS.split(text) if says_something(line))
    return line if len(line) <= LONGEST_SUBJECT else line[: LONGEST_SUBJECT - 1] + _CUT


def with_lines(text: str | None, data: Mapping[str, Any]) -> str | None:
    """A text, and below it fields as lines of simple YAML, for readers who know no fields."""
    if not data:
        return text
    shown = emitter.write_mapping({key: _in_words(value) for key, value in data.items()})
    return ("" if text is None else text.rstrip("\n") + "\n\n") + shown.rstrip("\n")


def _in_words(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_words(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_in_words(item) for item in value]
    return "null" if value is None else str(value) if isinstance(value, float) else value


# -- how urgent --------------------------------------------------------------------------------


def priority(
    source: Content, target: Layout, name: str, kind: str
) -> tuple[str | None, list[Loss]]:
    """The target's word for how urgent the source is."""
    urgency = priority_of(source.dialect, source.fields)
    stated = source.part(source.layout.priority)
    place = stated.at if stated else ()
    if not target.scale:
        silent = stated is None or urgency is Priority.NORMAL or not source.layout.scale
        sentence = f"{TITLES[name]}'s {kind} has no priority; {urgency.word} is not said"
        return None, [] if silent else [Loss(place, sentence, Reason.NO_PLACE)]
    scale = getattr(scales, target.scale)
    word = to_word(urgency, scale)
    if stated is None or says(urgency, scale):
        return word, []
    sentence = f"{TITLES[name]} says {word} for {urgency.word}"
    return word, [Loss(place, sentence, Reason.COARSER)]


# -- when --------------------------------------------------------------------------------------


def moment(value: Any) -> int | None:
    """Milliseconds since 1970 of a time in any dialect's form; None for what is no such time."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return int(value)
    match = _FORM.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    day = datetime.fromisoformat(match[1] + "+00:00") - _ZERO
    return day // timedelta(milliseconds=1) + int((match[2] or "").ljust(3, "0")[:3] or 0)


def timestamp(milliseconds: int) -> str | None:
    """A moment in whole seconds, as OACP and Agent Mail write it; None beyond the calendar."""
    try:
        return (_ZERO + timedelta(seconds=milliseconds // 1000)).isoformat()[:19] + "Z"
    except OverflowError:
        return None


def written_at(source: Content, name: str, now: int) -> tuple[Any, list[Loss]]:
    """When the source was written, in the target's form; now, where that can't say it."""
    part = source.part(source.layout.time)
    then = moment(part.value) if part else None
    if then is not None and part is not None:
        said: Any = timestamp(then) if name != "acp" else then if then > 0 else None
        if said is not None:
            exact = moment(said) == then and not _is_finer(part.value)
            sentence = f"{TITLES[name]}'s times are written in whole " + (
                "milliseconds" if name == "acp" else "seconds"
            )
            return said, [] if exact else [Loss(part.at, sentence, Reason.COARSER)]
    place = part.at if part else ()
    lost = [unfit(place, f"{TITLES[name]} can't write this time")] if part else []
    return now if name == "acp" else timestamp(now), lost


def _is_finer(value: Any) -> bool:
    """Whether a time tells more than milliseconds."""
    match = _FORM.fullmatch(value) if isinstance(value, str) else None
    return bool(match and (match[2] or "")[3:].strip("0"))


def deadline(
    source: Content, target: Layout, name: str, kind: str, now: int
) -> tuple[Any, list[Loss]]:
    """Until when, in the target's form: a time, or how long from now."""
    part = source.part(source.layout.deadline)
    due = _due(part, source, now)
    if due is None:
        return None, []
    place = part.at if part else ()
    if not target.deadline:
        return None, [on_the_envelope(place, name, kind, "a deadline")] if part else []
    if name == "acp":
        if due > now:
            return due - now, []
        return None, [unfit(place, "the deadline has passed, and ACP counts from now")]
    said = timestamp(due)
    if said is None:
        return None, [unfit(place, f"{TITLES[name]} can't write a time so far away")]
    exact = moment(said) == due and not _is_finer(part.value if part else None)
    sentence = f"{TITLES[name]}'s times are written in whole seconds"
    return said, [] if exact or not part else [Loss(place, sentence, Reason.COARSER)]


def _due(part: Part | None, source: Content, now: int) -> int | None:
    """The moment of the deadline; a query has one even when it doesn't say so."""
    if source.dialect == "acp":
        waits = (part.value if part else 0) or (QUERY_WAITS if source.type == "query" else 0)
        return now + int(waits) if waits else None
    return moment(part.value) if part else None
