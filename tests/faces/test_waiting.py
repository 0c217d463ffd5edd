"""Waiting for mail: at once when there is some, else woken; and pushed to those who subscribed."""

import asyncio
import threading
from functools import partial
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from faces.clients import Mail, Served, caller, indoors, over_http, program, story
from waypost.errors import OfficeBusyError
from waypost.faces.desk import Desk
from waypost.office import Office, open_office

INBOX = "mail://inbox"


def send(office: Office, text: str = "hi", to: str = "codex") -> None:
    office.send(caller("claude"), to, text=text)


@story
async def test_unread_mail_ends_the_wait_at_once(office: Office) -> None:
    async with indoors(office, "claude", "codex") as (_, codex):
        send(office)
        found = await codex.do("wait_for_mail", seconds=600)
        assert ([one["subject"] for one in found["letters"]], found["unread"]) == (["hi"], 1)


@story
async def test_only_newer_mail_counts_after_a_wait(office: Office) -> None:
    async with indoors(office, "claude", "codex") as (_, codex):
        send(office, "old")
        first = await codex.do("wait_for_mail", seconds=5)
        nothing = await codex.do("wait_for_mail", seconds=1, after=first["last"])
        assert nothing == {"letters": [], "last": first["last"]}
        waiting = asyncio.create_task(codex.do("wait_for_mail", seconds=600, after=first["last"]))
        await asyncio.to_thread(send, office, "new")
        found = await waiting
        assert ([one["subject"] for one in found["letters"]], found["unread"]) == (["new"], 2)


@story
async def test_a_letter_to_somebody_else_wakes_nobody(office: Office) -> None:
    async with indoors(office, "claude", "codex", "gemini") as (_, codex, gemini):
        both = [
            asyncio.create_task(mail.do("wait_for_mail", seconds=600)) for mail in (codex, gemini)
        ]
        await asyncio.to_thread(send, office, "for gemini", "gemini")
        await both[1]
        assert not both[0].done()
        await asyncio.to_thread(send, office)
        assert (await both[0])["letters"][0]["subject"] == "hi"


@story
async def test_waiting_holds_no_thread(office: Office) -> None:
    async with indoors(office, "claude", "codex") as (_, codex):
        many = [asyncio.create_task(codex.do("wait_for_mail", seconds=600)) for _ in range(200)]
        await codex.do("list_agents")
        assert threading.active_count() < 60
        await asyncio.to_thread(send, office)
        assert all(found["unread"] == 1 for found in await asyncio.gather(*many))


@story
async def test_two_thousand_may_wait_and_one_more_is_told_so(office: Office) -> None:
    for name in ("claude", "codex"):
        office.register(caller(name), with_token=False)
    async with Desk(office) as desk:
        wait = partial(desk.wait, partial(caller, "codex"), 600)
        many = [asyncio.create_task(wait()) for _ in range(2000)]
        while desk.waiting < len(many):
            await asyncio.sleep(0)
        with pytest.raises(OfficeBusyError, match="too many wait"):
            await wait()
        await asyncio.to_thread(send, office)
        assert all(found["unread"] == 1 for found in await asyncio.gather(*many))


def test_mail_that_another_process_brings_wakes_too(server: Served) -> None:
    from_afar(server)


@story
async def from_afar(server: Served) -> None:
    server.token("claude")
    async with over_http(server.url, server.token("codex")) as codex:
        waiting = asyncio.create_task(codex.do("wait_for_mail", seconds=600))
        await codex.do("list_agents")
        with open_office(server.home) as office:
            await asyncio.to_thread(send, office)
        assert (await waiting)["unread"] == 1


@story
async def test_a_stream_that_is_listened_to_hears_of_new_mail(office: Office) -> None:
    async with indoors(office, "claude", "codex") as (_, codex):
        async with codex.client.listen(resource_subscriptions=[INBOX]) as news:
            await asyncio.to_thread(send, office)
            event = await anext(aiter(news))
        assert getattr(event, "uri", None) == INBOX
        (shown,) = (await codex.client.read_resource(INBOX)).contents
        assert '"unread":1' in getattr(shown, "text", "")


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
def test_a_client_of_the_older_revision_subscribes(tmp_path: Path) -> None:
    subscribed(tmp_path / "home")


@story
async def subscribed(home: Path) -> None:
    heard: asyncio.Queue[Any] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.put_nowait(message)

    async with Client(program(home, "codex"), mode="legacy", message_handler=hear) as client:
        await client.subscribe_resource(INBOX)
        with open_office(home) as office:
            office.register(caller("claude"))
            send(office)
        assert str((await heard.get()).params.uri) == INBOX
        assert (await Mail(client).newest())["subject"] == "hi"


def test_a_stream_of_the_older_revision_tells_over_http(server: Served) -> None:
    server.token("claude")
    accept = {"Accept": "text/event-stream"}
    with server.http(server.token("codex"), **accept) as http, http.stream("GET", "/mcp") as news:
        lines = news.iter_lines()
        assert next(lines).startswith(":")
        with open_office(server.home) as office:
            send(office)
        assert INBOX in next(line for line in lines if line.startswith("data:"))
