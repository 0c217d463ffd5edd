"""However many pages look on and however much happens, what the server does for them is bounded."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
from starlette.requests import Request

from faces.clients import story as in_loop
from faces.web import story
from faces.web.test_live import news
from waypost.faces.audience import Audience
from waypost.faces.desk import Desk
from waypost.faces.web.live import Live
from waypost.faces.web.sessions import Visitor
from waypost.office import Office, open_office

CLAUDE = story.caller("claude")
DANA = Visitor("a session", "dana", story.PROJECT)
_PAGES, _LETTERS = 20, 300


def follow(client: httpx.Client, after: int, until: int, heard: list[int]) -> None:
    """Take down what a page is told, up to a position."""
    with client.stream("GET", "/live", params={"after": after}) as answer:
        for position in news(answer):
            heard.append(position)
            if position >= until:
                return


def test_a_flood_of_letters_is_a_handful_of_news_for_each_of_many_pages(
    dana: httpx.Client, office: Office
) -> None:
    heard: list[list[int]] = [[] for _ in range(_PAGES)]
    last = office.last()
    pages = [Thread(target=follow, args=(dana, last, last + _LETTERS, one)) for one in heard]
    for page in pages:
        page.start()
    for number in range(_LETTERS):
        office.send(CLAUDE, "codex", text=f"letter {number}")
    for page in pages:
        page.join()
    assert all(one[-1] >= last + _LETTERS for one in heard)
    assert max(map(len, heard)) < _LETTERS / 3


class Reader:
    """A page at the other end of the server's own code, which reads when the story says."""

    def __init__(self, pages: Live) -> None:
        scope = {"type": "http", "headers": [], "query_string": b"after=0", "asgi": {}}
        self.answer = pages.answer(Request({**scope, "method": "GET"}), lambda: DANA)
        self.may_read = asyncio.Semaphore(0)
        self.read: asyncio.Queue[bytes] = asyncio.Queue()
        self.task = asyncio.create_task(self.answer({**scope, "method": "GET"}, _stays, self._send))

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        await self.may_read.acquire()
        self.read.put_nowait(message.get("body", b""))

    async def next(self) -> bytes:
        self.may_read.release()
        return await self.read.get()

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])


async def _stays() -> dict[str, str]:
    """What a server hears of a browser that stays."""
    await asyncio.Event().wait()
    return {"type": "http.disconnect"}


@asynccontextmanager
async def an_office(home: Path) -> AsyncIterator[Desk]:
    with open_office(home) as office:
        story.tell(office)
        async with Desk(office) as desk:
            yield desk


@in_loop
async def test_for_a_page_that_stops_reading_only_the_newest_position_waits(tmp_path: Path) -> None:
    async with an_office(tmp_path) as desk:
        page = Reader(Live(desk, Audience(60)))
        assert [await page.next() for _ in range(2)] == [b"", b"retry: 1000\n\n"]
        for number in range(50):
            await desk.do(lambda number=number: desk.office.send(CLAUDE, "codex", text=f"{number}"))
        late, newest = await page.next(), await page.next()
        assert late.startswith(b"id: ")
        assert newest.startswith(f"id: {desk.office.last()}\n".encode())
        assert page.read.empty()
        await page.leave()


@in_loop
async def test_pages_are_counted_from_their_first_moment_and_forgotten_with_their_last(
    tmp_path: Path,
) -> None:
    async with an_office(tmp_path) as desk:
        pages = Live(desk, Audience(60), most_pages=3)
        opened = [Reader(pages) for _ in range(3)]
        assert Reader(pages).answer.status_code == 503
        await opened[0].next()
        for one in opened:
            await one.leave()
        again = Reader(pages)
        assert again.answer.status_code == 200
        await again.leave()
