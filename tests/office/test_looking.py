"""People look at the mail of others: everything is seen, and nothing moves."""

from typing import Any

import pytest

from office_scene import Scene, caller, refusal
from waypost.office import carrying, consigning
from waypost.office.callers import Caller
from waypost.office.calls import call

DANA: Caller = caller("dana")
LOOKS: dict[str, dict[str, Any]] = {
    "mailbox": {"agent": "codex"},
    "needs": {},
    "undelivered": {},
    "deliveries": {"letter": "m-1"},
    "history": {"letter": "m-1"},
    "translations": {"letter": "m-1"},
    "progress": {"thread": "m-1"},
    "context": {"letter": "m-1"},
    "raw_event": {"position": 1},
    "numbers": {},
    "news": {},
    "traffic": {"minutes": 60},
    "held_pairs": {},
    "loads": {"names": ["codex"]},
}


@pytest.mark.parametrize("name", LOOKS)
def test_people_look_and_agents_may_not(scene: Scene, name: str) -> None:
    scene.send(message_id="m-1")
    before = scene.office.last()
    assert call(scene.office, name, DANA, LOOKS[name]) is not None
    denied = refusal(lambda: call(scene.office, name, caller("gemini"), LOOKS[name]))
    assert denied["error"] == "not_authorized"
    assert scene.office.last() == before


def test_a_mailbox_is_seen_in_its_order_with_its_true_states(scene: Scene) -> None:
    scene.send(text="later")
    first = scene.send(text="first", priority="urgent")
    page = scene.office.mailbox(DANA, "codex")
    assert [(one.subject, one.state) for one in page.letters] == [
        ("first", "stored"), ("later", "stored"),
    ]  # fmt: skip
    scene.office.read(caller("codex"), first.id)
    assert [one.subject for one in scene.office.mailbox(DANA, "codex").letters] == ["later"]
    assert len(scene.office.mailbox(DANA, "codex", unread_only=False).letters) == 2


def test_a_mailbox_of_nobody_names_the_near_one(scene: Scene) -> None:
    assert "codex" in refusal(lambda: scene.office.mailbox(DANA, "codx"))["hint"]


def test_pages_of_a_mailbox_meet_without_a_gap(scene: Scene) -> None:
    for number in range(7):
        scene.send(text=f"letter {number}")
    seen, after = [], None
    while True:
        page = scene.office.mailbox(DANA, "codex", limit=3, after=after)
        seen += [one.subject for one in page.letters]
        if (after := page.next) is None:
            break
    assert seen == [f"letter {number}" for number in range(7)]


def test_what_asks_a_person_is_needed_until_it_is_answered(scene: Scene) -> None:
    scene.send("codex", "dana", text="for your information")
    asked = scene.office.ask_human(caller("claude"), "Deploy?", ["yes", "no"])
    direct = scene.send("codex", "dana", type="question", text="Which port?")
    urgent = scene.office.ask_human(caller("gemini"), "It burns!", priority="urgent")
    needed = scene.office.needs(DANA).letters
    assert [one.header.id for one in needed] == [urgent.id, asked.id, direct.id]
    assert needed[1].options == ("yes", "no")
    scene.office.answer(DANA, asked.id, "yes")
    assert scene.office.numbers(DANA).needs_you == 2


def test_what_nobody_fetched_in_time_is_undelivered_with_its_recipient(scene: Scene) -> None:
    late = scene.send(expires_minutes=5)
    scene.clock.move(6)
    scene.inbox("codex")  # which notes that it has expired
    (failure,) = scene.office.undelivered(DANA).failures
    assert (failure.header.id, failure.recipient, failure.state) == (late.id, "codex", "expired")
    assert scene.office.numbers(DANA).undelivered == 1


def test_what_came_back_says_why(scene: Scene) -> None:
    sent = scene.send()
    scene.office.settle(caller("codex"), sent.id, "bounced", "the folder is gone")
    (failure,) = scene.office.undelivered(DANA).failures
    assert (failure.state, failure.reason) == ("bounced", "the folder is gone")
    (step,) = scene.office.deliveries(DANA, sent.id)
    assert (step.recipient, step.state, step.note) == ("codex", "bounced", "the folder is gone")


def test_what_is_tried_again_or_held_is_undelivered_too(scene: Scene) -> None:
    scene.office.register(caller("gemini"), carrier="folder")
    held, tried = (scene.send(to="gemini", text=text).position for text in ("held", "tried"))
    for one in consigning.pending(scene.office.desk):
        next_at = None if one.letter == held else scene.clock.now + 1000
        guard = "pair" if one.letter == held else ""
        carrying.waits(scene.office.desk, one, "the disk is full", next_at, guard)
    found = scene.office.undelivered(DANA).failures
    assert [(one.header.position, one.state) for one in found] == [
        (tried, "waiting"), (held, "held"),
    ]  # fmt: skip
    assert (found[0].tries, found[0].reason) == (1, "the disk is full")
    assert scene.office.numbers(DANA).undelivered == 2
    assert scene.office.news(DANA, limit=1)[0].to == ("gemini",)


def test_the_five_numbers(scene: Scene) -> None:
    scene.send(text="old")
    scene.clock.move(61)
    scene.send(text="new", acknowledge=True)
    scene.office.reserve(caller("codex"), ["src/**"])
    assert scene.office.numbers(DANA) == (0, 0, 1, 1, 1)


def test_the_news_tell_whose_letter_got_how_far(scene: Scene) -> None:
    sent = scene.send(text="Which port?")
    scene.office.read(caller("codex"), sent.id)
    moved, came = scene.office.news(DANA, limit=2)
    assert (came.sender, came.to, came.subject) == ("claude", ("codex",), "Which port?")
    assert (moved.to, moved.state, moved.letter) == (("codex",), "read", sent.id)


def test_traffic_counts_each_pair_of_late(scene: Scene) -> None:
    scene.send(to=["codex", "gemini"])
    scene.clock.move(30)
    scene.send()
    late = [(one.sender, one.to, one.letters) for one in scene.office.traffic(DANA, 15)]
    assert late == [("claude", "codex", 1)]
    assert scene.office.traffic(DANA, 60)[0].letters == 2
