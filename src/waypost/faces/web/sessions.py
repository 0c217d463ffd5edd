"""Who looks: the session's cookie on each request, and the secret that its forms carry.

Cookies are not kept apart by port, and a page of another port counts as the same site; so a form
must carry a secret that only our own pages know.
"""

import hashlib
import hmac
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from waypost.errors import NotAllowedError
from waypost.faces.web.passes import SESSION_SECONDS, Passes
from waypost.office.callers import Caller
from waypost.office.events import PROVEN

FORM_FIELD = "secret"
_COOKIE = "waypost"
_MINE = "the form is not of this session"


class Visitor:
    """A person with a session."""

    def __init__(self, session: str, person: str, project: str) -> None:
        self.caller = Caller(person, project, "web", PROVEN)
        self.session = session
        self.secret = hashlib.sha256(b"form:" + session.encode()).hexdigest()

    def check(self, form: Mapping[str, list[str]]) -> None:
        """Raises NotAllowedError for a form that one of this session's pages didn't make."""
        given = form.get(FORM_FIELD, [""])[0]
        if not hmac.compare_digest(given.encode(), self.secret.encode()):
            raise NotAllowedError(_MINE, hint="load the page again, and send it from there")


class Sessions:
    """The sessions of one office."""

    def __init__(self, passes: Passes) -> None:
        self._passes = passes

    def visitor(self, request: Request) -> Visitor | None:
        """Who has the session of a request; None when there is none that is good."""
        session = request.cookies.get(_name(request), "")
        found = self._passes.find(session)
        return Visitor(session, found.person, found.project) if found else None

    def begin(self, request: Request, response: Response, link: str) -> bool:
        """Begin a session with a link; False when the link isn't good."""
        session = self._passes.session(link)
        if session is None:
            return False
        response.set_cookie(
            _name(request), session, max_age=SESSION_SECONDS, httponly=True, samesite="strict",
            secure=request.url.scheme == "https",
        )  # fmt: skip
        return True

    def end(self, request: Request, response: Response, visitor: Visitor) -> None:
        """End a session, here and in the browser."""
        self._passes.end(visitor.session)
        response.delete_cookie(_name(request), httponly=True, samesite="strict")


def _name(request: Request) -> str:
    """The cookie's name: two offices on one machine don't log each other's people out."""
    return f"{_COOKIE}-{request.url.port or 0}"
