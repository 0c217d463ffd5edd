"""People away from the page are told: a real server, a real receiver, real programs."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any, NamedTuple

import httpx
import pytest

from commands.terminal import Said, say
from faces.clients import served
from faces.web import story
from faces.web.conftest import link
from waypost.errors import UsageError
from waypost.faces.audience import is_away
from waypost.office import open_office
from waypost.runtime.config import Config
from waypost.runtime.notify import Desktop, Need, notify_of

CLAUDE = story.caller("claude")
PATIENCE = 30


class Got(NamedTuple):
    """A request that came to a receiver."""

    headers: dict[str, str]
    body: bytes

    @property
    def facts(self) -> dict[str, Any]:
        return dict(json.loads(self.body))


class Receiver(NamedTuple):
    """Somewhere that is told, with what it answers next (200 when nothing is left to answer)."""

    url: str
    got: "Queue[Got]"
    answers: "Queue[int]"

    def next(self) -> Got:
        return self.got.get(timeout=PATIENCE)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    got: Queue[Got] = Queue()
    answers: Queue[int] = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.put(Got({key.lower(): text for key, text in self.headers.items()}, body))
            try:
                status = answers.get_nowait()
            except Empty:
                status = 200
            self.send_response(status)
            self.send_header("location", "/elsewhere")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Receiver(f"http://127.0.0.1:{server.server_port}/hook?a=b", got, answers)
    server.shutdown()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with open_office(tmp_path / "home") as office:
        office.register(CLAUDE, with_token=False)
        office.register(story.caller("dana"), kind="person", with_token=False)
    return tmp_path / "home"


def ask(home: Path, question: str) -> None:
    with open_office(home) as office:
        office.ask_human(CLAUDE, question)


def hook(receiver: Receiver, **more: str) -> dict[str, str]:
    quiet = {"WAYPOST_NOTIFY_QUIET": "0"}
    named = {f"WAYPOST_NOTIFY_{key.upper()}": text for key, text in more.items()}
    return {"WAYPOST_NOTIFY_WEBHOOK": receiver.url, **quiet, **named}


def test_a_webhook_gets_who_asks_what_and_where_but_not_the_body(
    home: Path, receiver: Receiver
) -> None:
    with served(home, **hook(receiver)) as server:
        ask(home, "Ship it?\n\nThe secret plan is in here.")
        got = receiver.next()
        facts = got.facts
        assert (facts["from"], facts["subject"]) == ("claude", "Ship it?")
        assert facts["people"] == ["dana"]
        assert facts["link"].startswith(server.url + "/thread?id=")
        assert b"secret plan" not in got.body
        assert "x-waypost-signature" not in got.headers


def test_a_secret_signs_and_the_body_comes_where_it_is_wanted(
    home: Path, receiver: Receiver
) -> None:
    with served(home, **hook(receiver, secret="s3", body="true")):
        ask(home, "Ship it?\n\nAll of it.")
        got = receiver.next()
    stamped = got.headers["x-waypost-timestamp"].encode() + b"." + got.body
    signed = hmac.new(b"s3", stamped, hashlib.sha256).hexdigest()
    assert got.headers["x-waypost-signature"] == "sha256=" + signed
    assert "All of it." in got.facts["body"]


def test_nobody_is_told_twice_also_after_a_kill(home: Path, receiver: Receiver) -> None:
    with served(home, **hook(receiver)) as server:
        ask(home, "The first")
        assert receiver.next().facts["subject"] == "The first"
        server.process.kill()
        server.process.wait()
    with served(home, **hook(receiver)):
        ask(home, "The second")
        assert receiver.next().facts["subject"] == "The second"
    assert receiver.got.empty()


def test_what_came_while_no_server_ran_is_told_later(home: Path, receiver: Receiver) -> None:
    ask(home, "Anybody there?")
    with served(home, **hook(receiver)):
        assert receiver.next().facts["subject"] == "Anybody there?"


def test_a_receiver_that_fails_is_asked_again_and_one_that_redirects_is_not(
    home: Path, receiver: Receiver
) -> None:
    receiver.answers.put(503)
    receiver.answers.put(200)
    receiver.answers.put(302)
    with served(home, **hook(receiver)):
        ask(home, "Again?")
        assert [receiver.next().facts["subject"] for _ in range(2)] == ["Again?"] * 2
        ask(home, "Elsewhere?")
        assert receiver.next().facts["subject"] == "Elsewhere?"
        ask(home, "The last")
        assert receiver.next().facts["subject"] == "The last"
    assert receiver.got.empty()


def test_who_looks_at_a_page_is_told_by_the_page_alone(home: Path, receiver: Receiver) -> None:
    with served(home, **hook(receiver)) as server, looking(server.url, home) as heard:
        ask(home, "You see this")
        assert next(heard)
        with open_office(home) as office:
            office.register(story.caller("eve"), kind="person", with_token=False)
        facts = receiver.next().facts
        assert (facts["subject"], facts["people"]) == ("You see this", ["eve"])
    assert receiver.got.empty()


@contextmanager
def looking(url: str, home: Path) -> Iterator[Iterator[str]]:
    """A page of dana's that is looked at, and what it hears."""
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        client.get("/enter/" + link(home))
        with client.stream("GET", "/live", params={"after": 0}) as answer:
            lines = (line for line in answer.iter_lines() if line.startswith("id: "))
            next(lines)
            yield lines


