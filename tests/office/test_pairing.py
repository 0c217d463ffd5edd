"""Two whom a person keeps apart: what they write is kept, held, and goes on when released."""

from campaigns import office_audit
from office_scene import PROJECT, Scene, caller, refusal
from waypost.office import consigning

DANA = caller("dana")


def hold(scene: Scene, **more: bool) -> None:
    scene.office.hold_pair(DANA, "claude", "codex", "they only thank each other", **more)


def test_letters_of_a_held_pair_are_kept_and_nobody_sees_them_yet(scene: Scene) -> None:
    hold(scene)
    sent = scene.send()
    back = scene.send("codex", "claude")
    assert (scene.inbox("codex"), scene.inbox("claude")) == ([], [])
    assert scene.states(sent.id) == {"codex": "stored"}
    refused = refusal(lambda: scene.office.read(caller("codex"), sent.id))
    assert refused["error"] == "not_found"
    assert [one.id for one in scene.office.held(PROJECT)] == [sent.id, back.id]


def test_others_write_to_both_as_before(scene: Scene) -> None:
    hold(scene)
    scene.send("gemini", ["claude", "codex"], text="For both")
    assert scene.inbox("codex") == scene.inbox("claude") == ["For both"]


def test_a_letter_to_more_is_held_for_one(scene: Scene) -> None:
    hold(scene)
    scene.send(to=["codex", "gemini"])
    assert (scene.inbox("codex"), scene.inbox("gemini")) == ([], ["Which port?"])


def test_one_way_leaves_the_other_open(scene: Scene) -> None:
    hold(scene, both_ways=False)
    scene.send("codex", "claude", text="This way")
    assert scene.inbox("claude") == ["This way"]
    (pair,) = scene.office.held_pairs(DANA)
    assert (pair.sender, pair.to, pair.held_by, pair.letters) == ("claude", "codex", "dana", 0)
    assert pair.reason == "they only thank each other"


def test_released_letters_arrive_and_are_news(scene: Scene) -> None:
    hold(scene)
    scene.send(text="first")
    scene.send(text="second")
    assert scene.office.newest_unread(caller("codex")) == 0
    released = scene.office.release_pair(DANA, "codex", "claude").pairs
    assert sum(pair.letters for pair in released) == 2
    assert scene.office.newest_unread(caller("codex")) == scene.office.last()
    assert scene.inbox("codex") == ["first", "second"]
    assert scene.office.held_pairs(DANA) == ()


def test_carriers_leave_them_until_they_are_released(scene: Scene) -> None:
    scene.office.register(caller("codex"), carrier="folder")
    hold(scene)
    scene.send()
    assert consigning.pending(scene.office.desk) == []
    scene.office.release_pair(DANA, "claude", "codex")
    (pending,) = consigning.pending(scene.office.desk)
    assert not pending.guard


def test_what_is_held_says_who_holds_it_and_why(scene: Scene) -> None:
    hold(scene)
    scene.send()
    (failure,) = scene.office.undelivered(DANA).failures
    assert failure.state == "held"
    assert failure.reason == ("dana holds what claude writes to codex: they only thank each other")
    assert scene.office.held(PROJECT)[0].guard == "held pair"


def test_one_letter_of_a_held_pair_may_go_on_alone(scene: Scene) -> None:
    hold(scene)
    sent = scene.send(text="this one")
    scene.send(text="not this one")
    scene.office.retry(DANA, sent.id)
    assert scene.inbox("codex") == ["this one"]


def test_what_is_no_pair_is_refused(scene: Scene) -> None:
    hold_pair = scene.office.hold_pair
    assert "codex" in refusal(lambda: hold_pair(DANA, "claude", "codx", "why"))["hint"]
    assert refusal(lambda: hold_pair(DANA, "claude", "claude", "why"))["error"] == "usage"
    assert refusal(lambda: hold_pair(DANA, "claude", "codex", " "))["error"] == "usage"
    agent = caller("gemini")
    assert refusal(lambda: hold_pair(agent, "claude", "codex", "w"))["error"] == "not_authorized"
    gone = refusal(lambda: scene.office.release_pair(DANA, "claude", "codex"))
    assert gone["error"] == "not_found"


def test_a_replay_holds_the_same(scene: Scene) -> None:
    hold(scene)
    sent = [scene.send().id, scene.send("codex", "claude").id]
    scene.office.release_pair(DANA, "claude", "codex", both_ways=False)
    sent += [scene.send().id, scene.send("codex", "claude").id]
    assert office_audit.wrong(scene.home, sent, replay=scene.journal is None,
                              journal=scene.journal) == []  # fmt: skip
