"""What became of a letter: every event about it, what it was translated into, how its task stands.

People may look at every letter of their project; nothing here moves one.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from waypost.errors import NotFoundError
from waypost.office import finding, reading
from waypost.office.auditing import Deed, deed_of
from waypost.office.callers import Caller
from waypost.office.checks import within
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.finding import COLUMNS
from waypost.office.looking import person_of
from waypost.office.progress import REVIEWING, TELLING, Review, Said, Task, reviews_in, tasks_in
from waypost.office.states import word_of
from waypost.office.tables import Row, Tables
from waypost.office.threads import position_in
from waypost.office.views import Header, Letter, filled, when

MOST_AT_ONCE = 200
_NEWEST = 200  # how many of a thread's letters tell how its work stands
_EVENTS = (
    "SELECT position, head, texts FROM events LEFT JOIN contents USING (position)"
    " WHERE (position = ?1 OR position IN (SELECT position FROM traces WHERE letter = ?1))"
    " AND position > ?2 ORDER BY position LIMIT ?3"
)
_NAMES = "SELECT id, name FROM agents WHERE id IN (SELECT value FROM json_each(?))"
_MADE = (
    "SELECT dialect, recipient, id, type, position, json_extract(head, '$.at'), texts, message"
    " FROM translations JOIN events USING (position) LEFT JOIN contents USING (position)"
    " WHERE letter = ? ORDER BY position"
)
_CARRIED = (
    "SELECT name, carrier, json_extract(about, '$.dialect') FROM deliveries"
    " JOIN agents ON agents.id = agent WHERE letter = ?"
    " ORDER BY agents.id"
)
_LANES = {"folder": "oacp", "key": "acp"}  # the dialect that each carrier hands over
_OF_THREAD = (
    f"SELECT {COLUMNS} FROM letters WHERE thread = ? AND project = ? ORDER BY position DESC LIMIT ?"
)
_ACCEPTED = "SELECT name, accepted FROM deliveries JOIN agents ON id = agent WHERE letter = ?"
_BEFORE = (
    f"SELECT {COLUMNS} FROM letters WHERE thread = ? AND project = ? AND position < ?"
    " ORDER BY position DESC LIMIT 1"
)

_RAW = "SELECT head, chain FROM events WHERE position = ? AND json_extract(head, '$.project') = ?"


class Trace(NamedTuple):
    """An event about a letter: for whom, which state that made, and what was said of it."""

    deed: Deed
    to: tuple[str, ...] = ()
    state: str | None = None
    note: str | None = None

    def to_json(self) -> Json:
        deed = {key: value for key, value in self.deed.to_json().items() if key != "data"}
        rest = {"to": list(self.to), "state": self.state, "note": self.note}
        return filled({**deed, **rest, "next_at": when(self.deed.data.get("next_at"))})


class Translated(NamedTuple):
    """What went out in place of a letter's own message: to whom, as what, and what it can't say."""

    to: tuple[str, ...]
    dialect: str
    type: str
    id: str
    made_at: int
    losses: tuple[Mapping[str, str], ...]
    message: bytes | None

    @property
    def text(self) -> str:
        """The translation as text."""
        return (self.message or b"").decode("utf-8", "replace")

    def to_json(self) -> Json:
        shown = {**self._asdict(), "to": list(self.to), "losses": list(self.losses)}
        return filled({**shown, "made_at": when(self.made_at), "message": self.text})


class Progress(NamedTuple):
    """How the work in a thread stands, as its newest letters tell it."""

    reviews: tuple[Review, ...]
    tasks: tuple[Task, ...]

    def to_json(self) -> Json:
        reviews = [one.to_json() for one in self.reviews]
        return {"reviews": reviews, "tasks": [one.to_json() for one in self.tasks]}


class RawEvent(NamedTuple):
    """The head of an event, letter by letter as it is chained, and the chain's link there."""

    position: int
    head: str
    chain: str

    def to_json(self) -> Json:
        return self._asdict()


class Context(NamedTuple):
    """What a letter came after: what it answers, and the last words of its thread before it."""

    answers: Header | None
    before: Letter | None

    def to_json(self) -> Json:
        answers = self.answers.to_json() if self.answers else None
        return filled({"answers": answers, "before": self.before and self.before.to_json()})


