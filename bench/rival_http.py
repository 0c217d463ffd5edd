"""HTTP JSON, as most agents speak today: uvicorn and httpx, without TLS."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from rivals import HOST, Rival, json_of

_ANSWER = json.loads(json_of(summary="They are."))
_QUESTION = json.loads(json_of(question="Are they?"))


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """The whole application: JSON in, JSON out, and nothing between it and the server."""
    if scope["type"] != "http":
        return
    body = b""
    more = True
    while more:
        event = await receive()
        body += event.get("body", b"")
        more = event.get("more_body", False)
    json.loads(body)
    said = json.dumps(_ANSWER).encode() if scope["path"] == "/ask" else b""
    length = str(len(said)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": said})


@asynccontextmanager
async def serve(home: Path) -> AsyncIterator[int]:
    # Named as TCP, so that the event loop switches Nagle's delay off, as it does for servers.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind((HOST, 0))
        server = uvicorn.Server(uvicorn.Config(answer, log_level="error", lifespan="off"))
        serving = asyncio.ensure_future(server.serve([listening]))
        yield listening.getsockname()[1]
        server.should_exit = True
        await serving


class HttpClient:
    def __init__(self, port: int) -> None:
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        self._http = httpx.AsyncClient(base_url=f"http://{HOST}:{port}", limits=limits)

    async def ask(self) -> None:
        (await self._http.post("/ask", json=_QUESTION)).json()

    async def tell(self) -> None:
        await self._http.post("/tell", json=_QUESTION)

    async def told(self, count: int) -> None:
        """Each was answered, for HTTP has nothing that isn't."""

    async def close(self) -> None:
        await self._http.aclose()


async def connect(home: Path, port: int) -> HttpClient:
    return HttpClient(port)


RIVAL = Rival(serve, connect)
