"""Hands letters over: follows the journal, asks the guards, lets a carrier go, notes what came.

Nothing is remembered here that must survive: what still has to go is what the office's tables call
stored. So a dispatcher begins by asking for that, and follows the events from there.
"""

import heapq
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from waypost.bridge.guards import Limits, Verdict
from waypost.carriers.folders.home import Home
from waypost.errors import InvalidMessageError, NoTranslationError, WaypostError, words_of
from waypost.office import Office, bouncing, carrying, consigning
from waypost.office.consigning import Consignment, Pending
from waypost.office.events import Entry
from waypost.office.members import FOLDER, POSTMASTER
from waypost.runtime.folder_post import ALIEN_SECONDS, FolderPost
from waypost.runtime.guarding import Guards

_LANES = 8
_MOST_EVENTS = 1000
_LONGEST_LOOK = 1.0  # seconds without a look at the clock
_BREATH = 0.002  # after which letters that came together are looked at together
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 300.0
PATIENCE_SECONDS = 24 * 3600.0  # that a letter is tried for which says nothing of its expiry
log = logging.getLogger("waypost.dispatch")


class Live(Protocol):
    """The way to live peers, as the dispatcher sees it."""

    def take(self, letter: Consignment, delivery: Pending) -> None:
        """Bring a letter to a peer, and tell the dispatcher by `settled` when that is over."""


class Courier:
    """Makes single deliveries. Knows nothing of queues; used by the dispatcher and by commands."""

    def __init__(self, office: Office, home: Home, limits: Limits | None = None) -> None:
        self.office = office
        self._folders = FolderPost(office, home)
        self._guards = Guards(office, limits)

    def to_folders(self, position: int, deliveries: Sequence[Pending]) -> float | None:
        """Bring a letter into folders; gives in how many seconds it has to be tried again."""
        letter = consigning.consignment(self.office.desk, position)
        if (pause := self._too_early(letter)) > 0:
            return pause
        try:
            rendering = self._folders.rendering(letter, deliveries)
            open_ones = [
                one for one in deliveries if self.may_go(letter, one, len(rendering.message))
            ]
            if open_ones:
                self._folders.carry(letter, rendering, open_ones)
        except (InvalidMessageError, NoTranslationError) as error:
            for one in deliveries:
                bouncing.bounce(self.office.desk, letter, one, error.details)
        except (WaypostError, OSError) as error:
            pauses = [self.again(letter, one, _why(error)) for one in deliveries]
            return min((pause for pause in pauses if pause is not None), default=None)
        return None

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
        pause = min(_FIRST_PAUSE * 2 ** min(delivery.tries, 12), _LONGEST_PAUSE)
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


