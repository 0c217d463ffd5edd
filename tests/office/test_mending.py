"""What people do about letters that don't get on: tried again, given to another, discarded."""

from typing import Any

import pytest

from campaigns import office_audit
from office_scene import Scene, caller, refusal
from waypost.office import carrying, consigning
from waypost.office.calls import call

DANA = caller("dana")


def waiting(scene: Scene, guard: str = "", **given: Any) -> str:
    """A letter to an agent in a folder that a carrier tries again in a minute, or a guard holds."""
    scene.office.register(caller("gemini"), carrier="folder")
    sent = scene.send(to="gemini", **given)
    (pending,) = consigning.pending(scene.office.desk, letters=[sent.position])
    next_at = None if guard else scene.clock.now + 60_000
    carrying.waits(scene.office.desk, pending, "the disk is full", next_at, guard)
    return str(sent.id)


def bounced(scene: Scene) -> str:
    sent = scene.send()
    scene.office.settle(caller("codex"), sent.id, "bounced", "the folder is gone")
    return str(sent.id)


def failures(scene: Scene) -> list[tuple[str, str]]:
    found = scene.office.undelivered(DANA).failures
    return [(one.header.id, one.state) for one in found]


def test_what_waits_is_due_at_once_when_a_person_says_so(scene: Scene) -> None:
    letter = waiting(scene)
    scene.office.retry(DANA, letter)
    (pending,) = consigning.pending(scene.office.desk)
    assert (pending.next_at, pending.tries) == (scene.clock.now, 1)


def test_what_came_back_is_on_its_way_again(scene: Scene) -> None:
    letter = bounced(scene)
    assert scene.inbox("codex") == []
    scene.office.retry(DANA, letter)
    assert failures(scene) == []
    assert scene.inbox("codex") == ["Which port?"]


def test_what_a_guard_holds_goes_on(scene: Scene) -> None:
    letter = waiting(scene, guard="too often")
    scene.office.retry(DANA, letter[:8])
    (pending,) = consigning.pending(scene.office.desk)
    assert pending.guard == "allowed"


def test_another_gets_the_letter_with_its_thread_and_answers_its_sender(scene: Scene) -> None:
    letter = waiting(scene, thread="the-port")
    done = scene.office.redirect(DANA, letter, "codex", "gemini is away").letters
    assert [(one.recipient, one.to) for one in done] == [("gemini", "codex")]
    assert scene.states(letter) == {"gemini": "withdrawn", "codex": "stored"}
    read = scene.office.read(caller("codex"), letter)
    assert (read.header.sender, read.header.thread) == ("claude", "the-port")
    scene.office.reply(caller("codex"), letter, "8080")
    assert "8080" in scene.inbox("claude")
    notes = {one.recipient: one.note for one in scene.office.deliveries(DANA, letter)}
    assert notes["gemini"] == "dana gave it to codex: gemini is away"


def test_the_first_recipient_has_an_unread_letter_no_more(scene: Scene) -> None:
    sent = scene.send()
    assert scene.inbox("codex") == ["Which port?"]
    scene.office.redirect(DANA, sent.id, "gemini")
    assert scene.inbox("codex") == []
    assert scene.inbox("gemini") == ["Which port?"]
    found = scene.office.search(caller("gemini"), "to:gemini port").letters
    assert [one.id for one in found] == [sent.id]


def test_a_letter_that_came_back_can_go_to_another(scene: Scene) -> None:
    letter = bounced(scene)
    scene.office.redirect(DANA, letter, "gemini")
    assert failures(scene) == []
    assert scene.inbox("gemini") == ["Which port?"]


def test_what_was_read_is_given_to_nobody_else(scene: Scene) -> None:
    sent = scene.send()
    scene.office.read(caller("codex"), sent.id)
    refused = refusal(lambda: scene.office.redirect(DANA, sent.id, "gemini"))
    assert refused["error"] == "conflict"
    assert "codex: read" in refused["details"]


