"""What the views ask stays a look into an index, and older offices come to the same tables."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from office_older import made_older
from office_scene import Scene, caller, scene_in
from waypost.office import auditing, glancing, inboxes, looking, searching, threads
from waypost.office.apply import KINDS
from waypost.office.database import FILE
from waypost.office.migrations import APPLIED

DANA = caller("dana")
PLANS: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "deeds": (auditing._LOG, ("shop", "", "letter.sent", 9, 9), "PRIMARY KEY (project=? AND"),
    "needed": (looking._NEEDED, (1, 2, 9, 0), "INDEX asking (agent=?)"),
    "how many are needed": (looking._COUNT_NEEDED, (1, 2, 9), "INDEX asking (agent=?)"),
    "lost": (looking._LOST, ("shop", 9, 9), "INDEX undelivered (letter<?)"),
    "how many are lost": (glancing._LOST, ("shop", 9), "INDEX undelivered"),
    "unread for long": (glancing._UNREAD_LONG, ("shop", 9, 9), "unread (agent=? AND rank=? AND"),
    "mailbox": (inboxes._UNREAD_PAGE, (1, 0, 0, 0, 0, 9), "INDEX unread (agent=? AND"),
    "whole mailbox": (inboxes._WHOLE_PAGE, (1, 0, 0, 0, 0, 9), "INDEX inbox (agent=? AND"),
    "thread": (threads._OF_THREAD, ("t", "shop", 0, 1, "a", 1, 9), "by_thread (thread=? AND"),
    "search": (searching._FOUND, ("x", 0, 9, 0, 9, 1, "a", 1, 9), "VIRTUAL TABLE INDEX"),
}


@pytest.mark.parametrize("name", PLANS)
def test_no_view_walks_through_a_whole_table(scene: Scene, name: str) -> None:
    query, values, index = PLANS[name]
    with scene.office.desk.database.reading() as tables:
        steps = [row[3] for row in tables.all(f"EXPLAIN QUERY PLAN {query}", *values)]
    assert any(index in step for step in steps), steps
    walks = ("SCAN letters", "SCAN deliveries", "SCAN events", "SCAN contents")
    assert [step for step in steps if step.startswith(walks) and "undelivered" not in step] == []


def test_an_office_of_before_comes_to_the_tables_that_a_new_one_has(tmp_path: Path) -> None:
    with scene_in(tmp_path) as scene:
        scene.send(text="for your information")
        scene.send(to="dana", type="question", text="Which port?")
        scene.office.ask_human(caller("claude"), "Deploy?", ["yes", "no"])
        scene.send(to=["codex", "gemini"], acknowledge=True)
        scene.inbox("codex")
    now = tables_in(tmp_path)
    made_older(tmp_path, 4)
    with scene_in(tmp_path):
        assert tables_in(tmp_path) == now


def tables_in(home: Path) -> dict[str, list[Any]]:
    with closing(sqlite3.connect(home / FILE)) as db:
        return {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in APPLIED}


def test_the_news_of_all_kinds_come_in_the_order_in_which_they_happened(scene: Scene) -> None:
    for number in range(3):
        scene.send(text=f"letter {number}")
        scene.office.reserve(caller("codex"), [f"src/{number}/**"])
    newest = scene.office.log(DANA, limit=100)
    assert [one.position for one in newest] == list(range(scene.office.last(), 0, -1))
    assert {one.kind for one in newest} < set(KINDS)
    reserved = scene.office.log(DANA, limit=2, kind="files.reserved")
    rest = scene.office.log(DANA, after=str(reserved[-1].position), kind="files.reserved")
    assert [one.data["patterns"] for one in (*reserved, *rest)] == [
        ["src/2/**"], ["src/1/**"], ["src/0/**"],
    ]  # fmt: skip
    assert {one.actor for one in scene.office.log(DANA, actor="codex")} == {"codex"}
    assert scene.office.log(DANA, actor="codex", kind="letter.sent") == ()


def test_letters_of_a_time_are_found_among_those_of_other_times(scene: Scene) -> None:
    scene.send(text="early")
    scene.clock.move(minutes=24 * 60)
    scene.send(text="late")
    found = scene.office.search(DANA, "before:12h")
    assert [one.subject for one in found.letters] == ["early"]
    assert scene.office.search(DANA, "after:2030-01-01").letters == ()
