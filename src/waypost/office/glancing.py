"""What people see at a glance: five numbers, what just happened, who writes to whom.

Whatever could grow without end is counted to a limit, so that a glance stays one.
"""

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from waypost.office.auditing import Deed, deed_of, log, newest
from waypost.office.callers import Caller
from waypost.office.checks import within
from waypost.office.deciding import Desk
from waypost.office.events import Json
from waypost.office.finding import listed
from waypost.office.looking import count_needed, person_of
from waypost.office.reserving import held_in
from waypost.office.states import word_of
from waypost.office.tables import Row, Tables
from waypost.office.threads import position_in
from waypost.office.views import filled, when

MOST_COUNTED = 1000
TOO_LONG_MINUTES = 60
LONGEST_SPAN = 24 * 60
_MOST_LETTERS = 20_000
_MOST_EVENTS = 200
_RECENT = 2000
_LEAST_HOT = 10
_LOST = (
    "SELECT count(*) FROM (SELECT 1 FROM deliveries CROSS JOIN agents ON agents.id = agent"
    " WHERE state IN (5, 7) AND project = ?1 UNION ALL SELECT 1 FROM waiting"
    " CROSS JOIN letters ON letters.position = letter WHERE project = ?1 LIMIT ?2)"
)
# One look into the index for each mailbox and each of its eight ranks; CROSS keeps that order.
_UNREAD_LONG = (
    "SELECT count(*) FROM (SELECT 1 FROM agents"
    " CROSS JOIN json_each('[0,1,2,3,4,5,6,7]') AS ranks"
    " CROSS JOIN deliveries INDEXED BY unread ON agent = agents.id AND rank = ranks.value"
    " AND sent_at < ?2 AND state < 2 WHERE project = ?1 LIMIT ?3)"
)
_AWAITED = (
    "SELECT count(*) FROM (SELECT letter, agent FROM deliveries"
    " JOIN letters ON letters.position = letter WHERE deliveries.ack_by IS NOT NULL AND state < 3"
    " AND project = ?1 UNION SELECT letter, agent FROM letters"
    " JOIN deliveries ON letter = letters.position WHERE wants_ack AND state < 3 AND project = ?1"
    " AND letters.position > (SELECT max(position) FROM letters) - ?2 LIMIT ?3)"
)
_HEADS = "SELECT position, head FROM events WHERE position IN (SELECT value FROM json_each(?))"
_LETTERS = (
    "SELECT position, id, sender, thread, subject FROM letters"
    " WHERE position IN (SELECT value FROM json_each(?))"
)
_AGENTS = "SELECT id, name FROM agents WHERE id IN (SELECT value FROM json_each(?))"
_TRAFFIC = (
    "SELECT sender, recipients, count(*), max(sent_at) FROM letters WHERE project = ?1"
    " AND sent_at >= ?2 AND position > (SELECT max(position) FROM letters) - ?3"
    " GROUP BY sender, recipients"
)


class Numbers(NamedTuple):
    """The five numbers; each is counted to a thousand."""

    needs_you: int
    undelivered: int
    unread_too_long: int
    awaiting_acknowledgement: int
    reservations: int

    def to_json(self) -> Json:
        return self._asdict()


class Alarms(NamedTuple):
    """Those two of the numbers that ask for somebody at once; they cost little."""

    needs_you: int
    undelivered: int


class News(NamedTuple):
    """Something that happened, and the letter that it is about, if there is one."""

    deed: Deed
    to: tuple[str, ...] = ()
    state: str | None = None
    letter: str | None = None
    sender: str | None = None
    thread: str | None = None
    subject: str | None = None
    letters: int = 1

    def to_json(self) -> Json:
        """What happened, without the facts that only the journal needs."""
        deed = {key: value for key, value in self.deed.to_json().items() if key != "data"}
        rest = {key: value for key, value in self._asdict().items() if key != "deed"}
        return filled({**deed, **rest, "to": list(self.to)})


class Pair(NamedTuple):
    """How many letters one wrote to another, and when the last."""

    sender: str
    to: str
    letters: int
    last_at: int
    is_hot: bool = False  # a letter a minute, or more

    def to_json(self) -> Json:
        shown = {"from": self.sender, "to": self.to, "letters": self.letters,
                 "last_at": when(self.last_at)}  # fmt: skip
        return shown | {"hot": True} if self.is_hot else shown


