"""Brings letters to folders: asks the guards, lets the carrier go, notes what didn't arrive."""

import logging
from collections.abc import Mapping, Sequence

from waypost.bridge.guards import Limits, Verdict
from waypost.carriers.folders.home import Home
from waypost.errors import InvalidMessageError, NoTranslationError, WaypostError, words_of
from waypost.office import Office, bouncing, carrying, consigning
from waypost.office.consigning import Consignment, Pending
from waypost.runtime.folder_post import ALIEN_SECONDS, FolderPost, Load
from waypost.runtime.guarding import Guards

FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0
PATIENCE_SECONDS = 24 * 3600.0  # that a letter is tried for which says nothing of its expiry
Waiting = Mapping[int, Sequence[Pending]]  # by letter
log = logging.getLogger("waypost.dispatch")


class Courier:
    """Makes single deliveries. Knows nothing of queues; used by the dispatcher and by commands."""

    def __init__(self, office: Office, home: Home, limits: Limits | None = None) -> None:
        self.office = office
        self._folders = FolderPost(office, home)
        self._guards = Guards(office, limits)

    def to_folders(self, waiting: Waiting) -> dict[int, float]:
        """Bring letters into folders; gives in how many seconds some have to be tried again."""
        letters = consigning.consignments(self.office.desk, waiting)
        pauses: dict[int, float | None] = {}
        loads = []
        for position, mine in waiting.items():
            letter, deliveries = letters[position], self._ours(mine)
            if not deliveries:
                pauses[position] = FIRST_PAUSE  # another node's affair now, perhaps for a moment
                continue
            if (pause := self._too_early(letter)) > 0:
                pauses[position] = pause
                continue
            try:
                load = self._load(letter, deliveries)
            except (WaypostError, OSError) as error:
                pauses[position] = self._failed(letter, deliveries, error)
            else:
                loads.append(load)
        loads = [load for load in loads if self._ours(load.deliveries)]
        for load, failure in zip(loads, self._folders.carry(loads), strict=True):
            if failure is not None:
                pauses[load.letter.position] = self._failed(load.letter, load.deliveries, failure)
        return {position: pause for position, pause in pauses.items() if pause is not None}

    def _ours(self, deliveries: Sequence[Pending]) -> Sequence[Pending]:
        """Those that this node may make at this moment."""
        carries = self.office.desk.journal.company.carries
        return [one for one in deliveries if carries(one.node)]

    def is_bringing(self, path: str) -> bool:
        """Whether a file in an inbox is ours, and on its way into the journal."""
        return path in self._folders.bringing

    def _load(self, letter: Consignment, deliveries: Sequence[Pending]) -> Load:
        rendering = self._folders.rendering(letter, deliveries)
        size = len(rendering.message)
        return Load(
            letter, rendering, [one for one in deliveries if self.may_go(letter, one, size)]
        )

    def _failed(
        self, letter: Consignment, deliveries: Sequence[Pending], error: Exception
    ) -> float | None:
        """Note that a letter can't be brought now, or never; gives the seconds to the next try."""
        if isinstance(error, (InvalidMessageError, NoTranslationError)):
            for one in deliveries:
                bouncing.bounce(self.office.desk, letter, one, error.details)
            return None
        pauses = [self.again(letter, one, _why(error)) for one in deliveries]
        return min((pause for pause in pauses if pause is not None), default=None)

    def may_go(self, letter: Consignment, delivery: Pending, size: int) -> bool:
        """Ask the guards; what they say against it is noted."""
        ruling = self._guards.judge(letter, delivery, size)
        if ruling.verdict is Verdict.BOUNCE:
            bouncing.bounce(self.office.desk, letter, delivery, ruling.reason)
        elif ruling.verdict is Verdict.HOLD:
            log.warning("a letter from %s to %s in %s is held: %s", letter.sender, delivery.name,
                        letter.project, ruling.reason)  # fmt: skip
            carrying.waits(self.office.desk, delivery, ruling.reason, guard=ruling.guard)
        return ruling.verdict is Verdict.ALLOW

    def again(self, letter: Consignment, delivery: Pending, why: str) -> float | None:
        """Note a try in vain; gives the seconds to the next, or None when it is given up."""
        now = self.office.desk.world.now()
        since = delivery.since or now
        until = letter.expires_at or since + int(PATIENCE_SECONDS * 1000)
        pause = min(FIRST_PAUSE * 2 ** min(delivery.tries, 12), _LONGEST_PAUSE)
        next_at = now + int(pause * 1000)
        if now >= until:
            tried = f"tried {delivery.tries + 1} times; the last time: {why}"
            bouncing.bounce(self.office.desk, letter, delivery, tried)
            return None
        next_at = min(next_at, until)
        carrying.waits(self.office.desk, delivery, why, next_at)
        return (next_at - now) / 1000

    def _too_early(self, letter: Consignment) -> float:
        """How long a tool that we don't know may still be writing this to its recipients."""
        if letter.door != "folder" or letter.dialect != "oacp":
            return 0.0
        age = (self.office.desk.world.now() - letter.sent_at) / 1000
        return max(0.0, ALIEN_SECONDS - age)


def _why(error: Exception) -> str:
    return error.details if isinstance(error, WaypostError) else words_of(error)
