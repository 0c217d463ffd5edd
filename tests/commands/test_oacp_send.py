"""`oacp send` takes the flags that scripts know, and says what it did in the fields they read."""

import re
from pathlib import Path
from typing import Any

import pytest

from commands.desk import PROJECT, Desk, desk
from commands.terminal import say

__all__ = ["desk"]
RECEIPT = [
    "message_id",
    "from",
    "to",
    "type",
    "priority",
    "subject",
    "created_at_utc",
    "dry_run",
    "inbox_path",
    "outbox_path",
    "conversation_id",
]
WORDS = ("--from", "claude", "--to", "codex", "--type", "question", "--subject", "Hello")


def test_the_receipt_has_the_fields_that_scripts_read(desk: Desk) -> None:
    receipt = desk.send("--type", "question")
    assert sorted(receipt) == sorted(RECEIPT)
    assert (receipt["to"], receipt["priority"], receipt["dry_run"]) == ("codex", "P2", False)
    assert re.fullmatch(r"msg-\d{8}T\d{4}Z-claude-[a-z0-9]{4}", receipt["message_id"])
    assert re.fullmatch(r"conv-\d{8}-claude-001", receipt["conversation_id"])


def test_a_broadcast_has_a_path_for_each(desk: Desk) -> None:
    receipt = desk.send("--to", "codex, gemini")
    assert receipt["to"] == ["codex", "gemini"]
    assert "inbox_path" not in receipt
    copies = [*receipt["inbox_paths"], receipt["outbox_path"]]
    assert len(copies) == 3
    assert len({Path(path).read_bytes() for path in copies}) == 1
    assert [desk.rows(agent=agent)[0]["path"] for agent in ("codex", "gemini")] == copies[:2]


def test_people_read_the_id_and_where_it_went(desk: Desk) -> None:
    said = desk.say("send", PROJECT, *WORDS, "--body", "Look.")
    assert re.fullmatch(r"sent msg-\S+ to codex\n", said.out)
    assert re.fullmatch(r"  agents/codex/inbox/\S+_claude_question.yaml\n", said.err)


def test_quiet_says_nothing_unless_json_is_asked_for(desk: Desk) -> None:
    assert desk.say("send", *WORDS, "-b", "Look.", "--quiet") == (0, "", "")
    assert desk.tell("send", *WORDS, "-b", "Look.", "--quiet")["type"] == "question"
    assert len(desk.rows()) == 2


@pytest.mark.parametrize("options", [[], ["--body-file", "-"], ["--body-file", "body.md"]])
def test_a_body_comes_from_a_pipe_or_a_file(desk: Desk, options: list[str]) -> None:
    Path("body.md").write_text("One.\n\n  Two.\n")
    assert desk.fields(*options, body="One.\n\n  Two.\n")["body"] == "One.\n\n  Two.\n"


def test_a_body_may_be_said(desk: Desk) -> None:
    desk.say("send", *WORDS, "--body", "Look: here")
    assert desk.tell("show", "msg-", "--agent", "codex")["body"] == "Look: here"


GIVEN = {
    "related_pr": "42",
    "related_packet": "packets/review/x.yaml",
    "channel": "review",
    "conversation_id": "conv-20260313-claude-009",
    "parent_message_id": "msg-20260313T1430Z-codex-a1b2",
    "context_keys": "pr:42, file:src/auth.ts",
    "priority": "P1",
}


@pytest.mark.parametrize(("field", "value"), GIVEN.items())
def test_each_option_is_a_field(desk: Desk, field: str, value: str) -> None:
    path = desk.send("--" + field.replace("_", "-"), value)["inbox_path"]
    assert f"\n{field}: " in Path(path).read_text()
    assert value in Path(path).read_text()


def test_context_keys_come_from_a_file_too(desk: Desk) -> None:
    Path("keys.txt").write_text("pr:42\nfile:src/auth.ts\n")
    path = desk.send("--context-keys-file", "keys.txt")["inbox_path"]
    assert "  pr:42\n  file:src/auth.ts\n" in Path(path).read_text()


