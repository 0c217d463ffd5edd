"""What letters that answer each other say, and whether one more may come to who fetches its mail.

Carriers ask the guards on the way; mail that is fetched has no way, so it is judged when it is
sent. Only an answer can belong to a loop: whatever answers nothing is not looked at.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from waypost.bridge.content import take_apart
from waypost.bridge.guards import ROOM, Limits, Passing, Step, Verdict, judge
from waypost.dialects import dialect
from waypost.dialects.message import Message
from waypost.errors import WaypostError
from waypost.office.events import Event, Json
from waypost.office.finding import listed
from waypost.office.members import AGENT, FOLDER, KEY, POSTMASTER, Member
from waypost.office.states import State
from waypost.office.tables import Tables

MOST_STEPS = 100
_MOST_REMEMBERED = 5_000
_LINK = (
    "SELECT position, sender, recipients, reply_to FROM letters WHERE id = ? AND project = ?"
    " ORDER BY position LIMIT 1"
)
_SAID = (
    "SELECT dialect, message, subject FROM letters LEFT JOIN contents USING (position)"
    " WHERE position = ?"
)
_RECENT = (
    "SELECT count(*) FROM (SELECT 1 FROM deliveries JOIN letters ON letters.position = letter"
    " WHERE agent = ? AND rank IN (0, 1, 2, 3, 4, 5, 6, 7) AND deliveries.sent_at > ?"
    " AND sender = ? AND letter < ? LIMIT ?)"
)
_LATEST = 1 << 62
Key = TypeVar("Key")
Value = TypeVar("Value")
_Said = tuple[str, bool]  # the fingerprint of a text, and whether it says nothing


class _Link(NamedTuple):
    """A letter of a chain: where it is, and what it answers."""

    position: int
    sender: str
    to: tuple[str, ...]
    reply_to: str | None


class Talk:
    """What letters said and answered; that never changes, so a process remembers the latest."""

    def __init__(self) -> None:
        self._links: OrderedDict[tuple[str, str], _Link] = OrderedDict()
        self._said: OrderedDict[int, _Said] = OrderedDict()

    def chain(
        self, tables: Tables, project: str, reply_to: str | None, recipient: str
    ) -> tuple[Step, ...]:
        """The letters that led to an answer for a recipient, the oldest first."""
        steps: list[Step] = []
        while reply_to is not None and len(steps) < MOST_STEPS:
            link = self._link(tables, project, reply_to)
            if link is None:
                break
            whom = recipient if recipient in link.to or not link.to else link.to[0]
            steps.append(self.step(tables, link.position, link.sender, whom))
            reply_to = link.reply_to
        return tuple(steps[::-1])

    def step(self, tables: Tables, position: int, sender: str, recipient: str) -> Step:
        """A letter that is in the office as a step from one to another."""
        said = self._said.get(position)
        if said is None:
            row = tables.one(_SAID, position)
            assert row is not None
            read = Step.of("", "", words_of(dialect(row[0]).read(row[1] or b""), row[2]))
            said = _kept(self._said, position, (read.said, read.is_empty))
        return Step(sender, recipient, *said)

    def _link(self, tables: Tables, project: str, letter: str) -> _Link | None:
        link = self._links.get((project, letter))
        if link is None and (row := tables.one(_LINK, letter, project)) is not None:
            found = _Link(row[0], row[1], listed(row[2]), row[3])
            link = _kept(self._links, (project, letter), found)
        return link


def _kept(memory: OrderedDict[Key, Value], key: Key, value: Value) -> Value:
    """Remember a value, and forget the oldest beyond what is remembered."""
    memory[key] = value
    if len(memory) > _MOST_REMEMBERED:
        memory.popitem(last=False)
    return value


def words_of(message: Message, subject: str) -> str:
    """What a letter says, without its envelope."""
    try:
        content = take_apart(message)
    except (WaypostError, LookupError):  # what can't be read says what its subject says
        return subject
    part = content.text or content.title
    return str(part.value)[:20_000] if part else subject


def recent(
    tables: Tables, box: int, sender: str, since: int, most: int, before: int = _LATEST
) -> int:
    """How many letters a mailbox got from a sender since a time, and before a position.

    It is not counted beyond `most`.
    """
    return int(tables.value(_RECENT, box, since, sender, before, most))


def weighed(
    talk: Talk, tables: Tables, event: Event, message: Message, sender: Member, to: Sequence[Member]
) -> Event:
    """The event of a letter, which says for whom the guards hold it: nobody sees it there yet.

    What would be sent back on the way of a carrier is held here, too: a person decides.
    """
    data = event.data
    answered = data.get("reply_to")
    if answered is None or sender.kind != AGENT or sender.name == POSTMASTER:
        return event
    states = data.get("states") or [State.STORED] * len(to)
    held, reasons = [], []
    for member, state in zip(to, states, strict=True):
        is_fetched = member.kind == AGENT and member.carrier not in (FOLDER, KEY)
        if is_fetched and state == State.STORED:
            ruling = _judged(talk, tables, event, message, sender, member)
            if ruling is not None:
                held.append([member.id, ruling[0]])
                reasons.append(ruling[1])
    if not held:
        return event
    note = {"note": "; ".join(dict.fromkeys(reasons))}
    more: Json = {"held": held}
    return event._replace(data={**data, **more}, texts={**(event.texts or {}), **note})


def _judged(
    talk: Talk, tables: Tables, event: Event, message: Message, sender: Member, to: Member
) -> tuple[str, str] | None:
    """Which guard holds an answer on its way to a member, and why."""
    limits = Limits()
    chain = talk.chain(tables, event.project, event.data["reply_to"], to.name)
    since = event.at - limits.pair_minutes * 60_000
    is_long = len(chain) >= limits.pair  # a shorter chain has no so many letters of one
    subject = str((event.texts or {}).get("subject", ""))
    passing = Passing(
        letter=Step.of(sender.name, to.name, words_of(message, subject)),
        size=0,
        room=ROOM["oacp"],
        now=event.at,
        here="",
        chain=chain,
        recent=recent(tables, to.id, sender.name, since, limits.pair) if is_long else 0,
    )
    ruling = judge(passing, limits)
    return None if ruling.verdict is Verdict.ALLOW else (ruling.guard, ruling.reason)