@pytest.mark.parametrize("to", ["claude", "codex", "nobody", "*"])
def test_nobody_gets_a_letter_twice_or_back(scene: Scene, to: str) -> None:
    sent = scene.send()
    before = scene.office.last()
    assert refusal(lambda: scene.office.redirect(DANA, sent.id, to))["hint"]
    assert scene.office.last() == before


def test_who_takes_no_letters_of_the_sender_gets_none_by_redirect(scene: Scene) -> None:
    scene.office.set_rules(caller("gemini"), deny=["claude"])
    sent = scene.send()
    refused = refusal(lambda: scene.office.redirect(DANA, sent.id, "gemini"))
    assert refused["error"] == "not_authorized"


def test_a_letter_whose_time_is_over_goes_nowhere(scene: Scene) -> None:
    sent = scene.send(expires_minutes=5)
    scene.clock.move(6)
    refused = refusal(lambda: scene.office.redirect(DANA, sent.id, "gemini"))
    assert "over" in refused["details"]


def test_of_several_who_have_it_unread_one_is_named(scene: Scene) -> None:
    scene.office.register(caller("eve"))
    sent = scene.send(to=["codex", "gemini"])
    assert "--for" in refusal(lambda: scene.office.redirect(DANA, sent.id, "eve"))["hint"]
    scene.office.redirect(DANA, sent.id, "eve", recipient="codex")
    assert scene.states(sent.id) == {"codex": "withdrawn", "gemini": "stored", "eve": "stored"}


def test_what_is_discarded_is_off_the_list_and_its_sender_is_told(scene: Scene) -> None:
    letter = waiting(scene)
    scene.office.discard(DANA, letter, "nobody needs it")
    assert failures(scene) == []
    assert scene.states(letter) == {"gemini": "withdrawn"}
    (told,) = scene.office.inbox(caller("claude")).letters
    assert told.sender == "postmaster"
    assert "nobody needs it" in scene.office.read(caller("claude"), told.id).text


def test_what_came_back_before_is_discarded_quietly(scene: Scene) -> None:
    letter = bounced(scene)
    scene.office.discard(DANA, letter, "known")
    assert failures(scene) == []
    assert scene.office.numbers(DANA).undelivered == 0
    assert scene.inbox("claude") == []


def test_many_at_once_or_none(scene: Scene) -> None:
    letters = [waiting(scene, text=f"page {number}") for number in range(3)]
    before = scene.office.last()
    assert refusal(lambda: scene.office.discard(DANA, [*letters, "gone-1"], "no"))["error"]
    assert scene.office.last() == before
    done = call(scene.office, "discard", DANA, {"letters": letters, "reason": "done by hand"})
    assert [one["id"] for one in done["letters"]] == letters


@pytest.mark.parametrize("name", ["retry", "redirect", "discard"])
def test_only_people_decide(scene: Scene, name: str) -> None:
    given = {"redirect": {"to": "codex"}, "discard": {"reason": "no"}}.get(name, {})
    letter = waiting(scene)
    refused = refusal(
        lambda: call(scene.office, name, caller("codex"), {"letters": letter, **given})
    )
    assert refused["error"] == "not_authorized"


def test_what_arrived_needs_no_help(scene: Scene) -> None:
    sent = scene.send()
    for act in (
        lambda: scene.office.retry(DANA, sent.id),
        lambda: scene.office.discard(DANA, sent.id, "no"),
    ):
        assert refusal(act)["error"] == "conflict"


def test_it_is_all_in_the_journal_under_the_persons_name(scene: Scene) -> None:
    letters = [waiting(scene), bounced(scene)]
    scene.office.retry(DANA, letters)
    scene.office.redirect(DANA, letters[0], "codex")
    scene.office.discard(DANA, waiting(scene, guard="pair"), "a loop")
    deeds = [(one.kind, one.actor) for one in scene.office.log(DANA, actor="dana")]
    assert deeds[:4] == [
        ("letter.sent", "dana"), ("letter.redirected", "dana"), ("delivery.reopened", "dana"),
        ("delivery.waits", "dana"),
    ]  # fmt: skip
    assert office_audit.wrong(scene.home, letters, replay=scene.journal is None,
                              journal=scene.journal) == []  # fmt: skip
