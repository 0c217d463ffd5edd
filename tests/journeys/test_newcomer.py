"""A newcomer mends broken messages with nothing but the hints, one after the other."""

import json
from typing import Any

import pytest

import waypost
from commands.terminal import quick
from journeys.newcomer import Fields, Problem, mended
from schema_files import TYPES, example

STORIES: dict[str, tuple[str, str, dict[str, Any], dict[str, str]]] = {
    "oacp": (
        "oacp",
        "handoff",
        {
            "type": "handof",
            "priority": "urgent",
            "to": "../codex",
            "created_at_utc": "yesterday",
            "id": "my first message",
            "channel": "x" * 80,
        },
        {"subject": "subjekt", "conversation_id": "conversation"},
    ),
    "acp": (
        "acp",
        "query",
        {"kind": "qery", "v": "1", "id": "one", "from": "claude", "ts": "2026-03-13T14:30:00Z"},
        {},
    ),
    "agentmail": (
        "agentmail",
        "task_assignment",
        {
            "type": "task_asignment",
            "version": "2.0.0",
            "timestamp": "13 March",
            "message_id": "7",
            "sender_id": "shop lead",
            "priority": "normal",
            "priority_value": 0,
        },
        {},
    ),
}


def checked(fields: Fields, dialect: str) -> tuple[bool, list[Problem]]:
    words = ["waypost", "validate", "--json", "--dialect", dialect, "-"]
    (found,) = quick(*words, given=json.dumps(fields).encode()).objects
    return found["valid"], found["problems"]


def rounds_until_valid(fields: Fields, dialect: str, most: int = 30) -> int:
    """How many hints it takes."""
    for taken in range(most):
        valid, problems = checked(fields, dialect)
        if valid:
            return taken
        fields = mended(fields, problems)
    raise AssertionError(f"still not valid after {most} hints: {problems}")


def good(dialect: str, name: str) -> Fields:
    return dict(waypost.parse(example(dialect, name)).fields or {})


@pytest.mark.parametrize("story", STORIES)
def test_following_the_hints_ends_in_a_valid_message(story: str) -> None:
    dialect, name, values, renamed = STORIES[story]
    fields = {**good(dialect, name), **values}
    for right, wrong in renamed.items():
        fields[wrong] = fields.pop(right)
    faults = len(values) + len(renamed)
    valid, problems = checked(fields, dialect)
    assert not valid
    assert len(problems) >= faults - 1
    assert 0 < rounds_until_valid(fields, dialect) <= 2 * faults


@pytest.mark.parametrize(("dialect", "name"), TYPES)
def test_every_missing_field_can_be_filled_from_its_hint(dialect: str, name: str) -> None:
    whole = good(dialect, name)
    for field, value in whole.items():
        if isinstance(value, dict | list):
            continue
        without = {key: kept for key, kept in whole.items() if key != field}
        if field not in ("type", "kind"):  # without it nothing is known of the rest
            assert rounds_until_valid(without, dialect) <= 2


@pytest.mark.parametrize(("dialect", "name"), TYPES)
def test_a_slip_in_the_type_is_mended_by_one_hint(dialect: str, name: str) -> None:
    fields = good(dialect, name)
    kind = "kind" if dialect == "acp" else "type"
    fields[kind] = name[:-1] + "z"
    assert rounds_until_valid(fields, dialect) == 1


@pytest.mark.parametrize("name", [name for dialect, name in TYPES if dialect == "oacp"])
def test_a_slip_in_any_body_field_is_mended_by_its_hint(name: str) -> None:
    fields = good("oacp", name)
    if not isinstance(fields["body"], dict):
        assert checked(fields, "oacp")[0]
        return
    for field in fields["body"]:
        body = {(key + "s" if key == field else key): kept for key, kept in fields["body"].items()}
        assert rounds_until_valid({**fields, "body": body}, "oacp") <= 1
