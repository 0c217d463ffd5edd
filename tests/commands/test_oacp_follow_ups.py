"""`oacp follow-ups`: what was put off, whose it is, and whether it is done."""

from typing import Any

import pytest

from commands.desk import Desk, desk

__all__ = ["desk"]
BODY = {
    "source_type": "review",
    "source_ref": "PR 42",
    "risk_tier": "P3",
    "summary": "a longer name",
    "next_action": "rename it",
    "owner": "codex",
}


def put_off(desk: Desk, name: str, **body: str) -> None:
    desk.drop(f"{name}.yaml", id=f"msg-{name}", type="follow_up", body=BODY | body)


def rows(desk: Desk, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.tell("follow-ups", *words)
    return found


def test_they_come_by_tier_then_owner_the_open_ones_first(desk: Desk) -> None:
    put_off(desk, "a", owner="gemini")
    put_off(desk, "b")
    put_off(desk, "c", risk_tier="P2", owner="gemini")
    put_off(desk, "d")
    desk.say("done", "msg-b", "--agent", "codex")
    assert [row["id"] for row in rows(desk)] == ["msg-c", "msg-d", "msg-b", "msg-a"]


def test_an_owner_s_work_can_be_asked_for(desk: Desk) -> None:
    put_off(desk, "a", owner="ada")
    put_off(desk, "b")
    assert [row["id"] for row in rows(desk, "--owner", "ada")] == ["msg-a"]
    code, error = desk.fail("follow-ups", "--owner", "adda")
    assert (code, error["hint"]) == (3, 'did you mean "ada"?')


@pytest.mark.parametrize(("words", "how"), [(["done"], "archived"), (["done", "--delete"], None)])
def test_what_its_owner_put_away_is_done(desk: Desk, words: list[str], how: str | None) -> None:
    put_off(desk, "a")
    desk.say(*words, "msg-a", "--agent", "codex")
    assert [row["done_by"] for row in rows(desk)] == ([how] if how else [])
    assert rows(desk, "--open") == []


def test_what_its_owner_answered_is_done(desk: Desk) -> None:
    put_off(desk, "a")
    desk.tell("reply", "msg-a", "--from", "codex", "--to", "claude", "-b", "Renamed.")
    assert [row["done_by"] for row in rows(desk)] == ["answered"]


def test_prose_names_no_owner_and_is_listed_all_the_same(desk: Desk) -> None:
    desk.drop("a.yaml", id="msg-a", type="follow_up", body="Some day.", subject="Look again")
    assert [(row["owner"], row["summary"]) for row in rows(desk)] == [(None, "Look again")]
    assert "nobody named" in desk.say("follow-ups").out


@pytest.mark.parametrize("value", [["a"], {"b": "c"}, "x" * 5000, "\x1b[2J"])
def test_strange_fields_stop_no_listing(desk: Desk, value: Any) -> None:
    for field in BODY:
        put_off(desk, field, **{field: value})
    said = desk.say("follow-ups")
    assert (said.code, said.out.count("msg-"), "\x1b" in said.out) == (0, len(BODY), False)
