"""An acknowledgement reaches a sender that sees only files, as a letter."""

import pytest

from office_scene import Scene, caller, refusal


@pytest.fixture
def in_folder(scene: Scene) -> Scene:
    """Claude lives in a folder."""
    scene.office.register(caller("claude"), carrier="folder")
    return scene


def test_a_refusal_is_a_letter_with_its_reason(in_folder: Scene) -> None:
    sent = in_folder.send(type="task_request", text="Paint it", subject="The fence")
    in_folder.office.acknowledge(caller("codex"), sent.id, accepted=False, note="No ladder")
    (told,) = in_folder.office.inbox(caller("claude")).letters
    assert (told.subject, told.reply_to) == ("Refused: The fence", sent.id)
    letter = in_folder.office.read(caller("claude"), told.id)
    assert letter.fields["body"] == "No ladder"
    assert in_folder.states(sent.id) == {"codex": "acknowledged"}


def test_saying_it_twice_is_one_letter(in_folder: Scene) -> None:
    sent = in_folder.send(type="task_request", text="Paint it")
    for _ in range(2):
        in_folder.office.acknowledge(caller("codex"), sent.id)
    assert in_folder.office.inbox(caller("claude")).unread == 1
    refused = refusal(lambda: in_folder.office.acknowledge(caller("codex"), sent.id, False))
    assert refused["error"] == "conflict"


def test_others_read_the_state(scene: Scene) -> None:
    sent = scene.send(text="Paint it")
    scene.office.acknowledge(caller("codex"), sent.id)
    assert scene.office.inbox(caller("claude")).unread == 0
    assert scene.states(sent.id) == {"codex": "acknowledged"}


def test_what_asks_for_nothing_is_not_answered(in_folder: Scene) -> None:
    sent = in_folder.send(text="Done: it is green")
    in_folder.office.acknowledge(caller("codex"), sent.id)
    assert in_folder.office.inbox(caller("claude")).unread == 0
    assert in_folder.states(sent.id) == {"codex": "acknowledged"}
