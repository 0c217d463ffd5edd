"""Tells people and programs what a message type looks like, out of its schema and example."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from waypost.dialects.message import Dialect
from waypost.dialects.shape import Part


class FieldInfo(NamedTuple):
    """One field of a message type, nested ones with their whole path."""

    path: str
    required: bool
    kind: str
    description: str


def title_of(dialect: Dialect, type_name: str) -> tuple[str, str]:
    """The title of a type and the sentence that says what it is for."""
    schema = dialect.shapes.document(dialect.schema_id(type_name))
    return schema["title"], schema["description"]


def fields_of(dialect: Dialect, type_name: str) -> list[FieldInfo]:
    """List the fields of a type in the order of its schemas, the envelope's first."""
    document_id = dialect.schema_id(type_name)
    root = (dialect.shapes.document(document_id), document_id)
    return list(_fields(dialect, [root], ""))


def _fields(dialect: Dialect, roots: list[Part], prefix: str) -> Iterator[FieldInfo]:
    parts = dialect.shapes.unfold(roots)
    required = {name for schema, _ in parts for name in schema.get("required", ())}
    for name, subs in dialect.shapes.properties(parts).items():
        inner = dialect.shapes.unfold(subs)
        description = next((s["description"] for s, _ in reversed(inner) if "description" in s), "")
        kind = ", ".join([kind_of(inner), *_limits(inner)])
        yield FieldInfo(prefix + name, name in required, kind, description + _example(inner))
        yield from _fields(dialect, subs, f"{prefix}{name}.")
        items = [(schema["items"], base) for schema, base in inner if "items" in schema]
        yield from _fields(dialect, items, f"{prefix}{name}.N.")


def kind_of(parts: list[Part]) -> str:
    """Say in a few words which values a field takes."""
    kind = "anything"
    for schema, _ in parts:
        if "const" in schema:
            kind = json.dumps(schema["const"])
        elif "enum" in schema:
            kind = " | ".join(map(str, schema["enum"]))
        elif "type" in schema and " | " not in kind:
            listed = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
            kind = " or ".join(listed)
    return kind


_LIMITS = {
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "minimum": "from {}",
    "maximum": "to {}",
    "default": "default {}",
}


def _limits(parts: list[Part]) -> list[str]:
    found = {
        keyword: words.format(json.dumps(schema[keyword]).strip('"'))
        for schema, _ in parts
        for keyword, words in _LIMITS.items()
        if keyword in schema
    }
    return list(found.values())


def _example(parts: list[Part]) -> str:
    for schema, _ in reversed(parts):
        if examples := schema.get("examples"):
            return f" For example: `{json.dumps(examples[0], ensure_ascii=False)}`."
    return ""


def published_schema(dialect: Dialect, type_name: str) -> dict[str, Any]:
    """One self-contained JSON Schema of a type, with what it refers to and a worked example."""
    document_id = dialect.schema_id(type_name)
    schema = dict(dialect.shapes.document(document_id))
    envelope_id = dialect.schema_id("envelope")
    if type_name != "envelope":
        schema["$defs"] = {
            **schema.get("$defs", {}),
            envelope_id: dialect.shapes.document(envelope_id),
        }
        schema["examples"] = [dialect.read(dialect.example(type_name)).fields]
    return schema


_SHOWN = ("type", "description", "enum", "minimum", "maximum", "minItems", "maxItems")
_CONTENT = {"oacp": "body", "acp": "payload"}


def content_of(dialect: Dialect, type_name: str) -> tuple[dict[str, Any], Any]:
    """What a type's writer gives: a schema that refers to nothing, and an example of it.

    Fields of the envelope, which are filled in, are left out.
    """
    document_id = dialect.schema_id(type_name)
    parts = dialect.shapes.unfold([(dialect.shapes.document(document_id), document_id)])
    example = dialect.read(dialect.example(type_name)).fields or {}
    title = title_of(dialect, type_name)[1]
    if (field := _CONTENT.get(dialect.name)) is not None:
        inner = dialect.shapes.properties(parts).get(field, [])
        return {"description": title} | _plain(dialect, inner), example.get(field, {})
    common = dialect.shapes.document(dialect.schema_id("envelope"))["properties"]
    schema = _plain(dialect, parts, without=tuple(common))
    return schema | {"description": title}, {k: v for k, v in example.items() if k not in common}


def _plain(dialect: Dialect, roots: list[Part], without: tuple[str, ...] = ()) -> dict[str, Any]:
    """One schema for parts that all hold, with what helps a writer and nothing more."""
    parts = dialect.shapes.unfold(roots)
    plain = {word: schema[word] for schema, _ in parts for word in _SHOWN if word in schema}
    names = dialect.shapes.properties(parts)
    shown = {name: _plain(dialect, subs) for name, subs in names.items() if name not in without}
    required = dict.fromkeys(name for schema, _ in parts for name in schema.get("required", ()))
    if shown:
        plain["properties"] = shown
    if listed := [name for name in required if name in shown]:
        plain["required"] = listed
    if items := [(schema["items"], base) for schema, base in parts if "items" in schema]:
        plain["items"] = _plain(dialect, items)
    return plain
