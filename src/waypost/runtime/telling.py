"""Tells people who look away what needs them: each need once, by the ways that are configured.

A need is claimed at the office before it is told; so it is told once at most, also by two servers
and across crashes. Who looks at a page is told by the page. Only so much is told in an hour; what
is more waits for the next.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence

from waypost.errors import WaypostError
from waypost.faces.audience import Audience
from waypost.faces.web.showing import segment, url
from waypost.office import Office
from waypost.office.callers import Caller
from waypost.office.views import Header, when
from waypost.runtime.notify import Channel, Need

_LONGEST_LOOK, _BREATH = 5.0, 0.5
_AT_ONCE, MOST_AN_HOUR, _HOUR = 10, 60, 3600.0
log = logging.getLogger("waypost.tell")


class Teller:
    """Follows the journal in a thread of its own, for as long as there is a way to tell."""

    def __init__(
        self, office: Office, audience: Audience, channels: Sequence[Channel], site: str
    ) -> None:
        self.audience = audience
        self._office, self._channels, self._site = office, channels, site
        self._stopped, self._nudged = threading.Event(), threading.Event()
        self._told: deque[float] = deque()
        self._thread = threading.Thread(target=self._follow, name="waypost-tell", daemon=True)

    def start(self) -> None:
        """Begin; where no way is configured there is nothing to do."""
        if self._channels:
            self._remove = self._office.add_listener(lambda _: self._nudged.set())
            self._thread.start()

    def stop(self) -> None:
        """End, after what is being told now."""
        self._stopped.set()
        self._nudged.set()
        if self._channels:
            self._remove()
            self._thread.join()

    def _follow(self) -> None:
        while not self._stopped.is_set():
            self._nudged.clear()
            try:
                for need in self._needs():
                    self._tell(need)
            except WaypostError as error:
                log.error("nobody can be told now: %s", error.details)
            except Exception:
                log.exception("telling people failed")
            self._nudged.wait(_LONGEST_LOOK)
            self._stopped.wait(_BREATH)

    def _needs(self) -> list[Need]:
        """What we have the claim to, each with all of those whom it is told to."""
        found: dict[tuple[str, str], tuple[Header, list[str]]] = {}
        for project, name in self._office.people():
            if self._room() and self.audience.is_away((project, name)):
                caller = Caller(name, project)
                for letter in self._office.claim(caller, min(_AT_ONCE, self._room())).letters:
                    people = found.setdefault((project, letter.id), (letter, []))[1]
                    people.append(name)
                    self._told.append(time.monotonic())
        return [
            self._need(project, letter, people) for (project, _), (letter, people) in found.items()
        ]

    def _room(self) -> int:
        """How much may still be told in this hour."""
        while self._told and time.monotonic() - self._told[0] > _HOUR:
            self._told.popleft()
        return MOST_AN_HOUR - len(self._told)

    def _need(self, project: str, letter: Header, people: list[str]) -> Need:
        link = self._site + url("/thread", id=letter.thread) + "#" + segment(letter.id)
        facts = {
            "project": project, "letter": letter.id, "from": letter.sender,
            "subject": letter.subject, "type": letter.type, "priority": letter.priority.word,
            "sent_at": when(letter.sent_at), "link": link,
        }  # fmt: skip
        whole = self._office.read(Caller(people[0], project), letter.id, peek=True)
        return Need(tuple(people), facts, whole.text)

    def _tell(self, need: Need) -> None:
        for channel in self._channels:
            if self._stopped.is_set():
                log.warning("%s was not told by %s: the server stops", need.title, channel.name)
                continue
            try:
                channel.tell(need)
            except WaypostError as error:
                log.error("%s was not told by %s: %s", need.title, channel.name, error.details)
