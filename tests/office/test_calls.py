"""The one table of use-cases: JSON in, JSON out, and all that is wrong is told at once."""

import json
from typing import Any

import pytest

from office_scene import Scene, caller, refusal
from waypost.errors import WaypostError
from waypost.office.calls import CALLS, call, parameters

ARGUMENTS: dict[str, dict[str, Any]] = {
    "register": {"description": "x"},
    "rotate_token": {},
    "revoke_token": {},
    "set_rules": {"deny": ["gemini"]},
    "agents": {},
    "send": {"to": "codex", "text": "hello"},
    "reply": {"letter": "m-1", "text": "yes"},
    "inbox": {},
    "newest_unread": {},
    "read": {"letter": "m-1"},
    "acknowledge": {"letter": "m-1", "note": "fine"},
    "done": {"letter": "m-1"},
    "settle": {"letter": "m-1", "state": "done"},
    "withdraw": {"letter": "m-2"},
    "thread": {"thread": "m-1"},
    "search": {"query": "hello"},
    "ask_human": {"question": "Deploy?", "options": ["yes", "no"]},
    "attach": {"name": "a", "data": "aGk="},
    "events": {"after": 0},
    "status": {},
    "whoami": {},
    "overview": {},
    "reserve": {"patterns": ["src/**"]},
    "release": {},
    "reservations": {"path": "src/a"},
    "log": {},
    "redact": {"what": "m-1", "reason": "leaked"},
    "prune": {"days": 30},
}
# Those that need a person, or what another call gives.
OTHERWISE = {"answer", "attachment", "deliveries", "mailbox", "needs", "news", "numbers"}
OTHERWISE |= {"traffic", "undelivered", "retry", "redirect", "discard", "loads"}
OTHERWISE |= {"held_pairs", "hold_pair", "release_pair", "bring_back", "claim"}
OTHERWISE |= {"history", "translations", "progress", "context"}
OTHERWISE |= {"raw_event", "move", "cluster"}


@pytest.fixture
def mail(scene: Scene) -> Scene:
    scene.send("claude", "codex", message_id="m-1")
    scene.send("codex", "gemini", message_id="m-2")
    return scene


def test_every_use_case_is_called_by_some_test() -> None:
    assert set(ARGUMENTS) | OTHERWISE == set(CALLS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_every_use_case_takes_and_gives_json(mail: Scene, name: str) -> None:
    given = json.loads(json.dumps(ARGUMENTS[name]))
    shown = call(mail.office, name, caller("codex"), given)
    assert json.loads(json.dumps(shown)) == shown
    assert None not in shown.values()


def test_what_was_attached_comes_back_through_the_table(mail: Scene) -> None:
    kept = call(mail.office, "attach", caller("codex"), ARGUMENTS["attach"])
    found = call(mail.office, "attachment", caller("claude"), {"uri": kept["uri"]})
    assert found["data"] == "aGk="


def test_all_wrong_arguments_are_told_at_once(mail: Scene) -> None:
    given = {"to": 7, "txt": "hello", "acknowledge": "yes", "expires_minutes": True}
    error = refusal(lambda: call(mail.office, "send", caller("claude"), given))
    told = {problem["path"]: problem["code"] for problem in error["problems"]}
    assert told == {
        "to": "wrong_type",
        "txt": "unknown_argument",
        "acknowledge": "wrong_type",
        "expires_minutes": "wrong_type",
    }
    assert 'did you mean "text"?' in [problem.get("hint") for problem in error["problems"]]


def test_a_missing_argument_is_told(mail: Scene) -> None:
    error = refusal(lambda: call(mail.office, "read", caller("claude"), {"letter": None}))
    assert error["problems"][0]["code"] == "missing_field"


def test_an_unknown_use_case_is_told_with_the_near_ones(mail: Scene) -> None:
    error = refusal(lambda: call(mail.office, "reed", caller("claude"), {}))
    assert "read" in error["hint"]


def test_the_table_knows_what_each_use_case_takes() -> None:
    known = parameters("reserve")
    assert list(known) == ["patterns", "mode", "minutes", "reason", "task_id"]
    assert [name for name, one in known.items() if one.is_required] == ["patterns"]


STRANGE = [
    *({"$ne": 1}, [], 1.5, 10**30, -1, True),
    *("x" * 10_000, "\0", "a\udc80", "a\x1b[2J", "%", ["*", "a\udc80"]),
]
PLACES = [(name, key) for name in CALLS for key in parameters(name)]


@pytest.mark.parametrize(("name", "key"), PLACES, ids=[".".join(place) for place in PLACES])
def test_whatever_an_argument_holds_the_answer_is_json_that_steers_nothing(
    shared_scene: Scene, name: str, key: str
) -> None:
    for value in STRANGE:
        given = {**ARGUMENTS.get(name, {"letter": "x", "text": "x", "uri": "x"}), key: value}
        given = {one: given[one] for one in given if one in parameters(name)}
        try:
            shown = call(shared_scene.office, name, caller("dana"), given)
        except WaypostError as error:
            shown = error.to_json()
        assert "\x1b" not in json.dumps(shown, ensure_ascii=False)