def test_the_desktop_shows_words_and_never_options_or_markup(
    home: Path, tmp_path: Path, receiver: Receiver
) -> None:
    program, shown = tmp_path / "bin" / "notify-send", tmp_path / "shown"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {shown}.new\nmv {shown}.new {shown}\n')
    program.chmod(0o755)
    path = f"{program.parent}:/usr/bin:/bin"
    more = hook(receiver, desktop="true") | {"PATH": path}
    with served(home, **more):
        ask(home, "--icon=/etc/passwd <b>")
        receiver.next()
    words = shown.read_text().splitlines()
    assert words[:2] == ["--app-name=Waypost", "--"]
    assert words[2:] == ["claude needs dana", "--icon=/etc/passwd &lt;b&gt;"]


def test_a_desktop_without_the_program_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    need = Need(("dana",), {"from": "claude", "subject": "?", "type": "question"}, "")
    with pytest.raises(Exception, match="notify-send"):
        Desktop().tell(need)


@pytest.mark.parametrize(
    "address",
    ["http://example.org/x", "ftp://127.0.0.1/", "https://", "https://user:word@example.org/",
     "https://example.org/\u202e", "http://127.0.0.1.example.org/", "http://[::1", "https://a:0/"],
)  # fmt: skip
def test_an_address_that_letters_should_not_go_to_is_refused(tmp_path: Path, address: str) -> None:
    config = Config(str(tmp_path), {"WAYPOST_NOTIFY_WEBHOOK": address})
    with pytest.raises(UsageError) as told:
        notify_of(config)
    assert told.value.hint


def test_settings_are_read_from_the_file_as_one_writes_them(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[notify]\ndesktop = true\nwebhook = "https://example.org/"\nquiet = "5"\n'
    )
    found = notify_of(Config(str(tmp_path), {}))
    assert (found.desktop, found.webhook, found.body) == (True, "https://example.org/", False)
    assert found.quiet_seconds == 5


@pytest.mark.parametrize(("name", "text"), [("QUIET", "soon"), ("DESKTOP", "yes"), ("BODY", "1")])
def test_a_setting_that_says_nothing_is_refused(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(UsageError, match="WAYPOST_NOTIFY_" + name):
        notify_of(Config(str(tmp_path), {"WAYPOST_NOTIFY_" + name: text}))


@pytest.mark.parametrize(
    ("is_looking", "looked_at", "away"), [(True, 0, False), (False, 950, False), (False, 940, True)]
)
def test_away_is_who_looks_at_no_page_for_the_quiet_time(
    is_looking: bool, looked_at: float, away: bool
) -> None:
    assert is_away(is_looking, looked_at, 1000, 60) is away


def test_the_doctor_misses_the_program_and_refuses_the_address(home: Path) -> None:
    whose = ("waypost", "doctor", "--json", "--home", str(home))
    missing = say(*whose, WAYPOST_NOTIFY_DESKTOP="true", PATH="/nowhere")
    assert "notify-send" in [one["place"] for one in _findings(missing) if one["check"] == "notify"]
    plain = say(*whose, WAYPOST_NOTIFY_WEBHOOK="http://example.org/")
    assert [one["message"] for one in _findings(plain) if one["check"] == "notify"] != []


def _findings(said: Said) -> list[dict[str, Any]]:
    return list(json.loads(said.out)["findings"])
