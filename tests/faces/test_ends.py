"""How servers begin and end: one a home, in good order, and killed in the middle of everything."""

import asyncio
import json
import os
import signal
import socket
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from commands.terminal import command, environment, say
from faces.clients import Served, caller, over_http, program, served, story
from waypost.office import open_office

SENDERS = 4


def acknowledged_until_killed(server: Served, tokens: list[str], after: int) -> list[str]:
    """The ids for which a receipt came back before the server was killed in mid-call."""
    receipts: list[str] = []

    async def send_on(token: str, number: int) -> None:
        async with over_http(server.url, token) as mail:
            for count in range(10_000):
                given = f"letter-{number}-{count}"
                sent = await mail.do("send_message", to=["codex"], text="hi", message_id=given)
                receipts.append(sent["id"])
                if len(receipts) == after:
                    server.process.kill()

    @story
    async def send_all() -> None:
        senders = [send_on(token, number) for number, token in enumerate(tokens)]
        await asyncio.gather(*senders, return_exceptions=True)

    send_all()
    return receipts


@pytest.mark.parametrize("after", [7, 60])
def test_a_killed_server_loses_nothing_that_was_acknowledged(tmp_path: Path, after: int) -> None:
    with served(tmp_path / "home") as first:
        tokens = [first.token(f"sender-{number}") for number in range(SENDERS)]
        first.token("codex")
        receipts = acknowledged_until_killed(first, tokens, after)
    assert len(receipts) >= after
    with served(tmp_path / "home") as again, again.http(tokens[0]) as http:
        for count in range(3):  # whoever didn't hear an answer asks again, and doubles nothing
            body = {"to": "codex", "text": "hi", "message_id": f"letter-0-{count}"}
            assert http.post("/api/call/send", json=body).status_code == 200
    with open_office(tmp_path / "home") as office:
        found = [one.id for one in office.inbox(caller("codex"), limit=200).letters]
        assert set(receipts) <= set(found)
        assert len(found) == len(set(found))
        assert office.verify().is_whole


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_server_ends_in_good_order_while_clients_wait(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with served(tmp_path / "home") as server:
        waits_until_ended(server, number)
        assert server.process.wait(20) == code
    assert say("waypost", "serve", "--http", "nowhere", "--home", str(server.home)).code == 2


async def until_one_waits(server: Served, waiting: "asyncio.Task[object]") -> None:
    with server.http() as http:
        while (await asyncio.to_thread(http.get, "/healthz")).json()["waiting"] != 1:
            assert not waiting.done(), await waiting


@story
async def waits_until_ended(server: Served, number: signal.Signals) -> None:
    async with over_http(server.url, server.token("codex")) as codex:
        await codex.do("list_agents")  # the client asks for the list of tools once, too
        waiting = asyncio.create_task(codex.do("wait_for_mail", seconds=600))
        async with codex.client.listen(resource_subscriptions=["mail://inbox"]) as news:
            await until_one_waits(server, waiting)
            os.kill(server.process.pid, number)
            assert await waiting == {"letters": [], "last": 0}
            with suppress(Exception):
                assert [event async for event in news] == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, -15), (signal.SIGINT, 130)])
def test_a_program_over_streams_can_be_ended(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    asked = command("waypost", *program(tmp_path / "home", "claude").args)
    with Popen(asked, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment()) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n')
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 7
        server.send_signal(number)
        assert (server.wait(20), server.stderr and server.stderr.read()) == (code, b"")


def test_a_home_has_one_server_and_the_second_names_it(server: Served) -> None:
    said = say("waypost", "serve", "--home", str(server.home), "--json")
    (error,) = said.objects
    assert (said.code, error["error"]) == (1, "conflict")
    assert f"process {server.process.pid}" in error["details"]
    assert server.url in error["details"]


def test_who_watches_from_afar_misses_nothing_when_the_server_starts_anew(tmp_path: Path) -> None:
    with served(tmp_path / "home") as first:
        token, url = first.token("claude"), first.url
        watched = environment(WAYPOST_URL=url, WAYPOST_TOKEN=token)
        asked = command("waypost", "watch", "--after", "0", "--json")
        watching = Popen(asked, stdout=PIPE, stderr=PIPE, env=watched)
        assert watching.stdout
        assert watching.stderr
        assert json.loads(watching.stdout.readline())["kind"] == "agent.registered"
        first.process.send_signal(signal.SIGTERM)
        first.process.wait(20)
    assert b"waiting for it" in watching.stderr.readline()
    with open_office(tmp_path / "home") as office:
        office.register(caller("codex"))
    with served(tmp_path / "home", "--http", url.rpartition("/")[2]):
        assert any(json.loads(line)["actor"] == "codex" for line in watching.stdout)
        watching.kill()
        watching.communicate()


@pytest.mark.parametrize("lacks", ["certificate", "its key", "a key without a passphrase"])
def test_a_certificate_that_can_t_be_used_is_told_and_nobody_is_asked(
    tmp_path: Path, lacks: str
) -> None:
    from cryptography.hazmat.primitives import serialization

    from faces.certificates import self_signed

    certificate, key = self_signed(tmp_path)
    if lacks == "certificate":
        certificate = tmp_path / "nowhere.pem"
    elif lacks == "its key":
        (tmp_path / "other").mkdir()
        _, key = self_signed(tmp_path / "other")
    else:
        private = serialization.load_pem_private_key(key.read_bytes(), None)
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
        key.write_bytes(
            private.private_bytes(*form, serialization.BestAvailableEncryption(b"secret"))
        )
    words = ("--tls-cert", str(certificate), "--tls-key", str(key), "--home", str(tmp_path))
    said = say("waypost", "serve", "--json", *words)
    (error,) = said.objects
    assert (said.code in (1, 2), str(certificate) in error["details"]) == (True, True)
    assert said.err == ""


def test_a_taken_address_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = f"127.0.0.1:{other.getsockname()[1]}"
        said = say("waypost", "serve", "--http", taken, "--home", str(tmp_path), "--json")
    assert (said.code, said.objects[0]["error"]) == (1, "conflict")


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:7117"])
def test_plain_http_beyond_this_machine_is_refused(tmp_path: Path, address: str) -> None:
    said = say("waypost", "serve", "--http", address, "--home", str(tmp_path), "--json")
    assert (said.code, "--tls-cert" in said.objects[0]["hint"]) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["--http", "x:y"],
        ["--http", "host:99999"],
        ["--tls-cert", "a.pem"],
        ["--tls-cert", "a", "--tls-key", "b"],
    ],
)
def test_what_cannot_be_served_is_refused_in_words(tmp_path: Path, words: list[str]) -> None:
    said = say("waypost", "serve", *words, "--home", str(tmp_path), "--json")
    assert (said.code in (1, 2), "error" in said.objects[0], said.err) == (True, True, "")


def test_beyond_this_machine_a_certificate_is_enough(tmp_path: Path) -> None:
    from faces.certificates import self_signed

    certificate, key = self_signed(tmp_path)
    words = ["--http", "0.0.0.0:0", "--tls-cert", str(certificate), "--tls-key", str(key)]
    with served(tmp_path / "home", *words) as server:
        import httpx2

        port = server.url.rpartition(":")[2]
        with httpx2.Client(verify=False) as http:
            answer = http.get(f"https://127.0.0.1:{port}/healthz")
    assert answer.json()["status"] == "ok"