def numbers(desk: Desk, caller: Caller) -> Numbers:
    """The five numbers that say whether anything is wrong."""
    now, most = desk.world.now(), MOST_COUNTED
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        project = caller.project
        return Numbers(
            count_needed(tables, caller, me, most),
            tables.value(_LOST, project, most),
            tables.value(_UNREAD_LONG, project, now - TOO_LONG_MINUTES * 60_000, most),
            tables.value(_AWAITED, project, _RECENT, most),
            len(held_in(tables, project, now)),
        )


def alarms(desk: Desk, caller: Caller) -> Alarms:
    """What stands beside every view."""
    with desk.database.reading() as tables:
        me = person_of(tables, caller)
        needed = count_needed(tables, caller, me, MOST_COUNTED)
        return Alarms(needed, tables.value(_LOST, caller.project, MOST_COUNTED))


def news(desk: Desk, caller: Caller, limit: int = 30, after: str | None = None) -> tuple[News, ...]:
    """What happened in the project, the newest first. `after` is a position."""
    within(limit, "limit", 1, _MOST_EVENTS)
    before = position_in(after) or 1 << 62
    with desk.database.reading() as tables:
        person_of(tables, caller)
        rows = newest(tables, caller.project, before, limit)
        heads = [(row[0], json.loads(row[1])) for row in rows]
        return tuple(_told(tables, heads))


def chronicle(
    desk: Desk,
    caller: Caller,
    limit: int = 50,
    after: str | None = None,
    actor: str | None = None,
    kind: str | None = None,
) -> tuple[News, ...]:
    """The project's log, each event with the letter that it is about."""
    deeds = log(desk, caller, limit, after, actor, kind)
    with desk.database.reading() as tables:
        person_of(tables, caller)
        rows = tables.all(_HEADS, json.dumps([deed.position for deed in deeds]))
        heads = {row[0]: json.loads(row[1]) for row in rows}
        whole = [(deed.position, heads[deed.position]) for deed in deeds]
        told = list(_told(tables, whole))
    return tuple(one._replace(deed=deed) for one, deed in zip(told, deeds, strict=True))


def traffic(desk: Desk, caller: Caller, minutes: int = 15) -> tuple[Pair, ...]:
    """Who wrote to whom, and how often: of the newest 20,000 letters, those so recent."""
    within(minutes, "minutes", 1, LONGEST_SPAN)
    since = desk.world.now() - minutes * 60_000
    with desk.database.reading() as tables:
        person_of(tables, caller)
        rows = tables.all(_TRAFFIC, caller.project, since, _MOST_LETTERS)
    found: dict[tuple[str, str], Pair] = {}
    for sender, recipients, count, last_at in rows:
        for to in listed(recipients):
            before = found.get((sender, to), Pair(sender, to, 0, 0))
            both = before.letters + count, max(before.last_at, last_at)
            found[sender, to] = Pair(sender, to, *both)
    busiest = sorted(found.values(), key=lambda pair: (-pair.letters, pair.sender, pair.to))
    hot = max(minutes, _LEAST_HOT)
    return tuple(one._replace(is_hot=True) if one.letters >= hot else one for one in busiest)


def _told(tables: Tables, heads: list[tuple[int, Json]]) -> Iterator[News]:
    about = {position: _about(position, head) for position, head in heads}
    wanted = {letter for letter, _ in about.values() if letter}
    rows = tables.all(_LETTERS, json.dumps(sorted(wanted)))
    letters: Mapping[int, Row] = {row[0]: row for row in rows}
    boxes = {box for _, found in about.values() for box in found}
    names = {row[0]: row[1] for row in tables.all(_AGENTS, json.dumps(sorted(boxes)))}
    for position, head in heads:
        data = head["data"]
        letter, found = about[position]
        to = tuple(data["to"]) if "boxes" in data else tuple(names[box] for box in found)
        state = word_of(data["state"]) if "deliveries" in data else None
        row = letters.get(letter)
        count = len({pair[0] for pair in data.get("deliveries", ())}) or 1
        told = News(deed_of(position, head), to, state, letters=count)
        if row is not None:
            told = told._replace(letter=row[1], sender=row[2], thread=row[3], subject=row[4])
        yield told


def _about(position: int, head: Json) -> tuple[int, tuple[int, ...]]:
    """The position of the letter that an event is about (or 0), and the boxes that it moved in."""
    data = head["data"]
    if "boxes" in data:
        return position, ()
    if one := data.get("delivery"):
        return one[0], (one[1],)
    if "dialect" in data and isinstance(data.get("letter"), int):
        return data["letter"], ()
    if moved := data.get("deliveries"):
        return moved[0][0], tuple(dict.fromkeys(pair[1] for pair in moved))[:20]
    return 0, ()
