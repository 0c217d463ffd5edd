"""A program of a language model writes messages, reads the error form, and corrects itself."""

import json
from typing import Any

import pytest

import waypost
from journeys.newcomer import mended
from waypost.errors import InvalidMessageError, WaypostError

PEERS = {
    "from": "ed25519.5f0c9a7e41d2b8836ac4f19e07d35b62",
    "to": "ed25519.b81d47f3c05e96a2387f6d10e9c4ab57",
}
DRAFTS: dict[str, dict[str, Any]] = {
    "task_reqest": {
        "from": "claude",
        "to": ["codex", "../gemini"],
        "subjct": "Add a rate limit",
        "priority": "high",
        "body": "100 requests a minute.",
    },
    "delegat": {**PEERS, "payload": {"task": "Count the teapots", "priority": "high"}},
    "task_assignmnt": {
        "sender_id": "shop lead",
        "task_id": "shop-12",
        "description": "Keep a wish list",
        "specification": {"acceptance_criteria": ["It keeps"]},
        "file_patterns": ["src/**"],
        "priority": "important",
    },
}


def told(error: WaypostError) -> dict[str, Any]:
    """The error as it arrives at a model: as text."""
    form: dict[str, Any] = json.loads(json.dumps(error.to_json()))
    return form


def corrected(name: str, fields: dict[str, Any], patience: int = 12) -> tuple[waypost.Message, int]:
    """Try, read what went wrong, and try again."""
    for tries in range(1, patience):
        try:
            return waypost.compose(name, fields), tries
        except InvalidMessageError as error:
            form = told(error)
        if form["error"] == "unknown_type":
            name = form["hint"].split('"')[1]
        else:
            fields = mended(fields, form["problems"])
    raise AssertionError(f"gave up: {form}")


@pytest.mark.parametrize("name", DRAFTS)
def test_a_program_gets_there_with_the_error_form_alone(name: str) -> None:
    message, tries = corrected(name, DRAFTS[name])
    assert message.valid
    assert waypost.parse(message.raw).problems == message.problems
    assert 1 < tries <= 7


@pytest.mark.parametrize("name", DRAFTS)
def test_the_first_answer_is_a_code_a_sentence_and_a_hint(name: str) -> None:
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose(name, DRAFTS[name])
    form = told(refusal.value)
    assert form["error"] == "unknown_type"
    assert set(form) == {"error", "details", "hint"}
    assert form["hint"].startswith('did you mean "')


def test_all_that_is_wrong_comes_at_once() -> None:
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose("task_request", DRAFTS["task_reqest"])
    form = told(refusal.value)
    found = {(one["path"], one["severity"]) for one in form["problems"]}
    errors = {("to.1", "error"), ("priority", "error"), ("subject", "error")}
    assert found == errors | {("subjct", "warning")}
    assert form["details"].endswith(", and 2 more")


def test_a_secret_is_refused_without_being_repeated() -> None:
    secret = "ghp_" + "a1B2" * 9
    fields = {**PEERS, "payload": {"task": f"log in with {secret}"}}
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose("delegate", fields)
    form = told(refusal.value)
    assert form["error"] == "secret_detected"
    assert [one["path"] for one in form["problems"]] == ["payload.task"]
    assert secret not in json.dumps(form)
