"""We list and read all that the existing command writes, also what it can't read itself."""

from pathlib import Path
from typing import Any

import pytest

import waypost
from commands.terminal import quick
from interop import peer
from interop.bodies import HOSTILE
from interop.desks import PROJECT, Desks
from interop.test_they_read_ours import KINDS, example_body


def draft(body: str = "Look.", kind: str = "notification", **more: Any) -> dict[str, Any]:
    fixed = {"sender": "claude", "recipient": "codex", "msg_type": kind, "subject": "Hello"}
    return {**fixed, "body": body, **more}


def their_post(desks: Desks, *drafts: dict[str, Any]) -> list[dict[str, Any]]:
    """What they say to each; fails when they refuse one."""
    answers = peer.send(desks.home, PROJECT, list(drafts))
    assert [answer for answer in answers if "refused" in answer] == []
    return answers


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_is_valid_when_its_body_follows_the_tables(desks: Desks, kind: str) -> None:
    (sent,) = their_post(desks, draft(example_body(kind), kind))
    row = desks.inbox()[0]
    assert (row["type"], row["valid"], row["id"]) == (kind, True, sent["message_id"])
    assert quick("oacp", "validate", sent["inbox_path"]).code == 0


def test_their_prose_in_a_structured_type_is_a_warning(desks: Desks) -> None:
    (sent,) = their_post(desks, draft("Please look at it.", "review_request"))
    shown = desks.done("show", sent["message_id"], "--agent", "codex", "--project", PROJECT)
    assert (shown["valid"], shown["body"]) == (True, "Please look at it.")


def test_we_read_the_same_bodies_as_they_do(desks: Desks) -> None:
    texts = [text for text in HOSTILE if text.strip()]
    paths = [sent["inbox_path"] for sent in their_post(desks, *map(draft, texts))]
    for path, seen in zip(paths, peer.read(paths), strict=True):
        message = waypost.parse(Path(path).read_bytes(), "oacp")
        if "body" in seen["fields"] and seen["errors"] == []:
            assert message.valid
            assert (message.fields or {})["body"] == seen["fields"]["body"]


def test_what_they_spoil_stops_no_listing(desks: Desks) -> None:
    their_post(desks, draft("\x1b[31mred"), draft("a\0b"), draft("  indented\nless"), draft("good"))
    rows = desks.inbox()
    assert [row["valid"] for row in rows] == [True, False, False, False]
    assert all(row["problems"][0]["code"] == "yaml_syntax" for row in rows[1:])


def test_we_answer_their_message_in_its_thread(desks: Desks) -> None:
    (asked,) = their_post(desks, draft("mTLS or tokens?", "question"))
    words = ("reply", asked["message_id"], "--from", "codex", "--project", PROJECT)
    receipt = desks.done(*words, given=b"mTLS")
    seen = peer.read([receipt["inbox_path"]])[0]
    assert seen["fields"]["parent_message_id"] == asked["message_id"]
    assert seen["errors"] == []


def test_their_broadcast_is_one_message_to_us(desks: Desks) -> None:
    (sent,) = their_post(desks, draft(recipient="codex,gemini"))
    assert [desks.inbox(agent)[0]["to"] for agent in ("codex", "gemini")] == [
        ["codex", "gemini"]
    ] * 2
    drawn = desks.done("thread", sent["message_id"], "--project", PROJECT)
    assert len(drawn["messages"]) == 1


def test_their_tree_is_a_home_to_us(desks: Desks) -> None:
    assert peer.say("init", "theirs", home=desks.home)[0] == 0
    words = ("--project", "theirs", "--from", "claude", "--to", "codex", "--type", "notification")
    assert desks.say("send", *words, "-s", "Hello", "-b", "Look.").code == 0
    assert desks.done("inbox", "theirs", "--agent", "codex")["agents"][0]["message_count"] == 1


def test_their_link_in_a_repository_leads_us_home(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer.say("init", "theirs", home=desks.home)
    repository = desks.home.parent / "repository"
    (repository / "src").mkdir(parents=True)
    (repository / ".oacp").symlink_to(desks.home / "projects" / "theirs" / "workspace.json")
    monkeypatch.chdir(repository / "src")
    monkeypatch.delenv("OACP_HOME", raising=False)
    assert "theirs" in quick("oacp", "inbox", "--all").out
