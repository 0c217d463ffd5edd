"""The normal form of OACP messages, which reading gives and which schemas and rules see.

Every scalar is text, except where a body field asks for a number or a boolean; a null or an empty
optional field is absent; the text body of a type with a body schema has become a mapping, if it is
one.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from waypost.dialects import yaml_text
from waypost.dialects.message import Fields
from waypost.dialects.shape import Part, Shapes
from waypost.dialects.tree import MAX_DIGITS, too_many_digits
from waypost.errors import At, Problem

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")


class UnsureError(Exception):
    """The fast reader gave a number where the text as written is needed."""


class BodyShape(NamedTuple):
    """What the schema of a type says of its body."""

    kinds: dict[str, str]  # the fields that hold a number or a boolean
    required: frozenset[str]
    known: dict[At, frozenset[str]]  # by the place of each mapping: its fields


def body_shape(shapes: Shapes, document_id: str) -> BodyShape | None:
    """Read the body schema of a type, or None where the body is free."""
    body = shapes.document(document_id)["properties"]["body"]
    if "properties" not in body:
        return None
    kinds = {}
    for name, subs in shapes.properties([(body, document_id)]).items():
        for schema, _ in [part for sub in subs for part in shapes.parts(*sub)]:
            for kind in ("integer", "boolean"):
                if kind in (schema.get("type") or ()):
                    kinds[name] = kind
    known: dict[At, frozenset[str]] = {}
    _collect_known(shapes, [(body, document_id)], ("body",), known)
    return BodyShape(kinds, frozenset(body["required"]), known)


def _collect_known(
    shapes: Shapes, roots: list[Part], at: At, known: dict[At, frozenset[str]]
) -> None:
    fields = shapes.properties([part for root in roots for part in shapes.parts(*root)])
    if fields:
        known[at] = frozenset(fields)
    for name, subs in fields.items():
        _collect_known(shapes, subs, (*at, name), known)


def normal_form(
    tree: Fields, required: list[str], shape: BodyShape | None, *, exact: bool
) -> tuple[Fields, list[Problem]]:
    """Bring a tree into normal form; tells what is wrong with a text body as YAML.

    Raises UnsureError when the tree came from the fast reader and hides the text as written.
    """
    fields = {
        key: without_nulls(value)
        for key, value in tree.items()
        if value is not None and (key in required or not _is_empty(value))
    }
    body = fields.get("body")
    problems: list[Problem] = []
    if shape is not None and isinstance(body, str):
        inner, problems = body_mapping(body, exact=exact)
        body = body if inner is None else without_nulls(inner)
    if isinstance(body, dict):
        fields["body"] = _typed(body, shape, exact, problems)
    elif isinstance(body, (bool, int)) and not exact:
        raise UnsureError
    return fields, problems


def body_mapping(text: str, *, exact: bool) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Read a text body as YAML: a mapping and its problems, or None for prose.

    The problems' lines and columns are those of the body's own text.
    """
    if not exact and (tree := yaml_text.read_fast(text, numbers_at=1)) is not None:
        return tree, []
    from waypost.dialects import yaml_events

    reading = yaml_events.read_exact(text)
    several = any(problem.code == "many_documents" for problem in reading.problems)
    if several or not isinstance(reading.tree, dict):
        return None, []
    return reading.tree, [
        problem._replace(at=("body", *problem.at)) for problem in reading.problems
    ]


def _typed(
    body: dict[str, Any], shape: BodyShape | None, exact: bool, problems: list[Problem]
) -> dict[str, Any]:
    """Turn text into the number or boolean that a field asks for; drop empty optional fields."""
    typed = {}
    for key, value in body.items():
        kind = shape.kinds.get(key) if shape else None
        if shape and value == "" and key in shape.known[("body",)] and key not in shape.required:
            continue
        if isinstance(value, str):
            typed[key] = _value_of(value, kind)
            if kind == "integer" and _INTEGER.fullmatch(value) and len(value) >= MAX_DIGITS:
                problems.append(too_many_digits(("body", key)))
        elif isinstance(value, (bool, int)) and kind != _kind_of(value):
            if not exact:
                raise UnsureError
            typed[key] = scalar_text(value)
        else:
            typed[key] = value
    return typed


def _value_of(text: str, kind: str | None) -> str | int | bool:
    if kind == "integer" and _INTEGER.fullmatch(text) and len(text) < MAX_DIGITS:
        return int(text)
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text


def _kind_of(value: bool | int) -> str:
    return "boolean" if isinstance(value, bool) else "integer"


def _is_empty(value: Any) -> bool:
    return isinstance(value, (str, list, dict)) and not value


def without_nulls(value: Any) -> Any:
    """Leave out what is null; in a list, where the others must keep their places, it is blank."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return ["" if item is None else without_nulls(item) for item in value]
    return value


def as_text(value: Any) -> Any:
    """Python values as YAML text would give them: numbers and booleans are text."""
    if isinstance(value, Mapping):
        return {key: as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_text(item) for item in value]
    return scalar_text(value) if isinstance(value, (bool, int, float)) else value


def scalar_text(value: bool | int | float) -> str:
    """The text of a number or boolean."""
    return str(value).lower() if isinstance(value, bool) else str(value)
