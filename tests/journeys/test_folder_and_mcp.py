"""An agent in a folder and one that fetches its mail, both ways: each in its own dialect."""

import json
import os
import signal
from typing import Any

import pytest

from commands.terminal import say
from faces.messages import ASSIGNMENT
from office_town import PROJECT, Town, caller, said
from waypost.dialects import dialect

MESSAGE_ID = "msg-123e4567-e89b-12d3-a456-426614174000"


def begin(town: Town) -> None:
    town.add("codex", "folder")
    town.add("claude")
    town.start()


def test_an_assignment_becomes_a_task_and_its_answer_comes_back(town: Town) -> None:
    begin(town)
    sent = town.office.send(caller("claude"), "codex", "task_assignment", ASSIGNMENT)
    file = town.file("codex", "task_request")
    message = dialect("oacp").read(file.read_bytes(), file.name)
    assert message.valid
    town.answer(file, subject="Done", body="The login works.")
    answer = town.letter("claude", "The login works")
    assert (answer.header.reply_to, answer.header.thread) == (sent.id, sent.thread)
    assert town.states("claude", sent.id) == {"codex": "done"}


def test_a_file_that_a_tool_drops_is_a_letter_and_goes_to_the_archive(town: Town) -> None:
    begin(town)
    town.drop("codex", "claude", subject="Which port?", type="question")
    letter = town.letter("claude", "Which port?")
    assert (letter.door, letter.header.proof) == ("folder", "claimed")
    town.until(lambda: not town.files("claude"))
    assert [one.name for one in (town.inbox("claude") / "archive").iterdir()] == ["alien-0.yaml"]
    town.office.reply(caller("claude"), letter.header.id, text="8081")
    assert said(town.file("codex", "8081").read_text(), "parent_message_id") == "alien-0"


def drop_agent_mail(town: Town, name: str, **fields: Any) -> None:
    base = {
        "version": "1.0.0", "timestamp": "2026-11-19T21:00:00Z", "sender_id": "claude",
        "message_id": MESSAGE_ID, "type": "task_assignment", **ASSIGNMENT,
    }  # fmt: skip
    box = town.until(lambda: town.inbox("codex") if town.inbox("codex").is_dir() else None)
    staged = town.root / name
    staged.write_text(json.dumps({**base, **fields}))
    os.link(staged, box / name)


FAULTS: dict[str, dict[str, Any]] = {
    "invalid_format": {"type": "status_update", "task_id": "bd-7"},
    "unknown_type": {"type": "task_asignment"},
    "version_mismatch": {"version": "2.0.0"},
}


@pytest.mark.parametrize("code", FAULTS)
def test_agent_mail_in_a_folder_is_answered_by_an_error_report_once(town: Town, code: str) -> None:
    begin(town)
    drop_agent_mail(town, "alien.yaml", **FAULTS[code])
    letter = town.letter("claude", code)
    report = json.loads(letter.text)
    assert (report["type"], report["sender_id"]) == ("error_report", "postmaster")
    assert report["error"]["code"] == code
    assert report["error"]["context"] == {"message_id": MESSAGE_ID}
    assert report["task_id"] == {"invalid_format": "bd-7"}.get(code, ASSIGNMENT["task_id"])
    assert (report["severity"], report["reproduction_steps"]) == ("medium", [])
    assert report["needs_human_intervention"] is False
    town.end(signal.SIGTERM)
    town.start()
    town.drop("codex", "claude", subject="After it")
    town.letter("claude", "After it")
    assert len(town.office.inbox(caller("claude"), unread_only=False).letters) == 2


def test_a_sound_one_is_not_taken_from_there_either_and_that_is_told(town: Town) -> None:
    begin(town)
    drop_agent_mail(town, "alien.yaml")
    report = json.loads(town.letter("claude", "from a folder").text)
    assert "send_message" in report["suggested_actions"][0]


def test_what_leaves_an_inbox_is_done(town: Town) -> None:
    begin(town)
    sent = town.office.send(caller("claude"), "codex", text="For your information")
    town.file("codex").unlink()
    town.until(lambda: town.states("claude", sent.id) == {"codex": "done"})


def test_a_withdrawn_letter_leaves_the_folder(town: Town) -> None:
    begin(town)
    sent = town.office.send(caller("claude"), "codex", text="Never mind")
    town.file("codex")
    town.until(lambda: town.states("claude", sent.id) == {"codex": "handed_over"})
    town.office.withdraw(caller("claude"), sent.id)
    town.until(lambda: not town.files("codex"))


def test_an_edited_file_stays_the_letter_that_it_was(town: Town) -> None:
    begin(town)
    town.drop("claude", "codex", body="the first words")
    letter = town.letter("codex", "the first words")
    file = town.files("codex")[0]
    file.write_text(file.read_text().replace("the first", "other"))
    town.drop("claude", "codex", id="alien-next", body="what came after it")
    town.letter("codex", "what came after it")
    assert "the first words" in town.office.read(caller("codex"), letter.header.id).text


def test_a_broadcast_is_one_letter_for_all(town: Town) -> None:
    begin(town)
    town.add("gemini", "folder")
    town.add("ada")
    sent = town.office.send(caller("claude"), "*", text="Release at noon")
    assert town.file("codex", "noon").name == town.file("gemini", "noon").name
    town.letter("ada", "noon")
    wanted = {"codex": "handed_over", "gemini": "handed_over", "ada": "handed_over"}
    town.until(lambda: town.states("claude", sent.id) == wanted)


def test_a_handoff_is_completed_across_the_dialects(town: Town) -> None:
    begin(town)
    request = {
        "request_type": "handoff", "participants": ["codex"], "coordination_topic": "The login",
    }  # fmt: skip
    sent = town.office.send(caller("claude"), (), "coordination_request", request)
    town.answer(town.file("codex", "The login"), subject="Done", body="It is mine now.")
    assert town.letter("claude", "It is mine now").header.reply_to == sent.id


def test_a_second_server_names_the_first(town: Town) -> None:
    begin(town)
    told = say("waypost", "serve", "--home", str(town.home), "--http", "127.0.0.1:0", "--json")
    assert told.code == 1
    assert f"process {town.where['pid']} serves" in told.objects[0]["details"]


def test_without_a_server_a_command_brings_the_letters(town: Town) -> None:
    town.add("codex", "folder")
    town.add("claude")
    words = ("--project", PROJECT, "--agent", "claude")
    assert town.say("waypost", "send", "codex", "-b", "Hello there", *words).code == 0
    assert "Hello there" in town.files("codex")[0].read_text()
    town.drop("codex", "claude", body="Hello yourself")
    shown = town.say("waypost", "inbox", *words)
    assert (shown.code, "News" in shown.out, town.files("claude")) == (0, True, [])


def test_it_ends_in_good_order_and_the_journal_is_whole(town: Town) -> None:
    begin(town)
    for number in range(20):
        town.office.send(caller("claude"), "codex", text=f"Number {number}")
    assert town.end(signal.SIGTERM) == 0
    town.start()
    town.until(lambda: len(town.files("codex")) == 20)
    assert not town.office.verify().flaws
    assert os.listdir(town.inbox("codex").parent / ".incoming") == []
