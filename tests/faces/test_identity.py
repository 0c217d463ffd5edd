"""Who calls: over streams what the command line says, over HTTP the token of each request."""

import asyncio
from pathlib import Path

import pytest

from commands.terminal import say
from faces.clients import Served, caller, indoors, over_http, over_streams, program, story
from faces.messages import ASSIGNMENT
from waypost.office import Office, open_office

CALL = "/api/call/inbox"


def test_the_agent_is_registered_before_the_first_call(tmp_path: Path) -> None:
    begun(tmp_path / "home")


@story
async def begun(home: Path) -> None:
    async with over_streams(home, "claude"):
        with open_office(home) as office:
            (claude,) = [one for one in office.agents(caller("claude")) if one.name == "claude"]
        assert (claude.kind, claude.has_token) == ("agent", False)


def test_a_name_that_cannot_be_is_refused_before_anything_is_served(tmp_path: Path) -> None:
    said = say("waypost", "mcp", "--agent", "../x", "--project", "shop", "--json", "--home",
               str(tmp_path / "home"))  # fmt: skip
    assert (said.code, said.objects[0]["error"], said.err) == (2, "usage", "")


def test_nothing_but_the_protocol_is_on_stdout(tmp_path: Path) -> None:
    started = program(tmp_path / "home", "claude")
    said = say("waypost", *started.args, given=b"no protocol at all\n")
    assert (said.code, [one["jsonrpc"] for one in said.objects]) == (0, ["2.0"] * len(said.objects))


@story
async def test_the_sender_is_who_calls_and_never_an_argument(office: Office) -> None:
    async with indoors(office, "claude", "codex") as (claude, codex):
        lie = {**ASSIGNMENT, "sender_id": "dana"}
        error = await claude.refused(
            "send_message", to=["codex"], type="task_assignment", content=lie
        )
        assert error["error"] == "not_authorized"
        error = await claude.refused("send_message", to=["codex"], text="x", sender="dana")
        assert error["problems"][0]["code"] == "unknown_argument"
        assert (await codex.do("fetch_inbox"))["letters"] == []


@pytest.mark.parametrize("token", [None, "wrong", "x" * 5000, "\xff"])
@pytest.mark.parametrize("path", ["/mcp", CALL])
def test_without_a_good_token_nothing_is_served(
    server: Served, path: str, token: str | None
) -> None:
    proof = {} if token is None else {"authorization": f"Bearer {token}".encode("latin-1")}
    with server.http() as http:
        answer = http.post(path, headers=proof, json={})  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["error"]) == (401, "not_authorized")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_revoked_token_is_refused_from_the_next_call_on(server: Served) -> None:
    with server.http(server.token("gone")) as http:
        assert http.post(CALL, json={}).status_code == 200
        with open_office(server.home) as office:
            office.revoke_token(caller("gone"))
        assert http.post(CALL, json={}).status_code == 401


def test_a_token_that_is_revoked_in_the_midst_of_waiting_hears_nothing_more(
    server: Served,
) -> None:
    for change in ("revoke_token", "rotate_token"):
        cut_off(server, change)


@story
async def cut_off(server: Served, change: str) -> None:
    token = server.token("cut")
    async with over_http(server.url, token) as mail:
        waiting = asyncio.create_task(mail.refused("wait_for_mail", seconds=600))
        async with mail.client.listen(resource_subscriptions=["mail://inbox"]) as news:
            with open_office(server.home) as office:
                await asyncio.to_thread(getattr(office, change), caller("cut"))
            assert (await waiting)["error"] == "not_authorized"
            with pytest.raises(Exception, match="ended without"):
                [event async for event in news]


def test_an_older_stream_of_news_ends_with_its_token(server: Served) -> None:
    accept = {"Accept": "text/event-stream"}
    with (
        server.http(server.token("older"), **accept) as http,
        http.stream("GET", "/mcp") as news,
    ):
        lines = news.iter_lines()
        assert next(lines).startswith(":")
        with open_office(server.home) as office:
            office.revoke_token(caller("older"))
        assert not [line for line in lines if line]


def test_a_token_opens_its_own_project_and_mailbox_only(server: Served) -> None:
    theirs = server.token("claude", "theirs")
    ours = server.token("claude", "ours")
    with server.http(theirs) as http:
        http.post("/api/call/send", json={"to": "claude", "text": "to myself"})
    with server.http(ours) as http:
        assert http.post(CALL, json={}).json() == {"letters": [], "unread": 0}


@story
async def keeps_apart(server: Served) -> None:
    one, two = server.token("one"), server.token("two")
    async with over_http(server.url, one) as mail, over_http(server.url, two) as other:
        await mail.do("send_message", to=["one"], text="mine")
        assert (await other.do("search_messages", query="mine"))["letters"] == []
        letter = (await mail.newest())["id"]
        assert (await other.refused("read_message", id=letter))["error"] == "not_found"


def test_what_one_got_another_cannot_read(server: Served) -> None:
    keeps_apart(server)


def test_letters_sent_with_a_token_are_proven(server: Served) -> None:
    with server.http(server.token("prover")) as http:
        sent = http.post("/api/call/send", json={"to": "prover", "text": "hi"}).json()
        letter = http.post("/api/call/read", json={"letter": sent["id"]}).json()
    assert (letter["proof"], letter["door"]) == ("proven", "http")


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Host": "localhost.evil.example"}])
def test_another_hosts_name_is_refused(server: Served, header: dict[str, str]) -> None:
    with server.http(server.token("claude"), **header) as http:
        for answer in (http.post(CALL, json={}), http.post("/mcp", json={}), http.get("/healthz")):
            assert (answer.status_code, answer.json()["error"]) == (421, "not_authorized")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost.evil.example"])
def test_another_sites_page_is_refused(server: Served, origin: str) -> None:
    with server.http(server.token("claude"), Origin=origin) as http:
        assert http.post(CALL, json={}).status_code == 403
    with server.http(server.token("claude"), Origin=server.url) as http:
        assert http.post(CALL, json={}).status_code == 200


@story
async def test_a_token_is_never_shown_to_a_model(office: Office) -> None:
    async with indoors(office, "claude") as claude:
        assert "token" not in await claude.do("register_agent", description="Writes code")
        (me, _) = sorted(
            (await claude.do("list_agents"))["agents"], key=lambda one: one["name"] != "claude"
        )
        assert (me["description"], "has_token" in me) == ("Writes code", False)
