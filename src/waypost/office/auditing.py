"""The proof: is the journal whole, who did what, and taking out what should never have been in."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from waypost.errors import NotAllowedError, NotFoundError, quoted
from waypost.office import attachments, finding, members
from waypost.office.apply import KINDS
from waypost.office.callers import Caller, checked_caller
from waypost.office.checks import required_text, within
from waypost.office.database import Database
from waypost.office.deciding import Desk, event_of
from waypost.office.events import PROVEN, START, Entry, Event, Json, digest, link
from waypost.office.statements import TIP
from waypost.office.tables import Row, Tables
from waypost.office.threads import position_in
from waypost.office.views import filled, when

_BATCH = 1000
_MOST_FLAWS = 100
# As bytes, whatever somebody put there; the last column says whether the kinds are as they were.
_RAW = (
    "SELECT events.position, CAST(head AS BLOB), CAST(chain AS BLOB), CAST(texts AS BLOB),"
    " CAST(message AS BLOB), typeof(head) = 'text' AND typeof(chain) = 'blob'"
    " AND typeof(texts) IN ('text', 'null') AND typeof(message) IN ('blob', 'null')"
    " FROM events LEFT JOIN contents ON contents.position = events.position"
    " WHERE events.position > ? ORDER BY events.position LIMIT ?"
)
_STRAYS = (
    "SELECT position FROM contents WHERE position NOT IN (SELECT position FROM events) LIMIT 9"
)
_LOG = (
    "SELECT events.position, head, json_extract(texts, '$.reason') FROM deeds"
    " CROSS JOIN events ON events.position = deeds.position"
    " LEFT JOIN contents ON contents.position = events.position"
    " WHERE project = ? AND actor = ? AND kind = ? AND deeds.position < ?"
    " ORDER BY deeds.position DESC LIMIT ?"
)
_TRANSLATIONS = "SELECT position FROM translations WHERE letter = ?"
_KEPT = "SELECT 1 FROM contents WHERE position = ? AND coalesce(texts, message) IS NOT NULL"
_RENEWALS = (  # which took over the reason that the letter gave
    "SELECT later.id FROM reservations AS later JOIN reservations AS first USING (project, agent)"
    " WHERE first.id = ? AND later.id > first.id AND later.reason = first.reason"
    " AND later.reason != '' AND later.id NOT IN (SELECT position FROM letters)"
)
_NOTES = "SELECT noted FROM deliveries WHERE letter = ? AND noted IS NOT NULL"
_ATTACHMENT = "SELECT position FROM attachments WHERE project = ? AND sha256 = ?"


class Flaw(NamedTuple):
    """A place where the journal isn't as it was written."""

    position: int
    what: str

    def to_json(self) -> Json:
        return self._asdict()


class Verification(NamedTuple):
    """Whether the journal is whole. The tip is its end, to be noted elsewhere and compared."""

    events: int
    tip: str
    flaws: tuple[Flaw, ...]

    @property
    def is_whole(self) -> bool:
        return not self.flaws

    def to_json(self) -> Json:
        flaws = [flaw.to_json() for flaw in self.flaws]
        return {"whole": self.is_whole, "events": self.events, "tip": self.tip, "flaws": flaws}


class Deed(NamedTuple):
    """Who did what, when, through which door, proven or claimed."""

    position: int
    kind: str
    project: str
    actor: str
    door: str
    proof: str
    at: int
    data: Json
    reason: str | None = None  # that was given for it, as far as the log tells it

    def to_json(self) -> Json:
        return filled({**self._asdict(), "at": when(self.at)})


class Removal(NamedTuple):
    """What was taken out: how many contents, and under which event that stands."""

    removed: int
    position: int

    def to_json(self) -> Json:
        return self._asdict()


def verify(desk: Desk) -> Verification:
    """Go through the whole journal: chain, order, and the hashes of all contents that are there."""
    return verified(desk.database)


def verified(database: Database) -> Verification:
    """The same of an office that nobody works with."""
    flaws: list[Flaw] = []
    chain, last = START, 0
    removed: set[int] = set()
    suspects: list[int] = []
    with database.reading() as tables:
        for row in _rows(tables):
            flaws += _gap(last, row[0])
            flaws += _changed(row, chain)
            suspects += _bare(row)
            removed.update(_removed_by(row[1]))
            chain, last = row[2], row[0]
        tip = tables.one(TIP)
        strays = tables.all(_STRAYS)
    if tip is None or tip[0] != last or (tip[1] != chain and not flaws):
        flaws.append(Flaw(last + 1, "the journal doesn't end where it did"))
    flaws += [Flaw(at, "a content is gone, and nothing says why") for at in suspects
              if at not in removed]  # fmt: skip
    flaws += [Flaw(row[0], "a content belongs to no event") for row in strays]
    return Verification(last, chain.hex(), tuple(sorted(flaws)[:_MOST_FLAWS]))


def log(
    desk: Desk,
    caller: Caller,
    limit: int = 50,
    after: str | None = None,
    actor: str | None = None,
    kind: str | None = None,
) -> tuple[Deed, ...]:
    """What was done in the caller's project, the newest first. `after` is a position."""
    within(limit, "limit", 1, 1000)
    before = position_in(after) or 1 << 62
    with desk.database.reading() as tables:
        _check_auditor(tables, caller)
        rows = newest(tables, caller.project, before, limit, actor, kind)
    return tuple(deed_of(at, json.loads(head))._replace(reason=why) for at, head, why in rows)


