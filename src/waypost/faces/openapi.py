"""The office over HTTP as an OpenAPI document, made from the use-cases themselves."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from waypost import __version__
from waypost.office.calls import CALLS, parameters

_ERROR = {
    "type": "object",
    "required": ["error", "details"],
    "properties": {
        "error": {"type": "string", "description": "The code; it is stable."},
        "details": {"type": "string"},
        "hint": {"type": "string"},
        "retryable": {"type": "boolean"},
        "problems": {"type": "array", "items": {"type": "object"}},
    },
}
_PLAIN = {str: "string", int: "integer", bool: "boolean", bytes: "string"}
_STATUSES = {
    "400": "The arguments aren't right.", "401": "There is no good token.",
    "403": "That isn't allowed.", "404": "It isn't there.", "409": "Something stands in the way.",
    "413": "It is too much.", "422": "The message isn't valid.", "503": "Try again in a moment.",
}  # fmt: skip


def document(calls: Iterable[str], looks: Iterable[str]) -> Mapping[str, Any]:
    """All use-cases that a token can call, and those that can be looked at."""
    return _document(tuple(calls), tuple(looks))


@cache
def _document(calls: Sequence[str], looks: Sequence[str]) -> Mapping[str, Any]:
    paths: dict[str, Any] = {f"/api/call/{name}": {"post": _call(name)} for name in calls}
    paths |= {f"/api/{name}": {"get": _look(name)} for name in looks}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Waypost", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _call(name: str) -> dict[str, Any]:
    known = parameters(name)
    schema = {
        "type": "object",
        "properties": {key: _schema(one.type) for key, one in known.items()},
        "required": [key for key, one in known.items() if one.is_required],
        "additionalProperties": False,
    }
    body = {
        "required": bool(schema["required"]),
        "content": {"application/json": {"schema": schema}},
    }
    return {"operationId": f"call_{name}", "summary": _summary(name), "requestBody": body,
            "responses": _responses()}  # fmt: skip


def _look(name: str) -> dict[str, Any]:
    known = parameters(name).items()
    queries = [
        {"name": key, "in": "query", "required": one.is_required, "schema": _schema(one.type)}
        for key, one in known
        if (name, key) != ("read", "peek")
    ]
    return {"operationId": name, "summary": _summary(name), "parameters": queries,
            "responses": _responses()}  # fmt: skip


def _summary(name: str) -> str:
    return (CALLS[name].function.__doc__ or "").partition("\n")[0]


def _responses() -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    good = {"application/json": {"schema": {"type": "object"}}}
    failures = {code: {"description": said, "content": error} for code, said in _STATUSES.items()}
    return {"200": {"description": "What came of it.", "content": good}, **failures}


def _schema(kind: Any) -> dict[str, Any]:
    origin = get_origin(kind)
    if origin in (UnionType, Union):
        kinds = [_schema(one) for one in get_args(kind) if one is not type(None)]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if origin is Sequence:
        return {"type": "array", "items": _schema(get_args(kind)[0])}
    if origin is Mapping:
        return {"type": "object"}
    return {"type": _PLAIN[kind]}
