"""Every type of every dialect is written on a page: its own example, typed into its form."""

import json
from typing import Any

import httpx
import pytest

from faces.web import story
from faces.web.forms import send
from waypost.dialects import DIALECTS, dialect
from waypost.faces.web import forms
from waypost.office import Office

TYPES = [(name, one) for name in DIALECTS for one in dialect(name).types]
DANA, PEER = story.caller("dana"), story.caller("depot")
ENVELOPE = ("version", "type", "timestamp", "sender_id", "message_id", "priority_value")
KEYS = {"dana": "ed25519." + "a" * 32, "depot": "ed25519." + "b" * 32}
REFERS = {"pong", "response", "ack", "result", "capabilities", "error", "cancel"}


@pytest.fixture(scope="module")
def depot(office: Office) -> str:
    """Two who may write each other live, and a letter that dana can answer."""
    office.register(DANA, kind="person", key_id=KEYS["dana"], with_token=False)
    office.register(PEER, key_id=KEYS["depot"], with_token=False)
    for name in example("agentmail", "coordination_request")["participants"]:
        office.register(story.caller(name), with_token=False)
    task = {"task": "Count the blue teapots.", "deadline_ms": 60_000}
    return office.send(PEER, "dana", "delegate", task).id


def said_in(name: str, fields: dict[str, Any]) -> Any:
    """What a message says beyond its envelope."""
    if name != "agentmail":
        return fields.get("body", fields.get("payload"))
    return {key: value for key, value in fields.items() if key not in ENVELOPE}


def example(name: str, one: str) -> Any:
    return said_in(name, dialect(name).read(dialect(name).example(one)).fields or {})


def typed(one: str, said: Any) -> dict[str, str]:
    """The example as somebody types it into the form."""
    if isinstance(said, str):
        return {"text": said}
    form = {}
    for field in forms.fields(one):
        value = said
        for part in field.name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None:
            lines = isinstance(value, list) and field.kind == "lines"
            text = value if isinstance(value, str) else json.dumps(value)
            form[field.key] = "\n".join(value) if lines else text
    return form


def plain(said: Any) -> Any:
    """A value without what a form can't say: ends of lines at the end of a text, and null."""
    if isinstance(said, dict):
        return {key: plain(value) for key, value in said.items() if value is not None}
    return said.rstrip("\n") if isinstance(said, str) else said


def test_there_are_thirty_one() -> None:
    assert len(TYPES) == 31


@pytest.mark.parametrize(("name", "one"), TYPES)
def test_an_example_typed_into_its_form_is_the_letter(
    dana: httpx.Client, office: Office, depot: str, name: str, one: str
) -> None:
    said = example(name, one)
    assert dana.get("/compose", params={"type": one}).status_code == 200
    form = {"type": one, "to": "depot" if name == "acp" else "codex", **typed(one, said)}
    if one in REFERS and name == "acp":
        form["answers"] = depot
    answer = send(dana, "/compose", **form)
    assert answer.status_code == 200, answer.text
    newest = office.search(DANA, f"from:dana type:{one}", 1).letters[0]
    fields = dict(office.read(DANA, newest.id).fields)
    assert plain(said_in(name, fields)) == plain(said)


def test_the_picker_offers_all_that_people_write(dana: httpx.Client) -> None:
    page = dana.get("/compose").text
    offered = {one for _, one in TYPES if f'<option value="{one}"' in page}
    assert {one for _, one in TYPES} - offered == forms.LIVE_ONLY
    assert "answers a ping at once" in dana.get("/compose?type=ping").text
