"""People: they are asked, they answer, and they see what goes on."""

import pytest

from office_scene import Scene, caller, refusal


def test_a_question_waits_on_the_peoples_list_and_its_answer_is_a_letter(scene: Scene) -> None:
    asked = scene.office.ask_human(caller("codex"), "Deploy now?", ["yes", "no"])
    assert scene.inbox("dana", people=True) == ["Deploy now?"]
    assert scene.office.read(caller("dana"), asked.id).options == ("yes", "no")
    scene.office.answer(caller("dana"), asked.id, "yes")
    assert scene.inbox("codex") == ["yes"]
    assert scene.inbox("dana", people=True, unread_only=False) == []
    assert scene.states(asked.id, "codex") == {"people": "done"}


def test_agents_do_not_answer_for_people(scene: Scene) -> None:
    asked = scene.office.ask_human(caller("codex"), "Deploy now?")
    error = refusal(lambda: scene.office.answer(caller("codex"), asked.id, "yes"))
    assert error["error"] == "not_authorized"


@pytest.mark.parametrize(("question", "options"), [("", None), ("?", ["a\nb"]), ("?", ["x"] * 21)])
def test_a_question_has_words_and_few_options(
    scene: Scene, question: str, options: list[str] | None
) -> None:
    assert refusal(lambda: scene.office.ask_human(caller("codex"), question, options))


def test_the_status_shows_what_waits(scene: Scene) -> None:
    scene.office.ask_human(caller("codex"), "Deploy now?")
    scene.send(acknowledge_minutes=5)
    scene.office.reserve(caller("codex"), ["src/**"])
    scene.clock.move(minutes=6)
    status = scene.office.status(caller("dana"))
    assert (status.agents, status.unread, status.for_people) == (4, 2, 1)
    assert (status.overdue, status.reservations) == (1, 1)
    assert status.sizes["database"] > 0


def test_events_after_a_position_are_what_the_caller_may_know(scene: Scene) -> None:
    before = scene.office.last()
    scene.send()
    scene.send(to="gemini")
    seen = scene.office.events(caller("dana"), before)
    assert [one.data["to"] for one in seen] == [["codex"], ["gemini"]]
    codex = caller("codex")._replace(proof="proven")
    assert [one.data["to"] for one in scene.office.events(codex, before)] == [["codex"]]
