"""Messages written elsewhere come in as they are: once, however often they are brought."""

from functools import partial

from office_scene import NOON, Scene, caller, refusal
from waypost.messages import compose
from waypost.office import bouncing, consigning


def message(text: str = "Look.", **given: str) -> bytes:
    fields = {"from": "claude", "to": "codex", "subject": "Rounding", "body": text, **given}
    return compose("question", fields).raw


def test_the_bytes_stay_as_they_are(scene: Scene) -> None:
    raw = message().replace(b"Look.", b"Look.  # by hand")
    receipt = scene.office.accept(caller("claude", door="folder"), raw, ["codex"])
    letter = scene.office.read(caller("codex"), receipt.id)
    assert (letter.message, letter.door, letter.header.proof) == (raw, "folder", "claimed")


def test_what_is_brought_again_is_the_same_letter(scene: Scene) -> None:
    raw = message()
    first = scene.office.accept(caller("claude"), raw, ["codex"])
    again = scene.office.accept(caller("claude"), raw, ["codex"])
    assert (again.position, again.is_repeat) == (first.position, True)


def test_a_letter_of_ours_that_a_carrier_brings_back_is_no_new_one(scene: Scene) -> None:
    sent = scene.send()
    raw = scene.office.read(caller("codex"), sent.id).message or b""
    again = scene.office.accept(caller("claude", door="folder"), raw, ["codex"])
    assert (again.position, again.is_repeat) == (sent.position, True)


def test_a_notice_of_the_postmaster_that_a_carrier_brings_back_is_no_new_one(
    scene: Scene,
) -> None:
    scene.office.register(caller("cursor"), carrier="folder")
    letter = consigning.consignment(scene.office.desk, scene.send(to="cursor").position)
    (delivery,) = consigning.pending(scene.office.desk)
    bouncing.bounce(scene.office.desk, letter, delivery, "the disk is full")
    (header,) = scene.office.inbox(caller("claude")).letters
    raw = scene.office.read(caller("claude"), header.id).message or b""
    again = scene.office.accept(caller("postmaster", door="folder"), raw, ["claude"])
    assert again.is_repeat
    forged = raw.replace(b"was not", b"was")
    error = refusal(lambda: scene.office.accept(caller("postmaster"), forged, ["claude"]))
    assert error["error"] == "not_found"


def test_other_content_under_an_id_is_refused_or_kept_beside_the_first(scene: Scene) -> None:
    first, second = message("one", id="m-1"), message("two", id="m-1")
    scene.office.accept(caller("claude"), first, ["codex"])
    error = refusal(lambda: scene.office.accept(caller("claude"), second, ["codex"]))
    assert error["error"] == "conflict"
    for _ in range(2):
        scene.office.accept(caller("claude"), second, ["codex"], keep_both=True)
    assert len(scene.inbox()) == 2


def test_history_comes_in_with_its_times_and_states(scene: Scene) -> None:
    receipt = scene.office.accept(
        caller("claude"), message(), ["codex"], sent_at=NOON - 86_400_000, states={"codex": "done"}
    )
    assert scene.inbox(unread_only=False) == []
    assert scene.states(receipt.id) == {"codex": "done"}
    assert scene.office.read(caller("claude"), receipt.id).header.sent_at == NOON - 86_400_000


def test_an_answer_joins_the_thread_of_what_it_answers(scene: Scene) -> None:
    asked = scene.send(type="question")
    raw = message(parent_message_id=asked.id)
    assert scene.office.accept(caller("codex"), raw, ["claude"]).thread == asked.thread


def test_what_is_no_message_is_refused_with_its_problems(scene: Scene) -> None:
    for raw in (b"", b"\xff", b"just text", b"[]", b"type: question"):
        error = refusal(partial(scene.office.accept, caller("claude"), raw, ["codex"]))
        assert error["error"] == "invalid_format"
