"""The normal form of OACP messages, which reading gives and which schemas and rules see.

Every scalar is text, except where a body field asks for a number or a boolean; a null or an empty
optional field is absent; the text body of a type with a body schema has become a mapping, if it is
one.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from waypost.dialects import yaml_text
from waypost.dialects.message import Fields
from waypost.dialects.shape import Part, Shapes
from waypost.dialects.tree import MAX_DIGITS, too_many_digits
from waypost.errors import At, Problem

if TYPE_CHECKING:
    from waypost.dialects.yaml_events import Reading

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")


class UnsureError(Exception):
    """A text body can't be read fast, which says nothing yet of what it is."""


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
        for schema, _ in shapes.unfold(subs):
            for kind in ("integer", "boolean"):
                if kind in (schema.get("type") or ()):
                    kinds[name] = kind
    known: dict[At, frozenset[str]] = {}
    _collect_known(shapes, [(body, document_id)], ("body",), known)
    return BodyShape(kinds, frozenset(body["required"]), known)


def _collect_known(
    shapes: Shapes, roots: list[Part], at: At, known: dict[At, frozenset[str]]
) -> None:
    fields = shapes.properties(shapes.unfold(roots))
    if fields:
        known[at] = frozenset(fields)
    for name, subs in fields.items():
        _collect_known(shapes, subs, (*at, name), known)


class Normal(NamedTuple):
    """A message in normal form, what is wrong inside its text body, and how that was read."""

    fields: Fields
    flaws: list[Problem]
    body: "Reading | None" = None


def normal_form(
    tree: Fields, required: list[str], shape: BodyShape | None, *, exact: bool = True
) -> Normal:
    """Bring a tree of texts into normal form.

    Raises UnsureError when not asked to be exact and only exact reading can tell of the body.
    """
    fields: Fields = {}
    for key, value in tree.items():
        if value is None:
            continue
        kept = value if type(value) is str else without_nulls(value)
        if kept or key in required or not _is_empty(kept):
            fields[key] = kept
    body = fields.get("body")
    flaws: list[Problem] = []
    reading = None
    if shape is not None and isinstance(body, str):
        if not exact:
            body = without_nulls(_harmless_body(body))
        elif reading := body_reading(body):
            body = without_nulls(reading.tree)
            flaws = [flaw._replace(at=("body", *flaw.at)) for flaw in reading.problems]
    if isinstance(body, dict):
        fields["body"] = _typed(body, shape, flaws)
    return Normal(fields, flaws, reading)


def _harmless_body(text: str) -> dict[str, Any]:
    mapping = yaml_text.read_fast(text)
    if mapping is None:
        raise UnsureError
    return mapping


def body_reading(text: str) -> "Reading | None":
    """Read a text body as YAML: the reading of a mapping, or None for prose."""
    from waypost.dialects import yaml_events

    reading = yaml_events.read_exact(text)
    several = any(problem.code == "many_documents" for problem in reading.problems)
    return None if several or not isinstance(reading.tree, dict) else reading


def _typed(body: dict[str, Any], shape: BodyShape | None, flaws: list[Problem]) -> dict[str, Any]:
    """Turn text into the number or boolean that a field asks for; drop empty optional fields."""
    if shape is None:
        return body
    typed = {}
    for key, value in body.items():
        if value == "" and key in shape.known[("body",)] and key not in shape.required:
            continue
        kind = shape.kinds.get(key)
        if kind is None or not isinstance(value, str):
            typed[key] = value
            continue
        typed[key] = _value_of(value, kind)
        if kind == "integer" and _is_endless(value):
            flaws.append(too_many_digits(("body", key)))
    return typed


def _is_endless(text: str) -> bool:
    return len(text) >= MAX_DIGITS and _INTEGER.fullmatch(text) is not None


def _value_of(text: str, kind: str) -> str | int | bool:
    if kind == "integer" and _INTEGER.fullmatch(text) and len(text) < MAX_DIGITS:
        return int(text)
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text


def _is_empty(value: Any) -> bool:
    return isinstance(value, (str, list, dict)) and not value


def without_nulls(value: Any) -> Any:
    """Leave out what is null; in a list, where the others must keep their places, it is blank."""
    if isinstance(value, dict):
        return {
            key: item if type(item) is str else without_nulls(item)
            for key, item in value.items()
            if item is not None
        }
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
