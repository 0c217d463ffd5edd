"""The dashboard as routes: who may look, what a page is, and what keeps it harmless."""

import gzip
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from waypost.errors import WaypostError
from waypost.faces.audience import Audience
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import refusal, status_of
from waypost.faces.trust import Trust
from waypost.faces.web import (
    attached,
    composing,
    deeds,
    flow_page,
    forms,
    journal_page,
    needs_page,
    pages,
    reservations_page,
    search_page,
    telling,
    thread_page,
    undelivered,
    undoing,
)
from waypost.faces.web.live import Live
from waypost.faces.web.page import Deed, File, Page, Show
from waypost.faces.web.passes import Passes
from waypost.faces.web.peers import Peering
from waypost.faces.web.query import Query, form_of, query_of
from waypost.faces.web.sessions import Sessions, Visitor
from waypost.faces.web.showing import write
from waypost.office import Office
from waypost.office.attachments import SCHEME

SHOWN: dict[str, Show] = {
    "/": pages.now,
    "/needs": needs_page.needs,
    "/inbox": pages.inbox,
    "/thread": thread_page.thread,
    "/raw": thread_page.raw_file,
    "/undelivered": undelivered.undelivered,
    "/flow": flow_page.flow,
    "/reservations": reservations_page.reservations,
    "/search": search_page.search,
    "/journal": journal_page.journal,
    "/compose": composing.compose,
}
DONE: dict[str, Deed] = {
    "/answer": deeds.answer,
    "/reply": deeds.reply,
    "/put-away": deeds.put_away,
    "/decide": needs_page.decide,
    "/withdraw": deeds.withdraw,
    "/nudge": deeds.nudge,
    "/release": deeds.release,
    "/retry": undelivered.retry,
    "/redirect": undelivered.redirect,
    "/discard": undelivered.discard,
    "/hold": flow_page.hold,
    "/let-go": flow_page.let_go,
    "/verify": deeds.verify,
    "/undo": undoing.undo,
    "/compose": composing.send,
}
_NAVIGATION = (
    ("/", "Now", "n"), ("/needs", "Needs you", "y"), ("/inbox", "Inbox", "i"),
    ("/undelivered", "Undelivered", "u"), ("/flow", "Flow", "f"), ("/agents", "Agents", "a"),
    ("/peers", "Peers", "p"),
    ("/reservations", "Reservations", "r"), ("/search", "Search", "s"),
    ("/journal", "Journal", "j"), ("/compose", "Compose", "c"),
)  # fmt: skip
_STATIC = {
    "style.css": "text/css",
    "app.js": "text/javascript",
    "keys.js": "text/javascript",
    "telling.js": "text/javascript",
    "htmx.min.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
Answer = Callable[[Request], Awaitable[Response]]


class Site:
    """The dashboard of one office."""

    def __init__(self, desk: Desk, trust: Trust, audience: Audience) -> None:
        self._desk = desk
        self._audience = audience
        self._peering = Peering(trust)
        self._sessions = Sessions(Passes(desk.office.home))
        self._live = Live(desk, audience)
        self._files = {
            name: (files(__package__) / "static" / name).read_bytes() for name in _STATIC
        }
        self._packed = {name: gzip.compress(data) for name, data in self._files.items()}

    def routes(self) -> list[Route]:
        """Every address of the dashboard."""
        beside = self._peering
        views = {**SHOWN, "/agents": beside.agents, "/peers": beside.peers}
        acts = {**DONE, "/peers/enrol": beside.enrol, "/peers/revoke": beside.revoke}
        acts["/peers/ping"] = beside.ping
        shown = [Route(path, self._page(show), methods=["GET"]) for path, show in views.items()]
        done = [Route(path, self._deed(deed), methods=["POST"]) for path, deed in acts.items()]
        return [
            *shown,
            *done,
            Route(attached.PATH + "{sha256}", self._attachment, methods=["GET"]),
            Route("/live", self._follow, methods=["GET"]),
            Route("/choices", self._choices, methods=["GET"]),
            Route("/told", self._told, methods=["POST"]),
            Route("/enter/{link}", self._enter, methods=["GET"]),
            Route("/leave", self._leave, methods=["POST"]),
            Route("/static/{name}", self._static, methods=["GET"]),
        ]

    def _page(self, show: Show) -> Answer:
        async def answer(request: Request) -> Response:
            return await self._guarded(request, self._show, show)

        return answer

    def _deed(self, deed: Deed) -> Answer:
        async def answer(request: Request) -> Response:
            return await self._guarded(request, self._do, deed)

        return answer

    async def _guarded(
        self, request: Request, do: Callable[..., Awaitable[Response]], what: Any
    ) -> Response:
        visitor = self._sessions.visitor(request)
        if visitor is None:
            return _locked(401)
        try:
            return await do(request, visitor, what)
        except WaypostError as error:
            if _is_by_script(request):
                return _with_headers(refusal(error))
            return await self._failed(request, visitor, error)

    async def _failed(self, request: Request, visitor: Visitor, error: WaypostError) -> Response:
        page = Page("error", "That didn’t work", {"error": error}, status_of(error))
        try:
            return await self._written(request, visitor, page, Query({}))
        except WaypostError:  # what stands around every page can't be had either
            return _locked(page.status, error=error)

    async def _show(self, request: Request, visitor: Visitor, show: Show) -> Response:
        query = query_of(request)
        page = await self._desk.do(show, self._desk.office, visitor.caller, query)
        if isinstance(page, File):
            return _saved(page)
        return await self._written(request, visitor, page, query)

    async def _do(self, request: Request, visitor: Visitor, deed: Deed) -> Response:
        form = await form_of(request)
        visitor.check(form.fields)
        done = await self._desk.do(deed, self._desk.office, visitor.caller, form)
        if isinstance(done, str) and _is_by_script(request):
            return JSONResponse({"go": done}, headers=_HEADERS)
        if isinstance(done, str):
            return RedirectResponse(done, 303, headers=_HEADERS)
        return await self._written(request, visitor, done, form)

    async def _attachment(self, request: Request) -> Response:
        return await self._guarded(request, self._hand_out, request.path_params["sha256"])

    async def _hand_out(self, request: Request, visitor: Visitor, sha256: str) -> Response:
        office = self._desk.office
        kept = await self._desk.do(office.attachment, visitor.caller, SCHEME + sha256)
        return _saved(File(kept.name, kept.data or b""))

    async def _written(
        self, request: Request, visitor: Visitor, page: Page, query: Query
    ) -> Response:
        text = await self._desk.do(_write, self._desk.office, visitor, request, page, query)
        return HTMLResponse(text, page.status, headers=_HEADERS)

    async def _follow(self, request: Request) -> Response:
        if self._sessions.visitor(request) is None:
            return _locked(401)
        return self._live.answer(request, lambda: self._sessions.visitor(request))

    async def _choices(self, request: Request) -> Response:
        """What the palette offers beside the views: who there is, and what can be written."""
        return await self._guarded(request, self._offer, None)

    async def _offer(self, request: Request, visitor: Visitor, _: None) -> Response:
        agents = await self._desk.do(self._desk.office.agents, visitor.caller)
        names = [one.name for one in agents if one.kind != "people"]
        types = [name for _, listed in forms.types() for name, _ in listed]
        return JSONResponse({"agents": names, "types": types}, headers=_HEADERS)

    async def _told(self, request: Request) -> Response:
        """What a page that nobody looks at shall tell: nothing while another is looked at."""
        return await self._guarded(request, self._claim, None)

    async def _claim(self, request: Request, visitor: Visitor, _: None) -> Response:
        visitor.check((await form_of(request)).fields)
        caller = visitor.caller
        found: dict[str, Any] = {"needs": []}
        if self._audience.is_away((caller.project, caller.agent)):
            found = await self._desk.do(telling.told, self._desk.office, caller)
        return JSONResponse(found, headers=_HEADERS)

    async def _enter(self, request: Request) -> Response:
        """Let a browser in. The page that says so goes on by itself, so it is ours that asks."""
        answer = _locked(200, is_in=True)
        if request.method != "GET":  # asking for its head must not use the link up
            return _locked(405)
        if not self._sessions.begin(request, answer, request.path_params["link"]):
            return _locked(403, is_old=True)
        return answer

    async def _leave(self, request: Request) -> Response:
        visitor = self._sessions.visitor(request)
        if visitor is None:
            return _locked(401)
        try:
            visitor.check((await form_of(request)).fields)
        except WaypostError as error:
            return await self._failed(request, visitor, error)
        answer = _locked(200)
        self._sessions.end(request, answer, visitor)
        return answer

    async def _static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._files:
            return _locked(404)
        headers = {**_HEADERS, "cache-control": "no-cache", "vary": "accept-encoding"}
        data = self._files[name]
        if "gzip" in request.headers.get("accept-encoding", ""):
            data, headers["content-encoding"] = self._packed[name], "gzip"
        return Response(data, headers=headers, media_type=_STATIC[name])


def _saved(file: File) -> Response:
    """Bytes that a browser saves, and never shows."""
    told = {**_HEADERS, **attached.HEADERS}
    told["content-disposition"] = attached.disposition(file.name)
    return Response(file.data, headers=told)


def _write(office: Office, visitor: Visitor, request: Request, page: Page, query: Query) -> str:
    common = {
        "title": page.title,
        "visitor": visitor,
        "here": request.url.path,
        "address": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "said": deeds.DONE.get(query.get("did")),
        "undo": query.get("undo") if query.get("did") in undoing.UNDONE else "",
        "query": query,
        "last": office.last(),
        "numbers": office.alarms(visitor.caller),
        "navigation": _NAVIGATION,
    }
    return write(page.template + ".html", {**common, **page.data})


def _is_by_script(request: Request) -> bool:
    """Whether our own script sent a form, which shows by itself what came of it."""
    return request.headers.get("accept") == "application/json"


def _with_headers(answer: Response) -> Response:
    answer.headers.update(_HEADERS)
    return answer


def _locked(
    status: int, *, is_old: bool = False, is_in: bool = False, error: WaypostError | None = None
) -> Response:
    """A page for a browser without a session, or for one that no page can be made for."""
    text = write("locked.html", {"is_old": is_old, "is_in": is_in, "error": error})
    return HTMLResponse(text, status, headers=_HEADERS)
