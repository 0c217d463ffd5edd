"""The office locked, damaged, closed, or with a clock that jumps: told plainly, and it goes on."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from office_older import made_older
from office_scene import PROJECT, Scene, caller, refusal
from waypost.office.migrations import MIGRATIONS
from waypost.office.office import open_office


def test_an_office_that_another_process_locks_is_busy_and_then_goes_on(
    embedded_scene: Scene,
) -> None:
    scene = embedded_scene
    with (
        open_office(scene.home, patience=0.2) as hasty,
        closing(sqlite3.connect(scene.home / "office.db", isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        error = refusal(lambda: hasty.send(caller("claude"), "codex", text="now"))
        assert (error["error"], error["retryable"]) == ("busy", True)
        assert hasty.inbox(caller("gemini")).letters == ()  # reading goes on
        other.execute("ROLLBACK")
        hasty.send(caller("claude"), "codex", text="now")
    assert scene.inbox() == ["now"]


def test_whoever_waits_for_the_lock_gets_it(scene: Scene) -> None:
    with closing(sqlite3.connect(scene.home / "office.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        sender = threading.Thread(target=scene.send)
        sender.start()
        other.execute("ROLLBACK")
        sender.join()
    assert scene.inbox() == ["Which port?"]


@pytest.mark.parametrize("content", [b"no database " * 500, b"SQLite format 3\0" + b"\xff" * 9000])
def test_what_is_no_database_is_told(tmp_path: Path, content: bytes) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "office.db").write_bytes(content)
    error = refusal(lambda: open_office(home))
    assert error["error"] == "unreadable"
    assert (home / "office.db").read_bytes() == content


def test_an_office_of_a_newer_waypost_is_left_alone(scene: Scene) -> None:
    with closing(sqlite3.connect(scene.home / "office.db")) as db:
        db.execute("PRAGMA user_version = 999")
    error = refusal(lambda: open_office(scene.home))
    assert "newer" in error["details"]


def test_an_office_of_an_older_waypost_is_brought_up_to_date(embedded_scene: Scene) -> None:
    scene = embedded_scene
    sent = scene.send()
    scene.office.close()
    made_older(scene.home, 1)
    with scene.open() as office:
        assert office.read(caller("codex"), sent.id).header.id == sent.id
        assert office.verify().is_whole
    with closing(sqlite3.connect(scene.home / "office.db")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)


def test_a_home_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    assert refusal(lambda: open_office(tmp_path / "home"))["error"] == "unreadable"


def test_a_closed_office_says_so(scene: Scene) -> None:
    scene.office.close()
    error = refusal(lambda: scene.send())
    assert (error["error"], "closed" in error["details"]) == ("unreadable", True)


def test_a_clock_that_jumps_changes_no_order_and_loses_nothing(scene: Scene) -> None:
    sent = []
    for minutes in (0, 10**6, -(10**6), -(10**7), 10**7):
        scene.clock.move(minutes=minutes)
        sent.append(scene.send(text=f"at {minutes}", expires_minutes=60).id)
    thread = scene.office.search(caller("claude"), "at from:claude").letters
    assert [one.id for one in reversed(thread)] == sent
    assert scene.office.verify().is_whole
    assert scene.office.status(caller("dana")).project == PROJECT
