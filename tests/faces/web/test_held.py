"""A letter that a guard holds goes on, or back, as a person decides; no dispatcher runs beside."""

import pytest

from office_scene import PROJECT, Scene, caller, refusal
from waypost.faces.web import deeds
from waypost.faces.web.query import Query
from waypost.office import carrying, consigning


def held(scene: Scene) -> Query:
    """The form about a letter that is on hold."""
    scene.office.register(caller("gemini"), carrier="folder")
    sent = scene.send(to="gemini", text="again and again")
    (pending,) = consigning.pending(scene.office.desk, letters=[sent.position])
    carrying.waits(scene.office.desk, pending, "the same pair too often", None, "pair")
    return Query({"letter": [sent.id], "verdict": ["on"]})


def test_it_goes_on_and_is_due_at_once(scene: Scene) -> None:
    assert "let_go" in deeds.let_go(scene.office, caller("dana"), held(scene))
    assert scene.office.held(PROJECT) == []
    assert len(consigning.pending(scene.office.desk)) == 1


def test_it_goes_back_and_its_sender_learns_why(scene: Scene) -> None:
    form = Query({**held(scene).fields, "verdict": ["back"]})
    assert "sent_back" in deeds.let_go(scene.office, caller("dana"), form)
    (failure,) = scene.office.undelivered(caller("dana")).failures
    assert failure.state == "bounced"
    assert "the same pair too often" in (failure.reason or "")


@pytest.mark.parametrize("name", ["claude", "gemini"])
def test_an_agent_may_not_decide(scene: Scene, name: str) -> None:
    form = held(scene)
    denied = refusal(lambda: deeds.let_go(scene.office, caller(name), form))
    assert denied["error"] == "not_authorized"
    assert len(scene.office.held(PROJECT)) == 1
