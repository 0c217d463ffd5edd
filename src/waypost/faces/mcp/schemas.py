"""Short ways to write down what a tool takes and gives, as JSON Schema that any client knows."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]


def text(description: str | None = None, *choices: str) -> Schema:
    """A text; one of the choices, if any are named."""
    return _with({"type": "string"} | ({"enum": list(choices)} if choices else {}), description)


def whole(description: str | None = None) -> Schema:
    """A whole number."""
    return _with({"type": "integer"}, description)


def yes_or_no(description: str | None = None) -> Schema:
    """True or false."""
    return _with({"type": "boolean"}, description)


def mapping(description: str | None = None) -> Schema:
    """An object with any fields."""
    return _with({"type": "object"}, description)


def texts(description: str | None = None) -> Schema:
    """A list of texts."""
    return _with({"type": "array", "items": {"type": "string"}}, description)


def objects(description: str | None = None) -> Schema:
    """A list of objects."""
    return _with({"type": "array", "items": {"type": "object"}}, description)


def fields(properties: Mapping[str, Schema], *required: str) -> Schema:
    """An object with these fields."""
    schema: Schema = {"type": "object", "properties": dict(properties)}
    return schema | ({"required": list(required)} if required else {})


def _with(schema: Schema, description: str | None) -> Schema:
    return schema if description is None else schema | {"description": description}
