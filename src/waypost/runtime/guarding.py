"""Whether a letter may go on to a recipient: the guards of the bridge, asked with what is known."""

from collections import OrderedDict

from waypost.bridge.content import take_apart
from waypost.bridge.guards import ROOM, Limits, Passing, Ruling, Step, Verdict, judge
from waypost.dialects import dialect
from waypost.errors import WaypostError
from waypost.office import Office, consigning
from waypost.office.apply import PAIR
from waypost.office.consigning import Consignment, Pending
from waypost.office.holding import ALLOWED
from waypost.office.members import POSTMASTER
from waypost.office.pairing import why_held

_MOST_STEPS = 100
_MOST_REMEMBERED = 20_000
_DIALECTS = {"folder": "oacp", "key": "acp"}


class Guards:
    """The guards of one process, which remember what letters said."""

    def __init__(self, office: Office, limits: Limits | None = None) -> None:
        self._office = office
        self._limits = limits or Limits()
        self._said: OrderedDict[int, str] = OrderedDict()

    def judge(self, letter: Consignment, delivery: Pending, size: int) -> Ruling:
        """What becomes of a letter on its way to one recipient."""
        if delivery.guard != ALLOWED and (why := self._kept_apart(letter, delivery)):
            return Ruling(Verdict.HOLD, PAIR, why)
        now = self._office.desk.world.now()
        limits = self._limits
        is_free = delivery.guard == ALLOWED or letter.sender == POSTMASTER
        chain = () if is_free else tuple(self._chain(letter, delivery.name))
        since = now - limits.pair_minutes * 60_000
        recent = 0
        if not is_free:
            desk = self._office.desk
            recent = consigning.recent(desk, letter, delivery.box, since, limits.pair)
        passing = Passing(
            letter=Step.of(letter.sender, delivery.name, self._text(letter)),
            size=size,
            room=ROOM[_DIALECTS.get(delivery.carrier, "oacp")],
            now=now,
            here="",
            expires_at=letter.expires_at,
            chain=chain,
            recent=recent,
        )
        return judge(passing, limits)

    def _kept_apart(self, letter: Consignment, delivery: Pending) -> str | None:
        """Why a person keeps these two apart, if one does."""
        with self._office.desk.database.reading() as tables:
            return why_held(tables, letter.project, letter.sender, delivery.name)

    def _chain(self, letter: Consignment, recipient: str) -> list[Step]:
        steps = []
        for one in consigning.chain(self._office.desk, letter, _MOST_STEPS):
            to = recipient if recipient in one.to else one.to[0]
            steps.append(Step.of(one.sender, to, self._text_at(one.position)))
        return steps

    def _text_at(self, position: int) -> str:
        if position not in self._said:
            self._text(consigning.consignment(self._office.desk, position))
        return self._said.get(position, "")

    def _text(self, letter: Consignment) -> str:
        """What a letter says, without its envelope."""
        if letter.position not in self._said:
            self._said[letter.position] = _words_of(letter)
            while len(self._said) > _MOST_REMEMBERED:
                self._said.popitem(last=False)
        return self._said[letter.position]


def _words_of(letter: Consignment) -> str:
    try:
        content = take_apart(dialect(letter.dialect).read(letter.message or b""))
    except (WaypostError, LookupError):  # what can't be read says what its subject says
        return letter.subject
    part = content.text or content.title
    return str(part.value)[:20_000] if part else letter.subject
