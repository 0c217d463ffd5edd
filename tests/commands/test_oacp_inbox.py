"""`oacp inbox` lists mail in the order to deal with it, and nothing that lies there stops it."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from commands.desk import ALIEN, Desk, desk

__all__ = ["desk"]
THEIRS = ("from", "type", "priority", "subject", "created_at_utc", "age", "path")
EARLY, LATE = "2026-03-13T14:30:00Z", "2026-03-14T14:30:00Z"
PAST, FUTURE = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"


def names(desk: Desk, *options: str) -> list[str]:
    return [Path(row["path"]).stem for row in desk.rows(*options)]


def test_an_empty_inbox_is_an_empty_list(desk: Desk) -> None:
    listed = desk.tell("inbox", "--agent", "codex")
    assert (listed["project"], listed["mode"]) == ("my-app", "agent")
    assert listed["agents"] == [
        {
            "agent": "codex",
            "inbox_path": str(desk.project / "agents" / "codex" / "inbox"),
            "message_count": 0,
            "messages": [],
        }
    ]


def test_a_row_has_the_fields_that_scripts_read(desk: Desk) -> None:
    desk.send("--priority", "P1", "--channel", "review")
    (row,) = desk.rows()
    assert set(THEIRS) <= set(row)
    assert (row["from"], row["type"], row["priority"]) == ("claude", "notification", "P1")
    assert (row["subject"], row["age"], row["channel"]) == ("Hello", "0m", "review")
    assert row["id"].startswith("msg-")
    assert row["valid"] is True


def test_all_shows_every_agent(desk: Desk) -> None:
    desk.send("--to", "codex,gemini")
    listed = desk.tell("inbox", "my-app", "--all")
    counts = {one["agent"]: one["message_count"] for one in listed["agents"]}
    assert (listed["mode"], counts) == ("all", {"claude": 0, "codex": 1, "gemini": 1})


ORDER: list[tuple[str, dict[str, Any]]] = [
    ("g-urgent", {"priority": "P0"}),
    ("h-task", {"priority": "P1", "type": "task_request", "created_at_utc": LATE}),
    ("f-old", {"priority": "P1", "type": "question", "created_at_utc": EARLY}),
    ("e-new", {"priority": "P1", "created_at_utc": LATE}),
    ("a-normal", {"priority": "P2"}),
    ("b-whenever", {"priority": "P3", "type": "task_request"}),
]


def test_the_order_is_priority_then_type_then_age(desk: Desk) -> None:
    for name, fields in sorted(ORDER, key=lambda one: one[0][::-1]):
        desk.drop(f"{name}.yaml", **{"created_at_utc": EARLY, **fields})
    assert names(desk) == [name for name, _ in ORDER]


def test_review_requests_come_before_others_of_their_priority(desk: Desk) -> None:
    body = {"pr": "1", "branch": "b", "diff_summary": "d"}
    desk.drop("old.yaml", created_at_utc=EARLY)
    desk.drop("review.yaml", created_at_utc=LATE, type="review_request", body=body)
    assert names(desk) == ["review", "old"]


def test_equal_messages_come_by_arrival_then_by_name(desk: Desk) -> None:
    for name, arrived in (("a", 300), ("b", 100), ("d", 200), ("c", 200)):
        os.utime(desk.drop(f"{name}.yaml"), (arrived, arrived))
    assert names(desk) == ["b", "c", "d", "a"]


def test_the_unreadable_come_last_with_their_problems(desk: Desk) -> None:
    desk.drop("a.yaml", text="a: [")
    desk.drop("b.yaml", text="")
    desk.drop("c.yaml", priority="P3")
    rows = desk.rows()
    assert rows[0]["path"].endswith("/c.yaml")
    assert {row["problems"][0]["code"] for row in rows[1:]} == {"yaml_syntax", "empty"}


def test_every_row_has_the_fields_that_scripts_read(desk: Desk) -> None:
    desk.drop("a.yaml", text="a: [")
    desk.drop("b.yaml", text="subject: Hello\n")
    assert [sorted(set(THEIRS) - set(row)) for row in desk.rows()] == [[], []]


def test_an_invalid_message_stands_in_its_place_with_a_mark(desk: Desk) -> None:
    desk.drop("good.yaml", priority="P2")
    desk.drop("invalid.yaml", priority="P1", type="morse")
    first, second = desk.rows()
    assert (first["valid"], first["problems"][0]["code"]) == (False, "unknown_type")
    assert second["valid"] is True
    assert "(invalid)" in desk.say("inbox", "--agent", "codex").out.split("\n")[1]


def test_what_expired_stays_and_is_marked(desk: Desk) -> None:
    desk.drop("past.yaml", expires_at=PAST)
    desk.drop("soon.yaml", expires_at=FUTURE)
    assert [row.get("expired", False) for row in desk.rows()] == [True, False]
    assert desk.say("inbox", "--agent", "codex").out.count("(expired)") == 1
    assert names(desk, "--unexpired") == ["soon"]


FILTERS = [
    (["--type", "question"], ["ask"]),
    (["--priority", "P0"], ["urgent"]),
    (["--type", "question", "--priority", "P0"], []),
    (["--next"], ["urgent"]),
    (["--next", "--type", "question"], ["ask"]),
]


@pytest.mark.parametrize(("options", "left"), FILTERS)
def test_a_listing_can_be_narrowed(desk: Desk, options: list[str], left: list[str]) -> None:
    desk.drop("urgent.yaml", priority="P0")
    desk.drop("ask.yaml", type="question")
    desk.drop("other.yaml")
    assert names(desk, *options) == left


def test_people_see_who_what_and_what_next(desk: Desk) -> None:
    desk.drop("ask.yaml", type="question", priority="P1")
    said = desk.say("inbox", "--agent", "codex")
    assert (said.code, said.out.split("\n")[0]) == (0, "codex in my-app: 1 message")
    for word in ("P1", "alien", "question", "Hello", ALIEN["id"]):
        assert word in said.out
    assert said.err == f"next: oacp show --agent codex {ALIEN['id']}\n"


def test_a_hostile_subject_is_shown_not_obeyed(desk: Desk) -> None:
    desk.drop("red.yaml", subject="\x1b[31mred \u202e")
    said = desk.say("inbox", "--agent", "codex")
    assert "\x1b" not in said.out + said.err
    assert "\\u001b[31mred \\u202e" in said.out
    assert desk.rows()[0]["subject"] == "\x1b[31mred \u202e"


def test_only_message_files_are_listed(desk: Desk) -> None:
    for name in ("a.yaml", "b.yml", "notes.txt", ".hidden.yaml", "c.yaml.tmp"):
        desk.drop(name)
    (desk.project / "agents/codex/inbox/folder.yaml").mkdir()
    (desk.project / "agents/codex/inbox/archive/old.yaml").write_text("id: x\n")
    assert names(desk) == ["a", "b"]


def test_a_file_that_changes_is_read_anew(desk: Desk) -> None:
    path = desk.drop("a.yaml", subject="One")
    assert desk.rows()[0]["subject"] == "One"
    path.unlink()
    desk.drop("a.yaml", subject="Another")
    assert desk.rows()[0]["subject"] == "Another"


def test_what_is_no_file_stops_nothing(desk: Desk) -> None:
    inbox = desk.drop("good.yaml").parent
    os.mkfifo(inbox / "pipe.yaml")
    (inbox / "gone.yaml").symlink_to("nowhere")
    bomb = "".join(f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnop"))
    desk.drop("bomb.yaml", text="a: &a [x]\n" + bomb)
    rows = desk.rows()
    codes = {Path(row["path"]).stem: {one["code"] for one in row["problems"]} for row in rows[1:]}
    assert rows[0]["path"].endswith("/good.yaml")
    assert codes.keys() == {"bomb", "pipe"}
    assert "alias_expansion" in codes["bomb"]
    assert codes["pipe"] == {"not_a_file"}


def test_two_messages_with_one_id_are_both_listed_with_a_warning(desk: Desk) -> None:
    desk.drop("one.yaml")
    desk.drop("two.yaml", subject="Another")
    [box] = desk.tell("inbox", "--agent", "codex")["agents"]
    assert (box["message_count"], len(box["warnings"])) == (2, 1)
    said = desk.say("inbox", "--agent", "codex").err
    assert "share the id msg-20260313T1430Z-alien-a1b2; both are kept" in said


def test_listing_one_message_warns_of_nothing(desk: Desk) -> None:
    desk.drop("one.yaml")
    assert "warnings" not in desk.tell("inbox", "--agent", "codex")["agents"][0]
