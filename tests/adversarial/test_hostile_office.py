"""Names, ids and letters made to harm, and a home in trouble: refused and harmless."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from worlds import SmallDisk, read_only, small_disk

from commands.desk import leave_home
from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import Said, quick, say
from waypost.office.office import open_office

__all__ = ["office_desk"]
SmallOffice = tuple[OfficeDesk, SmallDisk]
TERMINAL = "\x1b]0;owned\x07\x1b[2J\u202edrowssap\x9b31m\r\x08"
EVIL = (
    "../../etc",
    "a\x1b[31m",
    "'; DROP TABLE letters; --",
    "",
    " ",
    "-",
    "x" * 10_000,
    "\u202e",
)
DAILY = (
    *(["inbox"], ["inbox", "--all"], ["status"], ["agents"], ["thread", "t"], ["search", "owned"]),
    *(["reservations"], ["audit", "log"], ["watch", "--after", "0", "--once"], ["questions"]),
)


def harmless(said: Said) -> bool:
    """Nothing that a terminal obeys, nothing of the interpreter's own talk."""
    shown = said.out + said.err
    return "Traceback" not in shown and "inside waypost" not in shown and all(
        char.isprintable() or char in "\n\t" for char in shown
    )  # fmt: skip


@pytest.fixture
def poisoned(office_desk: OfficeDesk) -> OfficeDesk:
    """An office where everything that may be said says something evil."""
    office_desk.tell("", "agents", "add", "evil", "--description", TERMINAL)
    words = ("send", "codex,people", "--type", "question", "--thread", "t", "-s", "owned")
    office_desk.tell("evil", *words, given=f"owned {TERMINAL}".encode())
    office_desk.tell("evil", "reserve", "src/**", "--reason", TERMINAL)
    return office_desk


@pytest.mark.parametrize("words", DAILY, ids=lambda words: " ".join(words))
def test_what_letters_say_never_reaches_the_terminal(
    poisoned: OfficeDesk, words: list[str]
) -> None:
    for more in ([], ["--json"]):
        said = quick("waypost", *words, "--agent", "ada", *more)
        assert harmless(said), said
        assert said.code == 0


def test_a_letter_is_read_without_harm_and_its_fence_holds(poisoned: OfficeDesk) -> None:
    (row,) = poisoned.letters()
    said = poisoned.say("codex", "read", row["id"])
    assert harmless(said)
    assert said.out.count("\n<<<letter-") == 1


@pytest.mark.parametrize("name", EVIL)
@pytest.mark.parametrize("way", ["--agent", "--project", "to", "id", "thread", "token", "answer"])
def test_names_and_ids_made_to_harm_are_refused(
    office_desk: OfficeDesk, way: str, name: str
) -> None:
    words = {
        "to": ["send", "--agent", "claude", "-b", "x", "--body=x", "--", name],
        "id": ["read", "--agent", "claude", "--", name],
        "thread": ["thread", "--agent", "claude", "--", name],
        "token": ["agents", "--", "token", name],
        "answer": ["answer", "--agent", "ada", "--", name, "x"],
    }.get(way, ["inbox", f"{way}={name}"])
    said = quick("waypost", *words)
    assert said.code in (2, 3), said
    assert harmless(said), said
    assert len(said.err) < 2000


@pytest.mark.parametrize(
    "words",
    [
        ["reserve", "src/**", "--reason"],
        ["ack", "LETTER", "--note"],
        ["audit", "redact", "LETTER", "--agent", "ada", "--reason"],
    ],
    ids=" ".join,
)
def test_no_secret_slips_in_beside_the_letters(words: list[str], office_desk: OfficeDesk) -> None:
    secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    sent = office_desk.send()["id"]
    named = [sent if word == "LETTER" else word for word in words]
    code, error = office_desk.fail("" if "ada" in words else "codex", *named, secret)
    assert (code, error["error"], secret in str(error)) == (5, "secret_detected", False)
    assert [f for f in office_desk.home.iterdir() if secret.encode() in f.read_bytes()] == []


