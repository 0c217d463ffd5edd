"""A mailbox with a dialect of its own: what it fetches is in that one, and nothing is lost."""

import pytest

from office_scene import TASK, Scene, caller, refusal
from waypost.dialects import dialect


@pytest.fixture
def reader(scene: Scene) -> Scene:
    """Codex reads Agent Mail."""
    scene.office.register(caller("codex"), dialect="agentmail")
    return scene


def test_a_letter_is_read_in_ones_own_dialect(reader: Scene) -> None:
    sent = reader.send(type="task_request", text="Paint it", priority="urgent", subject="The fence")
    (header,) = reader.office.inbox(caller("codex")).letters
    assert (header.id, header.type, header.subject) == (sent.id, "task_assignment", "The fence")
    letter = reader.office.read(caller("codex"), sent.id)
    message = dialect("agentmail").read(letter.message or b"")
    assert message.valid
    assert letter.fields["priority"] == "urgent"
    assert "Paint it" in letter.fields["description"]
    assert letter.to_json()["original"] == {"dialect": "oacp", "type": "task_request"}


def test_the_original_is_still_to_be_had(reader: Scene) -> None:
    sent = reader.send(type="task_request", text="Paint it")
    letter = reader.office.read(caller("codex"), sent.id, original=True)
    assert (letter.header.type, letter.fields["body"]) == ("task_request", "Paint it")
    assert letter.message == reader.office.read(caller("claude"), sent.id).message


def test_what_it_does_not_say_is_listed(reader: Scene) -> None:
    sent = reader.send(type="question", text="Which port?", priority="urgent", expires_minutes=5)
    lost = reader.office.read(caller("codex"), sent.id).to_json()["losses"]
    assert "priority" in [one["path"] for one in lost]


def test_a_letter_in_that_dialect_is_as_it_was_written(reader: Scene) -> None:
    sent = reader.send(type="task_assignment", content=TASK)
    shown = reader.office.read(caller("codex"), sent.id).to_json()
    assert "original" not in shown


def test_it_is_recorded_once(reader: Scene) -> None:
    sent = reader.send(text="News")
    for _ in range(3):
        reader.office.inbox(caller("codex"))
        reader.office.read(caller("codex"), sent.id)
    kinds = [one.kind for one in reader.office.events(caller("dana"), limit=100)]
    assert kinds.count("letter.translated") == 1


def test_the_id_in_the_message_names_the_letter(reader: Scene) -> None:
    sent = reader.send(type="question", text="Which port?")
    shown = reader.office.read(caller("codex"), sent.id).fields["message_id"]
    assert shown != sent.id
    answer = {"task_id": "x", "update_type": "progress", "status_summary": "8443", "blockers": []}
    reader.office.reply(caller("codex"), shown, type="status_update", content=answer)
    (header,) = reader.office.inbox(caller("claude")).letters
    assert header.reply_to == sent.id
    assert reader.states(sent.id) == {"codex": "done"}
    assert refusal(lambda: reader.office.read(caller("gemini"), shown))["error"] == "not_found"


def test_as_written_is_the_way_back(reader: Scene) -> None:
    reader.office.register(caller("codex"), dialect="as-written")
    sent = reader.send(text="News")
    assert reader.office.read(caller("codex"), sent.id).header.type == "notification"


def test_a_mailbox_can_not_read_what_lives_between_keys(scene: Scene) -> None:
    refused = refusal(lambda: scene.office.register(caller("codex"), dialect="acp"))
    assert (refused["error"], "keys" in refused["hint"]) == ("usage", True)


def test_removed_content_is_no_message(reader: Scene) -> None:
    sent = reader.send(text="A slip of the pen")
    reader.office.read(caller("codex"), sent.id)
    reader.office.redact(caller("dana"), sent.id, reason="a slip")
    assert reader.office.read(caller("codex"), sent.id).message is None
