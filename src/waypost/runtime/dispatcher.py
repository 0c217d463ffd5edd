"""Hands letters over: follows the journal, and gives to each carrier what is its own.

Nothing is remembered here that must survive: what still has to go is what the office's tables call
stored. So a dispatcher begins by asking for that, and follows the events from there.
"""

import heapq
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Protocol

from waypost.errors import WaypostError
from waypost.office import consigning
from waypost.office.consigning import Consignment, Pending
from waypost.office.events import Entry
from waypost.office.members import FOLDER, POSTMASTER
from waypost.runtime.courier import FIRST_PAUSE, Courier, Waiting

_LANES = 4
_MOST_AT_ONCE = 64  # letters of a lane that share their waits for the disk
_MOST_EVENTS = 1000
_LONGEST_LOOK = 1.0  # seconds without a look at the clock
_BREATH = 0.002  # after which letters that came together are looked at together
log = logging.getLogger("waypost.dispatch")


class Live(Protocol):
    """The way to live peers, as the dispatcher sees it."""

    def speaks_for(self, letter: Consignment) -> bool:
        """Whether the key of a letter's sender is here."""

    def take(self, letter: Consignment, delivery: Pending) -> None:
        """Bring a letter to a peer, and tell the dispatcher by `settled` when that is over."""


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
        self._is_begun = False
        self._queues: list[dict[int, list[Pending]]] = [{} for _ in range(_LANES)]
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

    def duties_changed(self) -> None:
        """Other deliveries may be ours now: look at all that wait."""
        self._is_begun = False
        self._nudged.set()

    def hurry(self, key_id: str) -> None:
        """A peer is there: what waits for it goes now."""
        waiting = [one for one in consigning.pending(self._office.desk) if one.key_id == key_id]
        self._hand_out(one._replace(next_at=None) for one in waiting)

    # -- following -----------------------------------------------------------------------------

    def _follow(self) -> None:
        position: int | None = None
        while not self._stopped.is_set():
            self._nudged.clear()
            try:
                if position is None:
                    position = self._office.last()
                if not self._is_begun:
                    self._is_begun = True
                    self._hand_out(consigning.pending(self._office.desk))
                position = self._catch_up(position)
                self._try_again()
            except WaypostError as error:  # a locked or full disk: what waits is still there
                log.error("dispatching pauses: %s", error.details)
                position, self._is_begun = None, False
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
        carries = self._office.desk.journal.company.carries
        folders: dict[int, list[Pending]] = defaultdict(list)
        for one in found:
            if not carries(one.node):
                continue
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
                self._to_peer(self.live, one)
        for letter_position, deliveries in folders.items():
            number = deliveries[0].box % _LANES
            with self._lock:
                self._queues[number].setdefault(letter_position, []).extend(deliveries)
        for number in {deliveries[0].box % _LANES for deliveries in folders.values()}:
            self._lanes[number].submit(self._empty, number)

    def _to_peer(self, live: Live, delivery: Pending) -> None:
        """Have a letter brought to a peer; one whose sender's key is elsewhere waits for that."""
        letter = consigning.consignment(self._office.desk, delivery.letter)
        me = self._office.desk.journal.company.me
        if me is None or delivery.node in (None, me) or live.speaks_for(letter):
            live.take(letter, delivery)
        else:
            self.settled(delivery)

    def _empty(self, number: int) -> None:
        """Bring what waits in a lane; what came together goes together."""
        while not self._stopped.is_set():
            with self._lock:
                queue = self._queues[number]
                some = {letter: queue.pop(letter) for letter in list(islice(queue, _MOST_AT_ONCE))}
            if not some:
                return
            pauses = self._to_folders(some)
            for letter, deliveries in some.items():
                for one in deliveries:
                    self.settled(one, pauses.get(letter))

    def _to_folders(self, waiting: Waiting) -> dict[int, float]:
        try:
            return self.courier.to_folders(waiting)
        except WaypostError as error:
            log.error("letters could not be handed over: %s", error.details)
        except Exception:
            if len(waiting) > 1:  # whichever it is mustn't keep the others
                alone = [self._to_folders({one: waiting[one]}) for one in waiting]
                return {letter: pause for pauses in alone for letter, pause in pauses.items()}
            log.exception("a letter could not be handed over")
        return dict.fromkeys(waiting, FIRST_PAUSE)


def _is_ours(entry: Entry) -> bool:
    """Whether a carrier noted this, which has its own time for the next try."""
    return entry.event.actor == POSTMASTER


def carry_once(courier: Courier, project: str) -> None:
    """Bring the letters of a project into its folders, once: for commands without a server."""
    folders: dict[int, list[Pending]] = defaultdict(list)
    for one in consigning.pending(courier.office.desk, project):
        if one.carrier == FOLDER:
            folders[one.letter].append(one)
    while folders:
        some = {letter: folders.pop(letter) for letter in list(islice(folders, _MOST_AT_ONCE))}
        courier.to_folders(some)