def test_a_file_s_name_never_reaches_the_terminal(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = office_desk.folder.parent / "oacp"
    monkeypatch.setenv("OACP_HOME", str(folders))
    inbox = folders / "projects" / "my-app" / "agents" / "codex" / "inbox"
    inbox.mkdir(parents=True)
    name = "a\x1b[2J\u202e\x07\nerror: forged.yaml"
    (inbox / name).write_text("no message")
    said = say("waypost", "inbox", "--agent", "codex")
    assert (said.code, harmless(said)) == (0, True)
    assert "\nerror: forged" not in said.err
    assert "stays where it is" in said.err


def test_a_body_with_every_character_comes_back_as_it_was(office_desk: OfficeDesk) -> None:
    body = "".join(map(chr, (*range(1, 0xD800), 0x1F600, 0x10FFFF)))
    sent = office_desk.tell("claude", "send", "codex", "-s", "all", given=body.encode())
    raw = say("waypost", "read", "--agent", "codex", "--raw", sent["id"]).out
    from waypost import parse

    assert (parse(raw.encode()).fields or {})["body"] == body


@pytest.mark.parametrize("given", [b"\xff\xfe", b"x" * ((1 << 20) + 1)])
def test_a_body_that_is_none_is_refused(office_desk: OfficeDesk, given: bytes) -> None:
    said = office_desk.say("claude", "send", "codex", "-s", "x", given=given)
    assert said.code in (1, 5)
    assert harmless(said)


# -- a home in trouble ---------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[mail", "mial = 1", "[mail]\nagent = 7\n", "\0", '[x]\ny = "z"'])
def test_a_broken_config_is_told_with_its_path(office_desk: OfficeDesk, text: str) -> None:
    (office_desk.home / "config.toml").write_text(text)
    code, error = office_desk.fail("", "inbox")
    assert (code, error["error"]) == (2, "usage")
    assert "config.toml" in error["details"]


@pytest.mark.parametrize("text", ["project = 7", "project", 'project = "../x"', "", "\x1b[2J"])
def test_a_broken_mark_is_told_with_its_path(office_desk: OfficeDesk, text: str) -> None:
    (office_desk.folder / ".waypost.toml").write_text(text)
    code, error = office_desk.fail("claude", "inbox")
    assert (code, error["error"]) == (2, "usage")
    assert ".waypost.toml" in error["details"]


@pytest.mark.parametrize("content", [b"no database " * 1000, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_that_is_no_office_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "office.db").write_bytes(content)
    words = ("--home", str(tmp_path), "--agent", "a", "--project", "p", "--json")
    said = quick("waypost", "inbox", *words)
    assert (said.code, said.objects[0]["error"]) == (1, "unreadable")
    assert (tmp_path / "office.db").read_bytes() == content


def test_a_locked_office_is_busy_and_says_so(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults = open_office.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "patience", 0.1)
    with closing(sqlite3.connect(office_desk.home / "office.db", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        said = quick("waypost", "send", "codex", "--agent", "claude", "-b", "x", "--json")
        assert (said.code, said.objects[0]["error"]) == (1, "busy")
        assert said.objects[0]["retryable"] is True
        db.execute("ROLLBACK")
    office_desk.send()


@pytest.fixture
def small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[OfficeDesk, SmallDisk]]:
    leave_home(monkeypatch, tmp_path)
    with small_disk(tmp_path / "disk", kib=2048) as disk:
        monkeypatch.setenv("WAYPOST_HOME", str(disk.folder / "office"))
        made = OfficeDesk(disk.folder / "office", tmp_path)
        made.tell("", "init", "p", "--agents", "claude,codex", "--person", "ada")
        yield made, disk


def test_a_full_disk_refuses_and_keeps_what_was_there(
    small: SmallOffice,
) -> None:
    desk, disk = small
    first = desk.send()["id"]
    disk.fill()
    code, error = desk.fail("claude", "send", "codex", "-s", "x", given=b"y" * 500_000)
    assert (code, error["error"]) == (1, "unreadable")
    assert "full" in error["hint"] or "room" in error["hint"]
    disk.free()
    assert [one["id"] for one in desk.letters()] == [first]
    desk.send()
    assert desk.tell("", "audit", "verify")["whole"] is True


def test_a_closed_home_is_told_by_every_command(office_desk: OfficeDesk) -> None:
    office_desk.send()
    with read_only(office_desk.home):
        for words in (["send", "codex", "-b", "x"], ["inbox"], ["reserve", "src"]):
            said = quick("waypost", *words, "--agent", "claude", "--json")
            assert said.code in (0, 1), said
            assert harmless(said)
            assert said.code == 0 or said.objects[0]["error"] == "unreadable"
