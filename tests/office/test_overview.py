"""The situation of a project: who has what to read, who waits for whom, who holds what."""

from office_scene import Scene, caller


def waiting(scene: Scene, who: str) -> list[tuple[str, tuple[str, ...]]]:
    found = scene.office.overview(caller(who)).waiting
    return [(one.header.id, one.owing) for one in found]


def unread(scene: Scene) -> dict[str, dict[str, int]]:
    return {one.name: dict(one.unread) for one in scene.office.overview(caller("claude")).agents}


def test_unread_mail_is_counted_by_urgency(scene: Scene) -> None:
    scene.send("claude", "codex", priority="urgent")
    scene.send("claude", "codex", priority="low")
    scene.send("claude", "codex", priority="low")
    assert unread(scene)["codex"] == {"urgent": 1, "low": 2}
    assert unread(scene)["claude"] == {}


def test_a_question_waits_until_it_is_answered(scene: Scene) -> None:
    asked = scene.send("claude", "codex", type="question").id
    assert waiting(scene, "claude") == waiting(scene, "codex") == [(asked, ("codex",))]
    scene.office.reply(caller("codex"), asked, "Yes.")
    assert waiting(scene, "claude") == []


def test_what_wants_an_acknowledgement_waits_for_those_who_owe_it(scene: Scene) -> None:
    sent = scene.send("claude", ["codex", "gemini"], acknowledge=True).id
    scene.office.acknowledge(caller("codex"), sent)
    assert waiting(scene, "claude") == [(sent, ("gemini",))]


def test_a_plain_letter_waits_for_nothing(scene: Scene) -> None:
    scene.send("claude", "codex")
    assert waiting(scene, "claude") == []


def test_others_letters_are_not_shown_but_people_see_all(scene: Scene) -> None:
    asked = scene.send("claude", "codex", type="question").id
    assert waiting(scene, "gemini") == []
    assert waiting(scene, "dana") == [(asked, ("codex",))]


def test_what_is_overdue_comes_first_however_old(scene: Scene) -> None:
    late = scene.send("claude", "codex", acknowledge_minutes=1).id
    scene.clock.move(minutes=5)
    fresh = scene.send("claude", "codex", type="question").id
    assert [one for one, _ in waiting(scene, "claude")] == [late, fresh]
    assert scene.office.overview(caller("claude")).waiting[0].header.is_overdue


def test_another_projects_mail_does_not_show(scene: Scene) -> None:
    scene.office.register(caller("claude")._replace(project="other"))
    scene.send("claude", "codex", type="question")
    found = scene.office.overview(caller("claude")._replace(project="other"))
    assert (found.waiting, [dict(one.unread) for one in found.agents]) == ((), [{}, {}])


def test_who_one_is_is_told(scene: Scene) -> None:
    found = scene.office.whoami(caller("codex"))
    assert (found.agent, found.kind, found.proof) == ("codex", "agent", "claimed")
    assert "codex" in scene.office.names(found.project)
    assert "people" not in scene.office.names(found.project)
    assert scene.office.projects() == (found.project,)
