"""The existing command lists, watches, reads and validates all that we write."""

import json
from typing import Any

import pytest

import waypost
from interop import peer
from interop.bodies import HOSTILE
from interop.desks import ALL, PROJECT, Desks
from schema_files import TYPES, example

KINDS = [name for dialect, name in TYPES if dialect == "oacp"]
LISTED = ("from", "type", "priority", "subject", "created_at_utc", "age", "path")


def their_inbox(desks: Desks, agent: str = "codex") -> list[dict[str, Any]]:
    code, out, err = peer.say("inbox", PROJECT, "--agent", agent, "--json", home=desks.home)
    assert code == 0, err
    messages: list[dict[str, Any]] = json.loads(out)["agents"][0]["messages"]
    return messages


def example_body(kind: str) -> str:
    """The body of a worked example, for a message from claude to codex."""
    fields = waypost.parse(example("oacp", kind), "oacp").fields or {}
    body = fields["body"]
    if not isinstance(body, dict):
        return str(body)
    names = {"source_agent": "claude", "target_agent": "codex"}
    return json.dumps(body | {key: name for key, name in names.items() if key in body})


@pytest.mark.parametrize("kind", KINDS)
def test_they_find_no_fault_with_any_type(desks: Desks, kind: str) -> None:
    receipt = desks.send(example_body(kind), "--type", kind)
    path = receipt["inbox_path"]
    assert [seen["errors"] for seen in peer.read([path, receipt["outbox_path"]])] == [[], []]


def test_their_validate_says_ok(desks: Desks) -> None:
    path = desks.send("Look.")["inbox_path"]
    assert peer.say("validate", path)[0] == 0


def test_they_list_the_twelve_types_as_we_do(desks: Desks) -> None:
    for kind in KINDS:
        desks.send(example_body(kind), "--type", kind)
    ours = [{key: row[key] for key in LISTED} for row in desks.inbox()]
    theirs = [{key: row[key] for key in LISTED} for row in their_inbox(desks)]
    assert len(ours) == 12
    assert sorted(ours, key=lambda row: row["path"]) == theirs


def test_they_see_the_whole_thread(desks: Desks) -> None:
    asked = desks.send("mTLS or tokens?", "--type", "question", "--priority", "P1")
    desks.done("reply", asked["message_id"], "--from", "codex", "--project", PROJECT, given=b"mTLS")
    answer = desks.inbox("claude")[0]
    fields = peer.read([answer["path"]])[0]["fields"]
    assert fields["parent_message_id"] == asked["message_id"]
    assert fields["conversation_id"] == asked["conversation_id"]


def test_they_go_on_with_a_thread_that_we_began(desks: Desks) -> None:
    asked = desks.send("mTLS or tokens?", "--type", "question")
    answer = {"sender": "codex", "recipient": "claude", "msg_type": "notification"}
    answer |= {"subject": "Re", "body": "mTLS", "in_reply_to": asked["message_id"]}
    peer.send(desks.home, PROJECT, [answer])
    drawn = desks.done("thread", asked["conversation_id"], "--project", PROJECT)
    assert [row["from"] for row in drawn["messages"]] == ["claude", "codex"]
    assert drawn["owed"] == []


def test_a_broadcast_reaches_everyone_they_list(desks: Desks) -> None:
    receipt = desks.send("All green.", to="codex,gemini")
    assert {their_inbox(desks, agent)[0]["subject"] for agent in ("codex", "gemini")} == {"Hello"}
    for seen in peer.read([*receipt["inbox_paths"], receipt["outbox_path"]]):
        assert (seen["fields"]["to"], seen["errors"]) == (["codex", "gemini"], [])


def test_they_watch_what_we_send(desks: Desks) -> None:
    sent = desks.send("Look.", "--priority", "P0")
    watch = ("watch", "--project", PROJECT, "--agent", "codex", "--json", "--since", "epoch")
    code, out, err = peer.say(*watch, home=desks.home)
    event = json.loads(out)
    assert (code, event["event"], event["priority"]) == (0, "new_message", "P0"), err
    assert sent["inbox_path"].endswith("/" + event["file"])


def test_they_see_that_we_put_mail_away(desks: Desks) -> None:
    sent = desks.send("Look.")
    watch = ("watch", "--project", PROJECT, "--agent", "codex", "--json", "--since", "epoch")
    peer.say(*watch, home=desks.home)
    desks.done("done", sent["message_id"], "--agent", "codex", "--project", PROJECT)
    _, out, _ = peer.say(*watch, "--show-archived", home=desks.home)
    assert json.loads(out)["event"] == "message_archived"
    assert their_inbox(desks) == []


def test_hostile_bodies_arrive_in_both(desks: Desks) -> None:
    paths = [desks.send(body)["inbox_path"] for body in HOSTILE]
    for body, path, seen in zip(HOSTILE, paths, peer.read(paths), strict=True):
        shown = desks.done("show", path, "--agent", "codex", "--project", PROJECT)
        assert (shown["body"], shown["valid"]) == (body, True)
        assert (seen["fields"]["body"], seen["errors"]) == (body, [])


def test_every_option_of_theirs_is_read_back(desks: Desks) -> None:
    words = {"related_pr": "42", "related_packet": "packets/x.yaml", "channel": "review"}
    words |= {"conversation_id": "conv-20260313-claude-001", "parent_message_id": "msg-1"}
    words |= {"context_keys": "pr:42, file:src/a.ts"}
    options = [f"--{key.replace('_', '-')}={value}" for key, value in words.items()]
    seen = peer.read([desks.send("Look.", "--expires", "2h", *options)["inbox_path"]])[0]
    assert seen["errors"] == []
    assert words.items() <= seen["fields"].items()
    assert seen["fields"]["expires_at"] > seen["fields"]["created_at_utc"]


BEYOND = [
    ("--related-pr", "https://example.org/pull/42"),
    ("--conversation-id", "review-pr-42"),
    ("--channel", "deploy to staging"),
]


@pytest.mark.parametrize(("option", "value"), BEYOND)
def test_what_the_documents_allow_and_their_checker_refuses_is_still_listed(
    desks: Desks, option: str, value: str
) -> None:
    path = desks.send("Look.", option, value)["inbox_path"]
    seen = peer.read([path])[0]
    assert seen["fields"][option.strip("-").replace("-", "_")] == value
    assert seen["errors"] != []
    assert [row["path"] for row in their_inbox(desks)] == [path]


def test_they_list_all_our_agents(desks: Desks) -> None:
    code, out, err = peer.say("inbox", PROJECT, "--all", "--json", home=desks.home)
    assert code == 0, err
    assert ",".join(one["agent"] for one in json.loads(out)["agents"]) == ALL
