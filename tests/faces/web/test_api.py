"""The same for programs: GET with a token, in the one JSON shape, described by OpenAPI."""

import httpx
import pytest

from faces.clients import Served
from faces.web import story
from waypost.faces.api import KNOWN, LOOKS
from waypost.office import Office

ARGUMENTS = {
    "thread": {"thread": "{id}"}, "read": {"letter": "{id}"}, "search": {"query": "rate"},
    "mailbox": {"agent": "codex"}, "deliveries": {"letter": "{id}"}, "traffic": {"minutes": "60"},
    "loads": {"names": "codex"},
    "history": {"letter": "{id}"}, "translations": {"letter": "{id}"},
    "context": {"letter": "{id}"},
    "progress": {"thread": "{id}"}, "raw_event": {"position": "3"},
}  # fmt: skip


@pytest.fixture(scope="module")
def api(town: Served, office: Office) -> httpx.Client:
    token = office.rotate_token(story.caller("dana")).token
    return httpx.Client(base_url=town.url, headers={"authorization": f"Bearer {token}"}, timeout=30)


@pytest.mark.parametrize("name", sorted(set(LOOKS) - {"attachment"}))
def test_a_token_looks_at_what_the_pages_show(api: httpx.Client, office: Office, name: str) -> None:
    letter = office.search(story.caller("dana"), "rate").letters[0].id
    before = office.last()
    query = {key: text.format(id=letter) for key, text in ARGUMENTS.get(name, {}).items()}
    answer = api.get(f"/api/{name}", params=query)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == api.post(f"/api/call/{name}", json=_typed(query, name)).json()
    assert office.last() == before


def _typed(query: dict[str, str], name: str) -> dict[str, object]:
    peek: dict[str, object] = {"peek": True} if name == "read" else {}
    return {key: int(text) if text.isdigit() else text for key, text in query.items()} | peek


def test_what_changes_something_is_nothing_to_look_at(api: httpx.Client) -> None:
    refused = api.get("/api/send", params={"to": "codex", "text": "by GET"})
    assert (refused.status_code, refused.json()["error"]) == (404, "not_found")


def test_a_wrong_argument_is_told_as_on_every_door(api: httpx.Client) -> None:
    refused = api.get("/api/needs", params={"limit": "many", "colour": "red"}).json()
    assert [problem["path"] for problem in refused["problems"]] == ["colour", "limit"]


def test_the_document_names_every_use_case(api: httpx.Client) -> None:
    document = api.get("/api/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == {
        *(f"/api/call/{name}" for name in KNOWN), *(f"/api/{name}" for name in LOOKS)
    }  # fmt: skip
    assert document["paths"]["/api/call/send"]["post"]["summary"].startswith("Send a letter")
