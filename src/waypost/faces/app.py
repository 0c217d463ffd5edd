"""All HTTP doors of one office as one application: /mcp, /api, /healthz, /metrics, pages."""

from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from waypost import __version__
from waypost.errors import WaypostError
from waypost.faces.api import Api
from waypost.faces.audience import QUIET_SECONDS, Audience
from waypost.faces.desk import Desk
from waypost.faces.doorkeeper import Doorkeeper, refusal
from waypost.faces.mcp.http import Door
from waypost.faces.peers_api import PeersApi
from waypost.faces.trust import NoTrust, Trust
from waypost.faces.web.site import Site
from waypost.office import Office


class Doors:
    """The application, and how it is told that the end is near."""

    def __init__(
        self,
        office: Office,
        names: Collection[str],
        metrics: Callable[[], str] = str,
        audience: Audience | None = None,
        trust: Trust | None = None,
    ) -> None:
        self._desk = Desk(office)
        self._measured = metrics
        self._mcp = Door(self._desk)
        api = Api(self._desk)
        peers = PeersApi(self._desk, trust or NoTrust())
        routes = [
            Route("/healthz", self._health),
            Route("/metrics", self._metrics),
            Route("/api/call/{name}", api.call, methods=["POST"]),
            Route("/api/openapi.json", api.document, methods=["GET"]),
            *peers.routes(),
            Route("/api/{name}", api.look, methods=["GET"]),
            Route("/mcp", self._mcp),
            *Site(self._desk, trust or NoTrust(), audience or Audience(QUIET_SECONDS)).routes(),
        ]
        app = Starlette(routes=routes, lifespan=self._life)
        self.app = Doorkeeper(app, office, names)

    def stop_waiting(self) -> None:
        """Let everyone go who waits for something to happen."""
        self._desk.stop_waiting()
        self._mcp.close()

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        async with self._desk, self._mcp.running():
            yield

    async def _health(self, request: Request) -> Response:
        try:
            last = await self._desk.do(self._desk.office.last)
        except WaypostError as error:
            return refusal(error, 503)
        found = {"status": "ok", "version": __version__, "last": last}
        return JSONResponse(found | {"waiting": self._desk.waiting})

    async def _metrics(self, request: Request) -> Response:
        try:
            text = await self._desk.do(self._measured)
        except WaypostError as error:
            return refusal(error, 503)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
