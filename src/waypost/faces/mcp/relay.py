"""A program's standard streams joined to the tools of an office that runs elsewhere.

Each message goes to that server's /mcp as it stands, with the agent's token, and what comes back is
written as it came: tools, waiting and pushes are the server's own. Here is only what streams have
and HTTP hasn't: a subscription that lasts, a call that is cancelled by a message, and an answer
even when the server gives none.
"""

import asyncio
import json
import ssl
import sys
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx2

from waypost.errors import UnreachableError
from waypost.faces.mcp import INBOX
from waypost.faces.mcp.lines import (
    Answers,
    Json,
    for_the_protocol_alone,
    lines,
    message_of,
    misread,
    refusal,
)

_CONNECT_SECONDS = 10
_SILENCE_SECONDS = 60  # a server that has nothing to say yet says so every fifteen
_IDLE_SECONDS = 2  # less than servers keep a connection that nobody uses
_PAUSE_SECONDS = 1
_VERSION = "io.modelcontextprotocol/protocolVersion"
_CHANGED = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": INBOX}}
_NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_JSON, _EVENTS = "application/json", "text/event-stream"


def relay(url: str, token: str) -> None:
    """Serve the client of our streams from the server at an address until the client ends."""
    with for_the_protocol_alone(sys.stdout.fileno()) as descriptor:
        asyncio.run(_relay(url, token, Answers(descriptor)))


async def _relay(url: str, token: str, answers: Answers) -> None:
    async with httpx2.AsyncClient(
        headers={"authorization": f"Bearer {token}"},
        timeout=httpx2.Timeout(_SILENCE_SECONDS, connect=_CONNECT_SECONDS, pool=None),
        limits=httpx2.Limits(keepalive_expiry=_IDLE_SECONDS),
        verify=ssl.create_default_context(),
        trust_env=False,  # a token goes to the office and through nobody's proxy
    ) as http:
        wire = _Wire(http, f"{url}/mcp", answers)
        try:
            async for line in lines(sys.stdin.fileno(), answers):
                await wire.take(line)
        finally:
            wire.close()


class _Wire:
    """What is under way between one client and the server."""

    def __init__(self, http: httpx2.AsyncClient, url: str, answers: Answers) -> None:
        self._http = http
        self._url = url
        self._answers = answers
        self._version = ""  # of the handshake, if there was one
        self._asked: dict[object, asyncio.Task[None]] = {}
        self._following: asyncio.Task[None] | None = None

    async def take(self, line: str) -> None:
        """Begin to do what a line asks for."""
        message = message_of(line)
        if message is None:
            await self._answers.tell(misread(line))
        elif message.get("method") == "notifications/cancelled":
            self._cancel(message.get("params", {}).get("requestId"))
        elif "method" in message and "id" in message:  # no other message means anything over there
            key = message["id"]
            self._cancel(key)
            self._asked[key] = task = asyncio.create_task(self._ask(message, line))
            task.add_done_callback(lambda done: self._forget(key, done))

    def close(self) -> None:
        """Let go of everything."""
        for task in (*self._asked.values(), self._following):
            if task is not None:
                task.cancel()

    def _cancel(self, key: object) -> None:
        if isinstance(key, (int, str)) and (task := self._asked.pop(key, None)) is not None:
            task.cancel()

    def _forget(self, key: object, task: "asyncio.Task[None]") -> None:
        if self._asked.get(key) is task:
            del self._asked[key]

    async def _ask(self, message: Json, line: str) -> None:
        """Bring one request there, and its answer back; it has one however that ends."""
        try:
            if message["method"] == "resources/subscribe":
                await self._follow(message)
            elif message["method"] == "resources/unsubscribe" and self._following is not None:
                self._following.cancel()
                self._following = None
            form = await self._post(message, line)
        except (httpx2.HTTPError, httpx2.SSEError, OSError) as error:
            form = _unreachable(self._url, error)
        if form is not None:
            await self._answers.tell(refusal(message, form))

    async def _post(self, message: Json, line: str) -> Mapping[str, Any] | None:
        """Pass on what the server tells of a request; gives the error form when that is nothing."""
        head = self._head(message)
        async with self._http.stream("POST", self._url, content=line.encode(), headers=head) as got:
            if got.headers.get("content-type", "").startswith(_EVENTS):
                async for event in httpx2.EventSource(got, max_event_size=None):
                    if event.data and await self._pass_on(message, json.loads(event.data)):
                        return None
                return _unreachable(self._url, "it broke off")
            try:
                answer = json.loads(await got.aread())
            except (ValueError, RecursionError):
                answer = None
        if isinstance(answer, dict) and await self._pass_on(message, answer):
            return None
        is_form = isinstance(answer, dict) and isinstance(answer.get("details"), str)
        return answer if is_form else _unreachable(self._url, f"HTTP {got.status_code}")

    async def _pass_on(self, asked: Json, told: Json) -> bool:
        """Write a message of the server's; gives whether it is the answer."""
        if told.get("jsonrpc") != "2.0":
            return False
        is_answer = "result" in told or "error" in told
        if is_answer:
            told["id"] = asked["id"]
        if asked["method"] == "initialize" and isinstance(told.get("result"), dict):
            self._version = str(told["result"].get("protocolVersion", ""))
        await self._answers.tell(told)
        return is_answer

    def _head(self, message: Json) -> dict[str, str]:
        """The headers that a server of the newest revision compares with the message."""
        head = {"accept": f"{_JSON}, {_EVENTS}", "content-type": _JSON}
        given = message.get("params", {})
        meta = given.get("_meta")
        version = meta.get(_VERSION) if isinstance(meta, dict) else None
        if version is None:
            return head | ({"mcp-protocol-version": self._version} if self._version else {})
        head |= {"mcp-protocol-version": _header(version), "mcp-method": _header(message["method"])}
        named = given.get(_NAMES.get(message["method"], ""))
        return head | ({"mcp-name": _header(named)} if isinstance(named, str) else {})

    async def _follow(self, message: Json) -> None:
        """Begin to hear of new mail before the subscription is confirmed."""
        if self._following is None and message.get("params", {}).get("uri") == INBOX:
            stands = asyncio.Event()
            self._following = asyncio.create_task(self._nudges(stands))
            await stands.wait()

    async def _nudges(self, stands: asyncio.Event) -> None:
        """Pass the server's nudges on. When a stream was lost there is one more: look yourself."""
        while True:
            with suppress(httpx2.HTTPError, httpx2.SSEError, OSError):
                head = {"accept": _EVENTS}
                async with self._http.stream("GET", self._url, headers=head) as got:
                    if got.is_client_error:  # the token, say: whoever asks next is told
                        break
                    if stands.is_set():
                        await self._answers.tell(_CHANGED)
                    stands.set()
                    async for event in httpx2.EventSource(got):
                        await self._answers.tell(json.loads(event.data))
            stands.set()
            await asyncio.sleep(_PAUSE_SECONDS)
        stands.set()


def _header(value: object) -> str:
    """A value as a header may carry it."""
    text = str(value)
    is_plain = text.isascii() and text.isprintable() and text == text.strip()
    if is_plain and not text.startswith("=?"):
        return text
    return f"=?base64?{b64encode(text.encode()).decode()}?="


def _unreachable(url: str, why: object) -> Mapping[str, Any]:
    """The form of the error that a server gave no answer."""
    details = f"the office at {url} doesn't answer: {str(why) or type(why).__name__}"
    hint = "is waypost serve running there? what was asked may have been done"
    return UnreachableError(details, hint=hint, retryable=True).to_json()