def history(
    desk: Desk, caller: Caller, letter: str, limit: int = 100, after: str | None = None
) -> tuple[Trace, ...]:
    """Every event about a letter, the oldest first. `after` is a position."""
    within(limit, "limit", 1, MOST_AT_ONCE)
    behind = position_in(after)
    with desk.database.reading() as tables:
        position = _position(tables, caller, letter)
        rows = tables.all(_EVENTS, position, behind, limit)
        heads = [(row[0], json.loads(row[1]), row[2]) for row in rows]
        boxes = {box for at, head, _ in heads for box in _boxes(at, head["data"], position)}
        names = {row[0]: row[1] for row in tables.all(_NAMES, json.dumps(sorted(boxes)))}
    return tuple(_trace(at, head, texts, position, names) for at, head, texts in heads)


def translations(desk: Desk, caller: Caller, letter: str) -> tuple[Translated, ...]:
    """What a letter was translated into, and for whom; none that wasn't needed."""
    with desk.database.reading() as tables:
        position = _position(tables, caller, letter)
        carried = tables.all(_CARRIED, position)
        rows = tables.all(_MADE, position)
    return tuple(_translated(row, carried) for row in rows)


def progress(desk: Desk, caller: Caller, thread: str) -> Progress:
    """How the reviews and tasks of a thread stand, as its newest 200 letters tell it."""
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        rows = tables.all(_OF_THREAD, thread, caller.project, _NEWEST)[::-1]
        told = []
        for row in rows:
            header = finding.for_reader(tables, row, me, now)
            is_open = header.type in (*REVIEWING, *TELLING)
            fields = reading.whole(tables, row[0], me, now).fields if is_open else {}
            taken = tables.all(_ACCEPTED, row[0])
            told.append(Said(header, fields, {name: bool(one) for name, one in taken
                                              if one is not None}))  # fmt: skip
    return Progress(tuple(reviews_in(told)), tuple(tasks_in(told, now)))


def context(desk: Desk, caller: Caller, letter: str) -> Context:
    """What came before a letter, for whoever has to decide about it."""
    now = desk.world.now()
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        position = finding.position_of(tables, caller.project, me, letter)
        header = finding.header_at(tables, position, me, now)
        parent = finding.meant(tables, caller.project, header.reply_to)
        row = tables.one(_BEFORE, header.thread, caller.project, position)
        answers = finding.header_at(tables, parent.position, me, now) if parent else None
        before = reading.whole(tables, row[0], me, now) if row else None
    return Context(answers, before)


def raw_event(desk: Desk, caller: Caller, position: int) -> RawEvent:
    """An event as the journal chains it. Raises NotFoundError, NotAllowedError."""
    with desk.database.reading() as tables:
        person_of(tables, caller)
        row = tables.one(_RAW, position, caller.project)
    if row is None:
        raise NotFoundError(f"{caller.project} has no event {position}")
    return RawEvent(position, row[0], bytes(row[1]).hex())


def _position(tables: Tables, caller: Caller, letter: str) -> int:
    me = person_of(tables, caller)
    return finding.position_of(tables, caller.project, me, letter)


def _boxes(at: int, data: Mapping[str, Any], letter: int) -> list[int]:
    """The mailboxes of a letter that an event is about."""
    if at == letter:
        return list(data.get("boxes", ()))
    pairs = [*data.get("deliveries", ()), data.get("delivery"), data.get("answers"),
             data.get("bounces")]  # fmt: skip
    return list(dict.fromkeys(pair[1] for pair in pairs if pair and pair[0] == letter))


def _trace(at: int, head: Json, texts: str | None, letter: int, names: Mapping[int, str]) -> Trace:
    data = head["data"]
    to = tuple(names[box] for box in _boxes(at, data, letter) if box in names)
    said = json.loads(texts) if texts else {}
    note = said.get("note") if head["kind"] != "letter.sent" else None
    state = word_of(data["state"]) if "deliveries" in data else None
    if at != letter and "bounces" in data:
        state, note = "bounced", said.get("note") or said.get("subject")
    elif at != letter and "answers" in data:
        state = word_of(data.get("answer_state", 4))
    return Trace(deed_of(at, head), to, state, note if isinstance(note, str) else None)


def _translated(row: Row, carried: list[Row]) -> Translated:
    dialect, lane, message_id, kind, _, made_at, texts, message = row
    to = (
        (lane,)
        if lane
        else tuple(
            name for name, carrier, reads in carried if dialect in (_LANES.get(carrier), reads)
        )
    )
    losses = json.loads(texts).get("losses", ()) if texts else ()
    return Translated(to, dialect, kind, message_id, made_at, tuple(losses), message)
