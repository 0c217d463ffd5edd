"""`waypost mcp` where WAYPOST_URL names a server: its tools, over the program's own streams."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from commands.terminal import command, environment, say
from faces.clients import MODES, Mail, Served, caller, over_relay, program_for, served, story
from waypost.office import open_office

INBOX = "mail://inbox"


def send(server: Served, text: str, to: str) -> None:
    with open_office(server.home) as office:
        office.register(caller("claude"), with_token=False)
        office.send(caller("claude"), to, text=text)


@asynccontextmanager
async def hearing(server: Served, name: str) -> AsyncIterator[tuple[Client, asyncio.Queue[str]]]:
    """A client of an older revision behind the relay, and the nudges that it hears."""
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.put_nowait(str(message.params.uri))

    started = program_for(server.url, server.token(name), server.home)
    async with Client(started, mode="legacy", message_handler=hear) as client:
        yield client, heard


def test_no_office_of_this_machine_is_touched(server: Served, tmp_path: Path) -> None:
    proven(server, tmp_path / "none")
    assert not (tmp_path / "none").exists()


@story
async def proven(server: Served, home: Path) -> None:
    async with over_relay(server.url, server.token("afar"), home) as mail:
        await mail.do("send_message", to=["afar"], text="to myself")
        letter = await mail.do("read_message", id=(await mail.newest())["id"])
        assert (letter["proof"], letter["door"]) == ("proven", "mcp")


@pytest.mark.parametrize("mode", MODES)
def test_a_wait_over_there_is_woken_and_an_attachment_comes_whole(
    server: Served, mode: str
) -> None:
    woken(server, mode)


@story
async def woken(server: Served, mode: str) -> None:
    name = f"waits-{mode}"
    async with over_relay(server.url, server.token(name), server.home, mode) as mail:
        waiting = asyncio.create_task(mail.do("wait_for_mail", seconds=600))
        await mail.do("list_agents")
        files = [{"name": "big.log", "text": "x" * 3_000_000}]
        await mail.do("send_message", to=[name], text="The log.", attachments=files)
        header = (await waiting)["letters"][0]
        read = await mail.do("read_message", id=header["id"])
        (address,) = {word for word in read["message"].split() if word.startswith("artifact://")}
        assert "x" * 3_000_000 in (await mail.do("read_message", id=address))["message"]


def test_a_stream_that_is_listened_to_hears_of_new_mail(server: Served) -> None:
    listened(server)


@story
async def listened(server: Served) -> None:
    async with over_relay(server.url, server.token("listens"), server.home) as mail:
        async with mail.client.listen(resource_subscriptions=[INBOX]) as news:
            await asyncio.to_thread(send, server, "hi", "listens")
            event = await anext(aiter(news))
        assert getattr(event, "uri", None) == INBOX


@pytest.mark.filterwarnings("ignore:resources/")
def test_an_older_client_is_told_as_long_as_it_subscribes(server: Served) -> None:
    subscribed(server)


@story
async def subscribed(server: Served) -> None:
    async with hearing(server, "older") as (client, heard):
        await client.subscribe_resource(INBOX)
        await asyncio.to_thread(send, server, "hi", "older")
        assert await heard.get() == INBOX
        await client.unsubscribe_resource(INBOX)
        await asyncio.to_thread(send, server, "again", "older")
        await Mail(client).do("list_agents")
        assert heard.empty()


@pytest.mark.filterwarnings("ignore:resources/")
def test_a_server_that_comes_back_is_found_again(tmp_path: Path) -> None:
    came_back(tmp_path / "home")


@story
async def came_back(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        words = ["--http", f"127.0.0.1:{free.getsockname()[1]}"]
    with served(home, *words) as first:
        async with hearing(first, "codex") as (client, heard):
            await client.subscribe_resource(INBOX)
            mail = Mail(client)
            waiting = asyncio.create_task(mail.refused("wait_for_mail", seconds=600))
            await mail.do("list_agents")
            first.process.kill()
            assert (await waiting)["error"] == "unreachable"
            error = await mail.refused("fetch_inbox")
            assert (error["error"], error["retryable"]) == ("unreachable", True)
            send(first, "meanwhile", "codex")
            with served(home, *words):
                assert await heard.get() == INBOX  # what came meanwhile was told by nobody
                assert (await mail.newest())["subject"] == "meanwhile"


def test_a_revoked_token_is_refused_in_the_one_form(server: Served) -> None:
    revoked(server)


@story
async def revoked(server: Served) -> None:
    async with over_relay(server.url, server.token("gone-afar"), server.home) as mail:
        waiting = asyncio.create_task(mail.refused("wait_for_mail", seconds=600))
        await mail.do("list_agents")
        with open_office(server.home) as office:
            await asyncio.to_thread(office.revoke_token, caller("gone-afar"))
        assert (await waiting)["error"] == "not_authorized"
        error = await mail.refused("fetch_inbox")
        assert (error["error"], "token" in error["details"]) == ("not_authorized", True)


def test_what_is_no_message_is_answered_and_ends_nothing(server: Served) -> None:
    deep = '{"a":' * 300 + "1" + "}" * 300
    call = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s"}}'
    lines = [
        "nope",
        call % (2, "fetch_inbx"),
        call % (3, "\\ud83d"),
        f'{{"jsonrpc":"2.0","id":4,"method":"ping","params":{deep}}}',
        '{"jsonrpc":"2.0","id":5,"method":"nothing"}',
        call % (6, "x" * (13 << 20)),
    ]
    world = {"WAYPOST_URL": server.url, "WAYPOST_TOKEN": server.token("hostile")}
    with Popen(command("waypost", "mcp"), stdin=PIPE, stdout=PIPE,
               env={**environment(), **world}) as started:  # fmt: skip
        assert started.stdin
        assert started.stdout
        answers: dict[Any, Any] = {}
        for line in lines:
            started.stdin.write(line.encode() + b"\n")
            started.stdin.flush()
            answer = json.loads(started.stdout.readline())
            answers[answer["id"]] = answer
        started.stdin.close()
        assert started.wait(20) == 0
    assert list(answers) == [None, 2, 3, 4, 5, 6]
    assert answers[2]["result"]["structuredContent"]["error"] == "not_found"
    assert answers[6]["result"]["structuredContent"]["error"] == "too_large"
    assert {number for number in (None, 4, 5) if "error" in answers[number]} == {None, 4, 5}


@pytest.mark.parametrize(
    ("world", "code", "error"),
    [
        ({}, 2, "usage"),
        ({"WAYPOST_TOKEN": "wrong"}, 4, "not_authorized"),
        ({"WAYPOST_URL": "http://127.0.0.1:1", "WAYPOST_TOKEN": "t"}, 6, "unreachable"),
        ({"WAYPOST_URL": "http://office.example:7117", "WAYPOST_TOKEN": "t"}, 2, "usage"),
    ],
)
def test_it_does_not_begin_without_an_office_and_a_token(
    server: Served,
    monkeypatch: pytest.MonkeyPatch,
    world: dict[str, str],
    code: int,
    error: str,
) -> None:
    for name, value in {"WAYPOST_URL": server.url, **world}.items():
        monkeypatch.setenv(name, value)
    said = say("waypost", "mcp", "--json")
    assert (said.code, said.objects[0]["error"]) == (code, error)


def test_a_name_that_is_not_the_tokens_is_refused(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_URL", server.url)
    monkeypatch.setenv("WAYPOST_TOKEN", server.token("claude"))
    said = say("waypost", "mcp", "--agent", "codex", "--json")
    assert (said.code, said.objects[0]["error"]) == (4, "not_authorized")
    assert "codex" in said.objects[0]["hint"]
