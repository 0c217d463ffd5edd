"""The form about what doesn't arrive: one letter or many, for their recipients; no scripts."""

import pytest

from office_scene import PROJECT, Scene, caller, refusal
from waypost.faces.web import undelivered
from waypost.faces.web.page import Page
from waypost.faces.web.query import Query
from waypost.office import carrying, consigning

DANA = caller("dana")


def held(scene: Scene, text: str = "again and again") -> str:
    """A letter that is on hold, as its checkbox names it."""
    scene.office.register(caller("gemini"), carrier="folder")
    sent = scene.send(to="gemini", text=text)
    (pending,) = consigning.pending(scene.office.desk, letters=[sent.position])
    carrying.waits(scene.office.desk, pending, "the same pair too often", None, "pair")
    return f"gemini {sent.id}"


def form(*which: str, **more: str) -> Query:
    return Query({"which": list(which), **{key: [text] for key, text in more.items()}})


def test_what_is_held_goes_on_and_is_due_at_once(scene: Scene) -> None:
    assert "retried" in str(undelivered.retry(scene.office, DANA, form(held(scene))))
    assert scene.office.held(PROJECT) == []
    assert len(consigning.pending(scene.office.desk)) == 1


def test_what_is_discarded_goes_back_and_its_sender_learns_why(scene: Scene) -> None:
    asked = form(held(scene), reason="it is a loop")
    assert "discarded" in str(undelivered.discard(scene.office, DANA, asked))
    assert scene.office.undelivered(DANA).failures == ()
    (told,) = scene.office.inbox(caller("claude")).letters
    assert "it is a loop" in scene.office.read(caller("claude"), told.id).text


def test_all_of_a_page_are_tried_again_at_once(scene: Scene) -> None:
    every = "\n".join(held(scene, text) for text in ("one", "two", "three"))
    undelivered.retry(scene.office, DANA, form(every=every, all="yes"))
    assert len(consigning.pending(scene.office.desk)) == 3


def test_the_button_of_a_row_is_about_that_row_alone(scene: Scene) -> None:
    ticked, alone = held(scene, "one"), held(scene, "two")
    undelivered.retry(scene.office, DANA, form(ticked, only=alone))
    (pending,) = consigning.pending(scene.office.desk)
    assert alone.endswith(consigning.consignment(scene.office.desk, pending.letter).id)


@pytest.mark.parametrize("name", ["retry", "redirect", "discard"])
def test_what_is_missing_is_told_above_the_list_and_the_ticks_stay(scene: Scene, name: str) -> None:
    which = held(scene)
    asked = form() if name == "retry" else form(which)
    page = getattr(undelivered, name)(scene.office, DANA, asked)
    assert isinstance(page, Page)
    assert (page.status, page.data["error"].code) == (400, "usage")
    assert page.data["chosen"] == asked.all("which")
    assert len(scene.office.held(PROJECT)) == 1


def test_too_many_at_once_are_refused(scene: Scene) -> None:
    held(scene)
    every = "\n".join(f"gemini m-{number}" for number in range(201))
    page = undelivered.retry(scene.office, DANA, form(every=every, all="yes"))
    assert isinstance(page, Page)
    assert "201 letters" in page.data["error"].details


@pytest.mark.parametrize("name", ["claude", "gemini"])
def test_an_agent_may_not_decide(scene: Scene, name: str) -> None:
    which = held(scene)
    denied = refusal(lambda: undelivered.retry(scene.office, caller(name), form(which)))
    assert denied["error"] == "not_authorized"
    assert len(scene.office.held(PROJECT)) == 1
