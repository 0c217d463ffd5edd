"""Small messages and short ways to compose them, for stories about the public face."""

from typing import Any

import pytest

import waypost
from schema_files import example
from waypost.errors import InvalidMessageError

NOTE = {"from": "claude", "to": "codex", "subject": "Hello", "body": "Are you there?"}
BARE = "5f0c9a7e41d2b8836ac4f19e07d35b62"
PEERS = {"from": BARE, "to": "ed25519.b81d47f3c05e96a2387f6d10e9c4ab57"}
AN_ID = "8e4a0b52-6f0d-4c39-9d1e-2b7c85a3f614"


def fields_of(dialect: str, type_name: str, *without: str) -> dict[str, Any]:
    """The fields of a worked example, but for those that compose should fill in."""
    fields = dict(waypost.parse(example(dialect, type_name), dialect).fields or {})
    return {key: value for key, value in fields.items() if key not in without}


def composed(type_name: str, fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return dict(waypost.compose(type_name, fields, **more).fields or {})


def refused(type_name: str, fields: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidMessageError) as refusal:
        waypost.compose(type_name, fields, **more)
    return [(one.path, one.code) for one in refusal.value.problems if one.is_error]