class Dispatcher:
    """Follows one office's journal, in threads of its own."""

    def __init__(self, courier: Courier) -> None:
        self.courier = courier
        self.live: Live | None = None
        self.followers: list[Callable[[Entry], None]] = []  # told of every event, in our thread
        self._office = courier.office
        self._lock = threading.Lock()
        self._under_way: set[tuple[int, int]] = set()
        self._later: list[tuple[float, int]] = []  # when, and which letter
        self._stopped = threading.Event()
        self._nudged = threading.Event()
        self._lanes = [
            ThreadPoolExecutor(1, thread_name_prefix=f"waypost-lane-{number}")
            for number in range(_LANES)
        ]
        self._thread = threading.Thread(target=self._follow, name="waypost-dispatch", daemon=True)

    def start(self) -> None:
        """Begin; what waited before goes first."""
        self._remove = self._office.add_listener(lambda _: self._nudged.set())
        self._thread.start()

    def stop(self) -> None:
        """End when what is under way is done."""
        self._stopped.set()
        self._nudged.set()
        self._remove()
        self._thread.join()
        for lane in self._lanes:
            lane.shutdown(wait=True, cancel_futures=True)

    @property
    def under_way(self) -> int:
        """How many deliveries are with a carrier now."""
        return len(self._under_way)

    def settled(self, delivery: Pending, pause: float | None = None) -> None:
        """A delivery is over: made, given up, or to be tried again after a pause."""
        with self._lock:
            self._under_way.discard((delivery.letter, delivery.box))
            if pause is not None:
                heapq.heappush(self._later, (time.monotonic() + pause, delivery.letter))
        if pause is not None:
            self._nudged.set()

    def hurry(self, key_id: str) -> None:
        """A peer is there: what waits for it goes now."""
        waiting = [one for one in consigning.pending(self._office.desk) if one.key_id == key_id]
        self._hand_out(one._replace(next_at=None) for one in waiting)

    # -- following -----------------------------------------------------------------------------

    def _follow(self) -> None:
        position, is_begun = 0, False
        while not self._stopped.is_set():
            self._nudged.clear()
            try:
                if not is_begun:
                    position = self._office.last()
                    self._hand_out(consigning.pending(self._office.desk))
                    is_begun = True
                position = self._catch_up(position)
                self._try_again()
            except WaypostError as error:  # a locked or full disk: what waits is still there
                log.error("dispatching pauses: %s", error.details)
                is_begun = False
            if self._nudged.wait(self._patience()):
                self._stopped.wait(_BREATH)

    def _catch_up(self, position: int) -> int:
        """Hand out what the events since a position brought; gives the new one."""
        while entries := self._office.desk.journal.read(position, _MOST_EVENTS):
            letters: set[int] = set()
            for entry in entries:
                data = entry.event.data
                for follower in self.followers:
                    follower(entry)
                if entry.event.kind == "letter.sent":
                    letters.add(entry.position)
                elif "delivery" in data and (data.get("guard") or not _is_ours(entry)):
                    letters.add(data["delivery"][0])  # a person had it go on, now or elsewhere
                elif entry.event.kind.startswith(("agent.", "pairs.")):
                    self._hand_out(consigning.pending(self._office.desk, entry.event.project))
            if letters:
                self._hand_out(consigning.pending(self._office.desk, letters=letters))
            position = entries[-1].position
        return position

    def _patience(self) -> float:
        with self._lock:
            if not self._later:
                return _LONGEST_LOOK
            return min(_LONGEST_LOOK, max(0.0, self._later[0][0] - time.monotonic()))

    def _try_again(self) -> None:
        due = []
        with self._lock:
            while self._later and self._later[0][0] <= time.monotonic():
                due.append(heapq.heappop(self._later)[1])
        if due:
            self._hand_out(consigning.pending(self._office.desk, letters=due))

    def _hand_out(self, found: Iterable[Pending]) -> None:
        """Give deliveries to their carriers, but those that are under way or not due."""
        now = self._office.desk.world.now()
        folders: dict[int, list[Pending]] = defaultdict(list)
        for one in found:
            key = (one.letter, one.box)
            with self._lock:
                if key in self._under_way:
                    continue
                if one.next_at is not None and one.next_at > now:
                    at = time.monotonic() + (one.next_at - now) / 1000
                    heapq.heappush(self._later, (at, one.letter))
                    continue
                self._under_way.add(key)
            if one.carrier == FOLDER:
                folders[one.letter].append(one)
            elif self.live is None:
                self.settled(one)
            else:
                letter = consigning.consignment(self._office.desk, one.letter)
                self.live.take(letter, one)
        for letter_position, deliveries in folders.items():
            lane = self._lanes[deliveries[0].box % _LANES]
            lane.submit(self._to_folders, letter_position, deliveries)

    def _to_folders(self, letter: int, deliveries: Sequence[Pending]) -> None:
        pause: float | None = _FIRST_PAUSE
        try:
            pause = self.courier.to_folders(letter, deliveries)
        except WaypostError as error:
            log.error("a letter could not be handed over: %s", error.details)
        except Exception:
            log.exception("a letter could not be handed over")
        finally:
            for one in deliveries:
                self.settled(one, pause)


def _is_ours(entry: Entry) -> bool:
    """Whether a carrier noted this, which has its own time for the next try."""
    return entry.event.actor == POSTMASTER


def carry_once(courier: Courier, project: str) -> None:
    """Bring the letters of a project into its folders, once: for commands without a server."""
    folders: dict[int, list[Pending]] = defaultdict(list)
    for one in consigning.pending(courier.office.desk, project):
        if one.carrier == FOLDER:
            folders[one.letter].append(one)
    for letter, deliveries in folders.items():
        courier.to_folders(letter, deliveries)
