"""An agent in a folder and one that fetches its mail, both ways: each in its own dialect."""

import os
import signal

from commands.terminal import say
from faces.messages import ASSIGNMENT
from office_town import PROJECT, Town, caller, said
from waypost.dialects import dialect


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
