"""A door can't tell by results or errors whether its office is in process or elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faces.clients import Served, served
from waypost.errors import (
    FilesHeldError,
    InvalidMessageError,
    NotAllowedError,
    NotFoundError,
    Problem,
    TooLargeError,
    UnreachableError,
    UnreadableError,
    UsageError,
    WaypostError,
)
from waypost.office import Office, open_office
from waypost.office.callers import Caller
from waypost.runtime.client import Client, InProcess, connect
from waypost.runtime.config import Setting
from waypost.runtime.place import Place
from waypost.runtime.remote import Remote, error_of

PROJECT = "my-app"
ID = "8e4a0b52-6f0d-4c39-9d1e-2b7c85a3f614"


class Town(dict[str, Client]):
    """Two ways to one office, both as claude."""

    office: Office
    url: str
    token: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def town(server: Served) -> Iterator[Town]:
    made = Town()
    with open_office(server.home) as made.office:
        made.url, made.token = server.url, server.token("claude", PROJECT)
        made.office.register(Caller("codex", PROJECT))
        made.office.release(Caller("codex", PROJECT))
        home, project, agent = (Setting(word, "test") for word in ("home", PROJECT, "claude"))
        made["near"] = InProcess(made.office, home, project, agent, "http")
        made["far"] = remote(made)
        yield made


def remote(town: Town, **more: Any) -> Remote:
    return Remote(Setting(town.url, "test"), {"WAYPOST_TOKEN": town.token}, **more)


def outcome(client: Client, use_case: str, **given: Any) -> Any:
    """What a call gives, or how it fails."""
    try:
        return client.ask(use_case, **given)
    except WaypostError as error:
        return type(error), error.exit_code, error.to_json()


SAME: dict[str, tuple[str, dict[str, Any]]] = {
    "a list": ("agents", {}),
    "an unknown recipient": ("send", {"to": "codx", "text": "hi"}),
    "wrong arguments": ("send", {"to": 7, "txt": "hi"}),
    "many problems": (
        "send",
        {"to": "codex", "type": "handoff", "content": {"intent": ""}, "message_id": ID},
    ),
    "an unknown type": ("send", {"to": "codex", "type": "handof", "text": "hi"}),
    "nothing found": ("read", {"letter": "nope"}),
    "not allowed": ("answer", {"letter": "nope", "text": "hi"}),
    "files held": ("reserve", {"patterns": ["src/a.py", "docs"]}),
    "too much": ("attach", {"name": "x", "data": "A" * 12_000_000}),
}


@pytest.mark.parametrize("name", SAME)
def test_both_ways_give_the_same(town: Town, name: str) -> None:
    use_case, given = SAME[name]
    town.office.reserve(Caller("codex", PROJECT), ["src/**"], reason="mine")
    near, far = (outcome(town[way], use_case, **given) for way in ("near", "far"))
    assert near == far


def test_who_one_is_comes_from_the_token(town: Town) -> None:
    far = remote(town)
    assert (far.agent.value, far.project.value) == ("claude", PROJECT)
    with pytest.raises(NotAllowedError, match="that of claude"):
        remote(town, agent="codex")
    with pytest.raises(NotAllowedError, match="speaks only for claude"):
        far.call("register", {}, agent="codex")


def test_a_letter_over_http_is_proven(town: Town) -> None:
    receipt = town["far"].ask("send", to="codex", text="hi")
    letter = town.office.read(Caller("codex", PROJECT), receipt["id"])
    assert (letter.door, letter.header.proof) == ("http", "proven")


def test_a_revoked_token_is_refused(town: Town) -> None:
    far = town["far"]
    town.office.revoke_token(Caller("claude", PROJECT))
    with pytest.raises(NotAllowedError):
        far.ask("inbox")


@pytest.mark.parametrize("way", ["near", "far"])
def test_both_know_where_the_journal_ends(town: Town, way: str) -> None:
    assert town[way].position() == town.office.last()


def test_an_office_that_does_not_answer_is_told(town: Town) -> None:
    with pytest.raises(UnreachableError, match="doesn't answer") as told:
        Remote(Setting("http://127.0.0.1:1", "test"), {"WAYPOST_TOKEN": "t"})
    assert (told.value.exit_code, told.value.retryable) == (6, True)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a",
        "localhost:7117",
        "http://",
        "http://127.0.0.1:0",
        "http://x@127.0.0.1",
        "http://[",
    ],
)
def test_what_is_no_address_is_refused_before_a_token_leaves(url: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        Remote(Setting(url, "WAYPOST_URL"), {"WAYPOST_TOKEN": "t"})


def test_a_token_never_travels_in_the_clear() -> None:
    with pytest.raises(UsageError, match="in the clear"):
        Remote(Setting("http://office.example:7117", "WAYPOST_URL"), {"WAYPOST_TOKEN": "t"})


@pytest.mark.parametrize("token", ["", "a\r\nHost: x", "é"])
def test_without_a_sound_token_nothing_is_asked(token: str) -> None:
    with pytest.raises(UsageError, match="asks for a token"):
        Remote(Setting("http://127.0.0.1:1", "WAYPOST_URL"), {"WAYPOST_TOKEN": token})


def test_an_address_in_the_environment_leads_there(town: Town, tmp_path: Path) -> None:
    world = {"WAYPOST_URL": town.url, "WAYPOST_TOKEN": town.token}
    with connect(Place(world, str(tmp_path), str(tmp_path / "none")), None, None) as client:
        assert client.agent == Setting("claude", "WAYPOST_TOKEN")
    assert not (tmp_path / "none").exists()


def test_an_office_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no office"):
        connect(Place({}, str(tmp_path), str(tmp_path / "none")), "p", "a")
    assert not (tmp_path / "none").exists()


PROBLEM = Problem(("body", "a.b", 0), "wrong_type", "must be text", "write text", line=3)
ERRORS: list[WaypostError] = [
    UsageError("x", hint="y"),
    InvalidMessageError("x", problems=[PROBLEM, PROBLEM], message_id="m"),
    TooLargeError("x"),
    UnreadableError("x", retryable=True),
    FilesHeldError("x", conflicts=[{"holder": "a"}], alternatives=[{"pattern": "p"}]),
]


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_travels_whole(error: WaypostError) -> None:
    again = error_of(error.to_json(), 400)
    assert (type(again), again.to_json()) == (type(error), error.to_json())


@pytest.mark.parametrize("form", [None, [], {}, {"error": 7}, {"details": 3}, "no", {"error": "x"}])
def test_what_is_no_office_is_told(form: object) -> None:
    assert isinstance(error_of(form, 502), UnreachableError)
