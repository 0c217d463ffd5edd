"""The office for programs: every use-case by name, JSON in and JSON out, over HTTP.

`POST /api/call/send` with a JSON object of arguments gives what `waypost send --json` prints, and
the same errors. What only looks can be had by GET as well: `/api/needs?limit=5`.
"""

import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from waypost.dialects import json_text
from waypost.dialects.text import finish
from waypost.errors import NotFoundError, UsageError, WaypostError, quoted
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import LARGEST_BODY, refusal, too_large
from waypost.letters.names import did_you_mean
from waypost.office.calls import CALLS, fits, parameters

_MOST_ARGUMENTS = 50
_LONGEST_NUMBER = 18
_LOCAL_ONLY = ("prune", "settle")  # what the machine's owner or a carrier does, and no token
KNOWN = tuple(name for name in CALLS if name not in _LOCAL_ONLY)
# What looks and changes nothing. Reading a letter here is a peek.
LOOKS = (
    *("whoami", "agents", "thread", "read", "search", "events", "status", "overview", "log"),
    *("reservations", "mailbox", "needs", "undelivered", "deliveries", "numbers", "news"),
    *("traffic", "attachment", "held_pairs", "loads", "cluster"),
    *("history", "translations", "progress", "context", "raw_event"),
)


class Api:
    """The routes under /api."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def call(self, request: Request) -> Response:
        """Do one use-case for the token's agent."""
        try:
            name = request.path_params["name"]
            if name not in KNOWN:
                hint = did_you_mean(name, KNOWN) or "there are " + ", ".join(KNOWN)
                raise NotFoundError(f"nothing at the office is called {quoted(name)}", hint=hint)
            arguments = arguments_of(await whole_body(request))
            found = await self._desk.call(name, request.state.caller, arguments)
        except WaypostError as error:
            return refusal(error)
        return Response(json.dumps(found), media_type="application/json")

    async def look(self, request: Request) -> Response:
        """Look at something, as the token's agent may; the query holds the arguments."""
        try:
            name = request.path_params["name"]
            if name not in LOOKS:
                hint = did_you_mean(name, LOOKS) or "there are " + ", ".join(LOOKS)
                raise NotFoundError(f"nothing to look at is called {quoted(name)}", hint=hint)
            given = _queried(name, request.query_params.multi_items())
            found = await self._desk.call(name, request.state.caller, given)
        except WaypostError as error:
            return refusal(error)
        return Response(json.dumps(found), media_type="application/json")

    async def document(self, request: Request) -> Response:
        """What there is here, for programs that read OpenAPI."""
        from waypost.faces.openapi import document

        return Response(json.dumps(document(KNOWN, LOOKS)), media_type="application/json")


def _queried(name: str, items: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """A query's texts as arguments: numbers and yes or no where the use-case takes those."""
    known = parameters(name)
    given: dict[str, Any] = {}
    for key, text in items[:_MOST_ARGUMENTS]:
        kind = known[key].type if key in known else str
        if fits(1, kind) and text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER:
            given[key] = int(text)
        elif fits(True, kind) and text in ("true", "false"):
            given[key] = text == "true"
        else:
            given[key] = text
    if name == "read":
        given["peek"] = True
    return given


async def whole_body(request: Request) -> bytes:
    """The whole body. Raises TooLargeError as soon as it is too long."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared[:12]) > LARGEST_BODY:
        raise too_large()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_BODY:
            raise too_large()
    return bytes(body)


def arguments_of(body: bytes) -> dict[str, Any]:
    """The JSON object of a request. Raises UsageError."""
    try:
        tree, found = json_text.parse(body.decode() or "{}")
    except UnicodeDecodeError as error:
        raise UsageError("the request isn't UTF-8") from error
    if found:
        problems = finish(found, None)
        raise UsageError(problems[0].message, hint=problems[0].hint, problems=problems)
    if not isinstance(tree, dict):
        raise UsageError("the arguments must be a JSON object")
    return tree