@pytest.mark.parametrize(
    "options",
    [
        ["--context-keys", "a", "--context-keys-file", "keys.txt"],
        ["--body", "a", "--body-file", "keys.txt"],
    ],
)
def test_two_sources_for_one_field_are_a_slip(desk: Desk, options: list[str]) -> None:
    Path("keys.txt").write_text("b\n")
    code, error = desk.fail("send", *WORDS, *options, given=b"Look.")
    assert (code, error["error"]) == (2, "usage")


@pytest.mark.parametrize(("text", "hours"), [("120m", 2), ("2h", 2), ("1d", 24)])
def test_expiry_counts_from_now(desk: Desk, text: str, hours: int) -> None:
    from datetime import datetime, timedelta

    desk.send("--expires", text)
    row = desk.rows()[0]
    moments = [datetime.fromisoformat(row[key]) for key in ("created_at_utc", "expires_at")]
    assert abs(moments[1] - moments[0] - timedelta(hours=hours)) <= timedelta(seconds=2)


@pytest.mark.parametrize("text", ["2w", "h", "", "-1h", "1.5h", "٣h", "9999999d"])
def test_another_duration_is_refused(desk: Desk, text: str) -> None:
    code, error = desk.fail("send", *WORDS, "-b", "Look.", f"--expires={text}")
    assert (code, error["error"]) == (2, "usage")


def test_an_answer_joins_the_conversation(desk: Desk) -> None:
    asked = desk.send("--type", "question")
    back = ("--from", "codex", "--to", "claude")
    receipt = desk.send(*back, "--in-reply-to", asked["message_id"])
    assert receipt["conversation_id"] == asked["conversation_id"]
    assert desk.rows(agent="claude")[0]["parent_message_id"] == asked["message_id"]


def test_an_answer_to_a_message_that_nobody_has_is_refused(desk: Desk) -> None:
    code, error = desk.fail("send", *WORDS, "-b", "Look.", "--in-reply-to", "msg-nowhere")
    assert (code, error["error"]) == (3, "not_found")
    assert "--parent-message-id" in error["hint"]


def test_every_new_conversation_has_its_own_number(desk: Desk) -> None:
    numbers = [desk.send()["conversation_id"][-3:] for _ in range(3)]
    assert numbers == ["001", "002", "003"]


def test_a_follow_up_takes_its_tier_for_priority(desk: Desk) -> None:
    body = (
        "source_type: task\nsource_ref: x\nrisk_tier: P3\nsummary: s\nnext_action: n\nowner: me\n"
    )
    assert desk.send("--type", "follow_up", body=body)["priority"] == "P3"


def test_a_dry_run_shows_the_message_and_writes_nothing(desk: Desk) -> None:
    before = desk.files()
    shown = desk.tell("send", *WORDS, "-b", "Look.", "--dry-run")
    assert (shown["dry_run"], desk.files()) == (True, before)
    assert "\nsubject: Hello" in shown["yaml"] or '\nsubject: "Hello"' in shown["yaml"]
    assert "body: " in desk.say("send", *WORDS, "-b", "Look.", "--dry-run").out


def test_the_same_minute_gives_other_names(desk: Desk) -> None:
    receipts = [desk.send() for _ in range(3)]
    assert len({receipt["inbox_path"] for receipt in receipts}) == 3
    assert len({receipt["message_id"] for receipt in receipts}) == 3


def test_the_real_program_reads_a_real_pipe(desk: Desk) -> None:
    said = say("oacp", "send", *WORDS, "--json", given="Grüße 😀\n".encode())
    receipt: dict[str, Any] = said.objects[0]
    assert (said.code, said.err) == (0, "")
    assert "Grüße 😀" in Path(receipt["inbox_path"]).read_text()
