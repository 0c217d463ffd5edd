"""Stands before every HTTP door: is the address one of ours, and whose token is it?

A page in somebody's browser can be made to send requests here under another host's name; so Host
and Origin must name this server. Who calls is told by the token of each request and by nothing
else: no session, no cookie, no address. Pages for people have sessions, which no other door knows.
"""

import ipaddress
import json
from collections.abc import Collection
from functools import partial

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from waypost.errors import NotAllowedError, TooLargeError, UsageError, WaypostError, quoted
from waypost.office import Office

LARGEST_BODY = 12 << 20  # an attachment of 8 MiB as base64, and some room
_LONGEST_TOKEN = 200
_BY_TOKEN = ("/mcp", "/api/")  # all else shows nothing, or asks for a session itself
_HOME = ("localhost", "127.0.0.1", "::1")
_HINT = "send the header Authorization: Bearer TOKEN; waypost agents token NAME gives one"
_STATUS = {
    "usage": 400,
    "not_authorized": 403,
    "not_found": 404,
    "unknown_recipient": 404,
    "conflict": 409,
    "too_large": 413,
    "busy": 503,
    "unreadable": 503,
    "failed": 500,
}
_UNPROCESSABLE = 422


class Doorkeeper:
    """Lets requests through whose address and token are good, with the caller in their scope.

    What goes on for long asks again, by `identify`: a token may be taken away meanwhile.
    """

    def __init__(self, app: ASGIApp, office: Office, names: Collection[str]) -> None:
        self._app = app
        self._office = office
        self._names = {*_HOME, *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if (refused := self._misdirected(headers)) is None and scope["path"].startswith(_BY_TOKEN):
            door = "mcp" if scope["path"].startswith("/mcp") else "http"
            try:
                identify = partial(self._office.authenticate, _token(headers), door)
                scope.setdefault("state", {}).update(caller=identify(), identify=identify)
            except NotAllowedError as error:
                refused = refusal(error, 401)
                refused.headers["www-authenticate"] = "Bearer"
            except WaypostError as error:
                refused = refusal(error)
        await (refused or self._app)(scope, receive, send)

    def _misdirected(self, headers: Headers) -> Response | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_ours(host):
            error = NotAllowedError(
                f"this server isn't called {quoted(host)}",
                hint="waypost serve --name NAME adds a name that clients may call it by",
            )
            return refusal(error, 421)
        if origin is not None and not self._is_ours(origin.partition("://")[2]):
            return refusal(NotAllowedError(f"no page of {quoted(origin)} may call here"))
        return None

    def _is_ours(self, address: str) -> bool:
        """Whether an address is one of our names, or no name at all: those can't be rebound."""
        host = address.lower()
        if host.startswith("["):
            host, _, port = host[1:].partition("]")
            if port and not port.startswith(":"):
                return False
        elif ":" in host:
            host = host.rpartition(":")[0]
        return host in self._names or _is_number(host)


def refusal(error: WaypostError, status: int | None = None) -> Response:
    """An error in the one form, with the status that fits it."""
    status = status or status_of(error)
    return Response(json.dumps(error.to_json()), status, media_type="application/json")


def status_of(error: WaypostError) -> int:
    """The status of HTTP that says what an error says."""
    return _STATUS.get(error.code, _UNPROCESSABLE)


def too_large() -> TooLargeError:
    """The error of a request that is longer than any may be."""
    return TooLargeError(f"a request has at most {LARGEST_BODY >> 20} MiB")


def _token(headers: Headers) -> str:
    """The request's token. Raises NotAllowedError without one, UsageError for several."""
    given = headers.getlist("authorization")
    if len(given) > 1:
        raise UsageError("there are several Authorization headers", hint="send one")
    scheme, _, token = given[0].partition(" ") if given else ("", "", "")
    if scheme.lower() != "bearer" or not 0 < len(token.strip()) <= _LONGEST_TOKEN:
        raise NotAllowedError("who calls? there is no token", hint=_HINT)
    return token.strip()


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
