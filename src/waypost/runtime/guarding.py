"""Whether a letter may go on to a recipient: the guards of the bridge, asked with what is known."""

from waypost.bridge.guards import ROOM, Limits, Passing, Ruling, Step, Verdict, judge
from waypost.office import Office, talk
from waypost.office.apart import why_held
from waypost.office.consigning import Consignment, Pending
from waypost.office.delivering import PAIR
from waypost.office.holding import ALLOWED
from waypost.office.members import POSTMASTER

_DIALECTS = {"folder": "oacp", "key": "acp"}


class Guards:
    """The guards of one process, with its limits."""

    def __init__(self, office: Office, limits: Limits | None = None) -> None:
        self._desk = office.desk
        self._limits = limits or Limits()

    def judge(self, letter: Consignment, delivery: Pending, size: int) -> Ruling:
        """What becomes of a letter on its way to one recipient."""
        if delivery.guard != ALLOWED and (why := self._kept_apart(letter, delivery)):
            return Ruling(Verdict.HOLD, PAIR, why)
        now, limits = self._desk.world.now(), self._limits
        said, name = self._desk.talk, delivery.name
        chain: tuple[Step, ...] = ()
        recent = 0
        with self._desk.database.reading() as tables:
            if delivery.guard != ALLOWED and letter.sender != POSTMASTER:
                since = now - limits.pair_minutes * 60_000
                who = delivery.box, letter.sender, since, limits.pair, letter.position
                chain = said.chain(tables, letter.project, letter.reply_to, name)
                if letter.position > limits.pair:  # else there aren't as many letters
                    recent = talk.recent(tables, *who)
            step = Step(letter.sender, name, "", is_empty=False)
            if chain:  # without one nobody asks what it says
                step = said.step(tables, letter.position, letter.sender, name)
        passing = Passing(
            letter=step,
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
        with self._desk.database.reading() as tables:
            return why_held(tables, letter.project, letter.sender, delivery.name)
