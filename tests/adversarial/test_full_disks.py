"""A disk that is full, closed, or grants no more: said plainly, with nothing lost or half there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from worlds import SmallDisk, read_only, small_disk

from campaigns.audit import Audit
from commands.desk import PROJECT, Desk, desk, leave_home
from commands.terminal import shell
from waypost.carriers.folders.home import Home

__all__ = ["desk"]
TO_ONE = ("send", "--from", "claude", "--to", "codex", "--type", "question", "-s", "Hi", "-b", "?")
TO_TWO = (*TO_ONE[:4], "codex,gemini", *TO_ONE[5:])


class DiskDesk(Desk):
    """A desk on a disk of its own."""

    disk: SmallDisk


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DiskDesk]:
    leave_home(monkeypatch, tmp_path)
    with small_disk(tmp_path / "disk") as disk:
        monkeypatch.setenv("OACP_HOME", str(disk.folder / "home"))
        made = DiskDesk(disk.folder / "home")
        made.disk = disk
        made.tell("init", PROJECT, "--agents", "claude,codex,gemini")
        yield made


def audit(desk: Desk) -> Audit:
    return Audit(Home(str(desk.home)).project(PROJECT))


@pytest.mark.parametrize("words", [TO_ONE, TO_TWO], ids=["to one", "to two"])
def test_a_full_disk_refuses_a_message_and_keeps_the_others(
    small: DiskDesk, words: tuple[str, ...]
) -> None:
    first = small.send()["message_id"]
    small.disk.fill()
    code, error = small.fail(*words)
    assert (code, error["error"]) == (1, "unreadable")
    assert "no space left on device: " in error["details"]
    assert "make room" in error["hint"]
    small.disk.free()
    assert [row["id"] for row in small.rows()] == [first]
    assert small.say(*words).code == 0


def test_however_little_room_is_left_a_broadcast_reaches_all_or_none(small: DiskDesk) -> None:
    small.send()
    codes = []
    for pages in range(14):
        small.disk.fill(left=pages)
        said = small.say(*TO_TWO, "--json")
        codes.append(said.code)
        small.disk.free()
        sent = [said.objects[0]["message_id"]] if said.code == 0 else []
        small.say("inbox", "--agent", "codex")  # finishes what waits
        assert audit(small).wrong(sent) == []
    assert set(codes) == {0, 1}


def test_a_full_disk_lets_mail_be_read_and_put_away(small: DiskDesk) -> None:
    sent = small.send()["message_id"]
    small.disk.fill()
    assert [row["id"] for row in small.rows()] == [sent]
    assert small.tell("show", sent, "--agent", "codex")["body"] == "Look."
    assert small.say("done", sent, "--agent", "codex").code in (0, 1)  # a folder may need a page
    assert sent in audit(small).items


def test_a_watch_on_a_full_disk_says_so_and_forgets_nothing(small: DiskDesk) -> None:
    small.tell("watch", "--agent", "codex") if small.rows() else small.say(
        "watch", "--agent", "codex"
    )
    sent = small.send()["message_id"]
    small.disk.fill()
    said = small.say("watch", "--agent", "codex", "--json")
    assert said.code == 1
    assert "no space left" in said.objects[-1]["details"]
    small.disk.free()
    again = small.say("watch", "--agent", "codex", "--json").objects
    assert [event["id"] for event in again] == [sent]


def test_a_project_that_was_cut_short_is_completed(small: DiskDesk) -> None:
    small.disk.fill()
    assert small.say("init", "second", "--json").objects[0]["error"] == "unreadable"
    small.disk.free()
    assert small.say("init", "second", "--json").code == 0
    assert small.tell("doctor", "--project", "second")["findings"] == []


def test_a_limit_on_the_size_of_files_is_like_a_full_disk(desk: Desk, tmp_path: Path) -> None:
    desk.send()
    before = desk.files()
    words = " ".join(f"'{word}'" for word in (*TO_TWO, "--json"))
    said = shell(f"ulimit -f 0; oacp {words} | cat", tmp_path)
    assert said.objects[0]["error"] == "unreadable"
    assert "file too large: " in said.objects[0]["details"]
    assert desk.files() == before


# -- what may only be read -------------------------------------------------------------------------


def test_mail_on_a_closed_disk_can_be_read_and_not_changed(small: DiskDesk) -> None:
    sent = small.send()["message_id"]
    small.disk.close()
    assert [row["id"] for row in small.rows()] == [sent]
    for words in (TO_ONE, TO_TWO, ("done", sent, "--agent", "codex"), ("agent", "add", "zed")):
        code, error = small.fail(*words)
        assert (code, error["error"]) == (1, "unreadable")
        assert error["hint"]
    assert small.say("doctor").code == 0
    assert small.say().code == 0


CLOSED = ["codex/inbox", "codex/.incoming", "claude/outbox", "claude/.sending", "gemini/inbox"]


@pytest.mark.parametrize("folder", CLOSED)
def test_a_folder_that_is_closed_refuses_before_anything_is_sent(desk: Desk, folder: str) -> None:
    desk.send("--to", "codex,gemini")
    with read_only(desk.project / "agents" / folder):
        code, error = desk.fail(*TO_TWO)
        assert (code, error["error"]) == (1, "unreadable")
        assert folder in error["details"]
    assert audit(desk).wrong() == []
    assert desk.say(*TO_TWO).code == 0
    assert (len(desk.rows()), len(desk.rows(agent="gemini"))) == (2, 2)