def newest(
    tables: Tables,
    project: str,
    before: int,
    limit: int,
    actor: str | None = None,
    kind: str | None = None,
) -> list[Row]:
    """Position, head and reason of a project's newest events, however much happened elsewhere.

    The newest of all are among the newest of each kind.
    """
    found: list[Row] = []
    for one in (kind,) if kind else KINDS:
        found += tables.all(_LOG, project, actor or "", one, before, limit)
    return sorted(found, key=lambda row: -row[0])[:limit]


def export(desk: Desk) -> Iterator[str]:
    """The whole journal as lines of JSON: heads as they are chained, texts and messages as text."""
    with desk.database.reading() as tables:
        for position, head, chain, texts, message, _ in _rows(tables):
            line = {"position": position, "head": _said(head), "chain": chain.hex()}
            line["texts"] = _said(texts) if texts else None
            line["message"] = message.decode("utf-8", "backslashreplace") if message else None
            yield json.dumps(filled(line), ensure_ascii=False)


def redact(desk: Desk, caller: Caller, what: str, reason: str) -> Removal:
    """Take a letter's or attachment's content out for good; that it was there stays on record.

    `what` is an id of a letter, the beginning of one, or the address of an attachment.
    """
    checked_caller(caller)
    why = required_text(reason, "the reason", 1000)
    now = desk.world.now()

    def decision(tables: Tables) -> Event:
        _check_auditor(tables, caller)
        kept = [at for at in _positions(tables, caller, what) if tables.one(_KEPT, at)]
        if not kept:
            hint = "waypost audit log --kind contents.removed"
            raise NotFoundError("what that said was removed before", hint=hint)
        data = {"positions": kept, "for_good": True}
        return event_of(caller, "contents.removed", now, data, {"reason": why})

    removed: list[int] = []

    def shown(entry: Entry) -> Removal:
        removed.extend(entry.event.data["positions"])
        return Removal(len(removed), entry.position)

    removal = desk.decide([], decision, shown)
    desk.journal.erase(removed)
    return removal


def deed_of(position: int, head: Json) -> Deed:
    """An event's head as everybody sees it."""
    data = {key: value for key, value in head["data"].items() if key not in _PRIVATE}
    who = head["project"], head["actor"], head["door"], head["proof"]
    return Deed(position, head["kind"], *who, head["at"], data)


_PRIVATE = ("token", "boxes", "from_box", "given")


def _rows(tables: Tables) -> Iterator[Row]:
    last = 0
    while rows := tables.all(_RAW, last, _BATCH):
        yield from rows
        last = rows[-1][0]


def _gap(last: int, position: int) -> Iterator[Flaw]:
    if position == last + 2:
        yield Flaw(last + 1, "the event is missing")
    elif position > last + 1:
        yield Flaw(last + 1, f"the events up to {position - 1} are missing")


def _changed(row: Row, chain: bytes) -> Iterator[Flaw]:
    position, head, chained, texts, message, is_kept_so = row
    if link(chain, head) != chained:
        yield Flaw(position, "the event or its place was changed")
    elif not is_kept_so:
        yield Flaw(position, "a value was changed to one of another kind")
    facts = _facts(head)
    if texts is not None and facts.get("texts") != digest(texts):
        yield Flaw(position, "the texts of the event were changed")
    if message is not None and facts.get("message") != digest(message):
        yield Flaw(position, "the message of the event was changed")


def _bare(row: Row) -> Iterator[int]:
    """The position, if the head speaks of contents that aren't there."""
    facts = _facts(row[1])
    if ("texts" in facts and row[3] is None) or ("message" in facts and row[4] is None):
        yield row[0]


def _removed_by(head: bytes) -> list[int]:
    facts = _facts(head)
    data = facts.get("data")
    if facts.get("kind") != "contents.removed" or not isinstance(data, dict):
        return []
    positions = data.get("positions")
    return [at for at in positions if isinstance(at, int)] if isinstance(positions, list) else []


def _facts(head: bytes) -> Json:
    facts = _said(head)
    return facts if isinstance(facts, dict) else {}


def _said(text: bytes) -> Any:
    """What JSON says; of what is none, the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.decode("utf-8", "backslashreplace")


def _positions(tables: Tables, caller: Caller, what: str) -> list[int]:
    if what.startswith(attachments.SCHEME):
        found = tables.value(_ATTACHMENT, caller.project, attachments.hash_in(what))
        if found is None:
            raise NotFoundError(f"{caller.project} keeps no {quoted(what, 100)}")
        return [found]
    everyone = members.of_caller(tables, caller)._replace(kind=members.PERSON)
    letter = finding.position_of(tables, caller.project, everyone, what)
    more = [
        row for query in (_NOTES, _TRANSLATIONS, _RENEWALS) for row in tables.all(query, letter)
    ]
    return [letter, *(row[0] for row in more)]


def _check_auditor(tables: Tables, caller: Caller) -> None:
    """The owner of this home may, and people with a token; agents with one may not."""
    if caller.proof == PROVEN and not members.of_caller(tables, caller).sees_all:
        raise NotAllowedError("only people look into the journal", hint="ask_human")
