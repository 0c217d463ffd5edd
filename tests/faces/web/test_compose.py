"""A form for any type: from its schema to a letter, with problems at their fields."""

import httpx
import pytest

from faces.web import story
from faces.web.forms import send, words
from waypost.faces.web import forms
from waypost.office import Office

TYPES = [name for _, listed in forms.types() for name, _ in listed]
TASK = {
    "type": "task_assignment", "to": "codex", "field.task_id": "bd-7",
    "field.description": "Build the shelf", "field.file_patterns": "src/**\ndocs/*.md",
    "field.specification.acceptance_criteria": "it holds\nit is level",
    "field.estimated_duration_minutes": "30",
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_every_type_has_its_form(dana: httpx.Client, name: str) -> None:
    answer = dana.get("/compose", params={"type": name})
    assert answer.status_code == 200
    for field in forms.fields(name):
        assert f'name="{field.key}"' in answer.text


def test_a_filled_form_becomes_a_letter_of_its_type(dana: httpx.Client, office: Office) -> None:
    assert "Build the shelf" in words(send(dana, "/compose", **TASK))
    letter = office.search(story.caller("dana"), "shelf").letters[0]
    fields = office.read(story.caller("dana"), letter.id).fields
    assert (letter.type, letter.to) == ("task_assignment", ("codex",))
    assert fields["file_patterns"] == ["src/**", "docs/*.md"]
    assert fields["estimated_duration_minutes"] == 30


def test_each_problem_stands_at_its_field_and_what_was_typed_stays(dana: httpx.Client) -> None:
    answer = send(dana, "/compose", **TASK | {"field.description": "", "field.deadline": "soon"})
    assert answer.status_code == 422
    for name in ("description", "deadline"):
        assert f'id="field.{name}-problem"' in answer.text
    assert "it is level" in answer.text


def test_a_number_that_is_none_is_told_at_its_field(dana: httpx.Client) -> None:
    answer = send(dana, "/compose", **TASK | {"field.estimated_duration_minutes": "long"})
    assert 'id="field.estimated_duration_minutes-problem"' in answer.text


def test_an_unknown_recipient_gets_a_suggestion(dana: httpx.Client) -> None:
    answer = send(dana, "/compose", type="notification", to="codx", text="hello")
    assert answer.status_code == 404
    assert "did you mean" in words(answer)


def test_a_secret_is_refused_as_on_every_door(dana: httpx.Client, office: Office) -> None:
    before = office.last()
    token = "ghp_" + "a1B2" * 9
    answer = send(dana, "/compose", type="notification", to="codex", text=f"use {token}")
    assert answer.status_code == 422
    assert office.last() == before
