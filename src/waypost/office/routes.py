"""Letters that go into another project: `codex@shop`.

Projects keep their mail apart, so a letter belongs to one. Who is a member of the other project
as well writes there as that member; what answers it comes to the mailbox there.
"""

from collections.abc import Sequence

from waypost.bridge.routing import find
from waypost.errors import NotAllowedError, UnknownRecipientError, UsageError, quoted
from waypost.letters.names import did_you_mean
from waypost.office import members
from waypost.office.callers import Caller
from waypost.office.deciding import Desk
from waypost.office.events import CLAIMED, PROVEN
from waypost.office.members import PERSON
from waypost.office.tables import Tables

_AT = "@"  # which no name holds


def resolved(desk: Desk, caller: Caller, names: Sequence[str]) -> tuple[Caller, Sequence[str]]:
    """Who writes, in which project, and the bare names of whom it goes to there.

    Raises UnknownRecipientError, NotAllowedError, UsageError.
    """
    if not any(_AT in name for name in names):
        return caller, names
    with desk.database.reading() as tables:
        book = members.book(tables, caller.agent, caller.project)
        for name in names:
            _, at, wanted = name.partition(_AT)
            if at and wanted not in book.agents:
                raise UnknownRecipientError(
                    f"{caller.agent} is in no project called {quoted(wanted)}",
                    hint=did_you_mean(wanted, book.agents)
                    or "only its members write into a project; ask a person to pass it on",
                )
        routes = [find(book, name, caller.project) if _AT in name else None for name in names]
        projects = {route.project if route else caller.project for route in routes}
        if len(projects) > 1:
            raise UsageError(
                "a letter belongs to one project", hint="send it to each project on its own"
            )
        (project,) = projects
        bare = [name.partition(_AT)[0] for name in names]
        if project is None or project == caller.project:
            return caller, bare
        return _in_project(tables, caller, project), bare


def _in_project(tables: Tables, caller: Caller, project: str) -> Caller:
    """The caller as the member of another project that it is. Raises NotAllowedError.

    A token proves who one is in one project only, unless the same key, or a person, is in both.
    """
    here = members.of_caller(tables, caller)
    there = members.of_caller(tables, caller._replace(project=project))
    moved = caller._replace(project=project)
    if caller.proof != PROVEN or (here.key_id is not None and here.key_id == there.key_id):
        return moved
    if here.kind == there.kind == PERSON:
        return moved._replace(proof=CLAIMED)
    raise NotAllowedError(
        f"this token speaks for {caller.agent} in {caller.project} alone",
        hint=f"use the token of {caller.agent} in {quoted(project)}",
    )
