"""Peers for programs: the list by GET, and what changes it by POST, as `waypost peers` does."""

import json
from collections.abc import Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waypost.errors import NotFoundError, Problem, UsageError, WaypostError, quoted
from waypost.faces.api import arguments_of, whole_body
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import refusal
from waypost.faces.trust import Trust
from waypost.office.events import Json

# What each deed takes; what may be left out ends with a question mark.
DEEDS: Mapping[str, tuple[str, ...]] = {
    "enrol": ("agent", "token", "name?"),
    "revoke": ("agent", "peer"),
    "ping": ("agent", "peer"),
}


class PeersApi:
    """The routes under /api/peers."""

    def __init__(self, desk: Desk, trust: Trust) -> None:
        self._desk, self._trust = desk, trust

    def routes(self) -> list[Route]:
        """The list, and the deeds."""
        return [
            Route("/api/peers", self._look, methods=["GET"]),
            Route("/api/peers/{name}", self._do, methods=["POST"]),
        ]

    async def _look(self, request: Request) -> Response:
        try:
            found = await self._desk.do(self._trust.peers, request.state.caller)
        except WaypostError as error:
            return refusal(error)
        return Response(json.dumps(found), media_type="application/json")

    async def _do(self, request: Request) -> Response:
        try:
            name = request.path_params["name"]
            if name not in DEEDS:
                said = f"peers have nothing called {quoted(name)}"
                raise NotFoundError(said, hint="there are " + ", ".join(DEEDS))
            given = arguments_of(await whole_body(request))
            texts = _checked(DEEDS[name], given)
            deed: Callable[..., Json] = getattr(self._trust, name)
            found = await self._desk.do(deed, request.state.caller, *texts)
        except WaypostError as error:
            return refusal(error)
        return Response(json.dumps(found), media_type="application/json")


def _checked(wanted: tuple[str, ...], given: Mapping[str, object]) -> list[str]:
    """The texts in their order. Raises UsageError with every problem."""
    names = [name.rstrip("?") for name in wanted]
    problems = [
        Problem((key,), "unknown_argument", f"there is no argument {quoted(key)}")
        for key in given
        if key not in names
    ]
    for name in wanted:
        value = given.get(name.rstrip("?"))
        if value is None and not name.endswith("?"):
            problems.append(Problem((name,), "missing_field", f"{name} is missing"))
        elif value is not None and not isinstance(value, str):
            problems.append(Problem((name,), "wrong_type", f"{name} must be text"))
    if problems:
        raise UsageError(problems[0].message, hint=", ".join(names), problems=problems)
    return [str(given[name]) for name in names if given.get(name) is not None]
