"""How a door talks to an office: a use-case by name, with arguments of JSON, and JSON comes back.

The office may be this process over the embedded journal, or one that runs elsewhere and is asked
over HTTP; a door can't tell which by what it gets, errors neither.
"""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from waypost.errors import NotFoundError
from waypost.runtime.config import Setting

if TYPE_CHECKING:
    from waypost.office import Office
    from waypost.runtime.place import Place

Json = dict[str, Any]
_PAUSE_SECONDS = 1.0


class Client:
    """An office as one agent of one project sees it: the one interface of all doors."""

    where: Setting  # its home, or its address
    agent: Setting
    project: Setting

    def call(self, use_case: str, arguments: Mapping[str, Any], agent: str | None = None) -> Json:
        """Do something, as another agent if one is named. Raises kinds of WaypostError."""
        raise NotImplementedError

    def ask(self, use_case: str, /, **arguments: Any) -> Json:
        """Do something with what is given; None counts as left out."""
        return self.call(use_case, {key: one for key, one in arguments.items() if one is not None})

    def position(self) -> int:
        """Where the journal ends now."""
        raise NotImplementedError

    def pause(self, after: int) -> None:
        """Wait a moment, or until the journal goes beyond a position."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of everything."""

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


class InProcess(Client):
    """An office over its own home."""

    def __init__(
        self, office: "Office", where: Setting, project: Setting, agent: Setting, door: str
    ) -> None:
        self.office = office
        self.where = where
        self.project = project
        self.agent = agent
        self.door = door
        self.folders: str | None = None
        self._dispatched = -1

    def dispatch(self) -> None:
        """Do what a server would: take what is new in folders, bring there what waits."""
        from waypost.runtime.lock import is_served

        if self.folders is None or is_served(self.where.value):
            return
        project = self.project.value
        if os.path.isdir(f"{self.folders}/projects/{project}") or self.office.has_folders(project):
            from waypost.runtime.logs import warn_in_lines
            from waypost.runtime.post_office import dispatch_once

            warn_in_lines()
            dispatch_once(self.office, self.folders, project)
        self._dispatched = self.office.last()

    def call(self, use_case: str, arguments: Mapping[str, Any], agent: str | None = None) -> Json:
        """Do something; whoever holds the home may speak for anyone in it."""
        from waypost.office.callers import Caller
        from waypost.office.calls import call

        caller = Caller(agent or self.agent.value, self.project.value, self.door)
        return call(self.office, use_case, caller, arguments)

    def position(self) -> int:
        """Where the journal ends."""
        return self.office.last()

    def pause(self, after: int) -> None:
        """Wait until something happened, and look up now and then."""
        self.office.wait(after, _PAUSE_SECONDS)

    def close(self) -> None:
        """Close the office, once what was sent is on its way."""
        try:
            if self.office.last() != self._dispatched:
                self.dispatch()
        finally:
            self.office.close()


def open_home(place: "Place", *, may_be_new: bool = False) -> "Office":
    """The office of a home. Raises NotFoundError when there is none and none is to be made."""
    from waypost.office import open_office
    from waypost.office.database import FILE

    home, journal = place.home.value, place.journal()
    if not may_be_new and journal is None and not os.path.lexists(os.path.join(home, FILE)):
        raise NotFoundError(f"there is no office in {home} yet", hint="waypost init makes one")
    return open_office(home, journal=journal)


def connect(
    place: "Place",
    project: str | None,
    agent: str | None,
    *,
    person: str | None = None,
    door: str = "cli",
    speaks: bool = True,
) -> Client:
    """Reach the office that is meant, as the agent that is meant.

    `person` is who speaks when no agent is named anywhere; who only looks needs none. Raises
    UsageError, NotFoundError, and what keeps an office from opening.
    """
    if (url := place.config.look("office.url")) is not None:
        from waypost.runtime.remote import Remote

        return Remote(url, place.environment, project, agent)
    office = open_home(place)
    try:
        found = place.project(project, office.projects)
        who = place.agent(agent, lambda: office.names(found.value), person, speaks=speaks)
    except BaseException:
        office.close()
        raise
    client = InProcess(office, place.home, found, who, door)
    if place.journal() is None:  # of many nodes only one carries, and that is a server
        client.folders = os.path.expanduser(place.config.find("folders.home").value)
        client.dispatch()
    return client
