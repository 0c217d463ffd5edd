"""OACP messages between bytes and fields.

The normal form that reading gives, and that schemas and rules see: every scalar is text, except
where a body field asks for a number or a boolean; a null or an empty optional field is absent; the
text body of a type with a body schema has become a mapping, if it is one.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from waypost.dialects import yaml_text
from waypost.dialects.message import Blanks, Dialect, Fields, Message
from waypost.dialects.oacp import emitter, ids
from waypost.dialects.oacp.rules import RULES, file_name_problems, text_body_problem, unknown_fields
from waypost.dialects.oacp.types import TYPES
from waypost.dialects.text import Positions, decode, finish
from waypost.errors import Problem

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_ENVELOPE = "envelope"


class BodyShape(NamedTuple):
    """What the schema of a type says of its body."""

    kinds: dict[str, str]  # the fields that hold a number or a boolean
    required: frozenset[str]
    known: frozenset[str]


class _UnsureError(Exception):
    """The fast reader gave a number where the text as written is needed."""


class Oacp(Dialect):
    name = "oacp"
    types = TYPES
    example_ending = "yaml"
    rules = RULES

    def __init__(self) -> None:
        super().__init__()
        self._bodies: dict[str, BodyShape | None] = {}

    def body_shape(self, type_name: object) -> BodyShape | None:
        """The body schema of a type, or None where the body is free."""
        if not isinstance(type_name, str) or type_name not in self.types:
            return None
        if type_name not in self._bodies:
            self._bodies[type_name] = self._read_body_shape(type_name)
        return self._bodies[type_name]

    def _read_body_shape(self, type_name: str) -> BodyShape | None:
        body = self.shapes.document(self.schema_id(type_name))["properties"]["body"]
        if "properties" not in body:
            return None
        kinds = {}
        for name, subs in self.shapes.properties([(body, self.schema_id(type_name))]).items():
            for schema, _ in [part for sub in subs for part in self.shapes.parts(*sub)]:
                for kind in ("integer", "boolean"):
                    if kind in (schema.get("type") or ()):
                        kinds[name] = kind
        return BodyShape(kinds, frozenset(body["required"]), frozenset(body["properties"]))

    # -- reading ---------------------------------------------------------------------------

    def read(self, data: bytes, file_name: str | None = None) -> Message:
        text = decode(data)
        if isinstance(text, Problem):
            return Message(self.name, None, None, finish([text], None), data)
        tree = yaml_text.read_fast(text, numbers_at=2)
        if tree is not None:
            try:
                fields, body_problems = self._normal(tree)
            except _UnsureError:
                tree = None
        if tree is None:
            return self._read_exactly(text, data, file_name)
        found = self.findings(fields)
        if found or body_problems or (file_name and any(file_name_problems(file_name, fields))):
            return self._read_exactly(text, data, file_name)
        return Message(self.name, fields["type"], fields, (), data)

    def _read_exactly(self, text: str, data: bytes, file_name: str | None) -> Message:
        from waypost.dialects import yaml_events

        reading = yaml_events.read_exact(text)
        found = list(reading.problems)
        if not isinstance(reading.tree, dict):
            if not found:
                found.append(
                    Problem((), "not_a_mapping", "must be a mapping of fields")
                    if reading.tree is not None
                    else Problem((), "empty", "holds no message")
                )
            return Message(self.name, None, None, finish(found, reading.positions), data)
        fields, body_problems = self._normal(reading.tree, exact=True)
        positions: Positions = reading.positions
        if isinstance(reading.tree.get("body"), str) and isinstance(fields.get("body"), dict):
            inner = yaml_events.read_exact(reading.tree["body"])
            positions = reading.positions.inside("body", inner.positions)
        found += body_problems + self.findings(fields)
        if file_name:
            found += file_name_problems(file_name, fields)
        type_name = fields.get("type")
        return Message(
            self.name,
            type_name if isinstance(type_name, str) else None,
            fields,
            finish(found, positions),
            data,
        )

    # -- the normal form -------------------------------------------------------------------

    def normal(self, fields: Mapping[str, Any]) -> Fields:
        return self._normal(_as_text(fields), exact=True)[0]

    def _normal(self, tree: Fields, exact: bool = False) -> tuple[Fields, list[Problem]]:
        required = self.shapes.document(self.schema_id(_ENVELOPE))["required"]
        fields = {
            key: _without_nulls(value)
            for key, value in tree.items()
            if value is not None and (key in required or not _is_blank(value))
        }
        shape = self.body_shape(fields.get("type"))
        body = fields.get("body")
        problems: list[Problem] = []
        if shape is not None and isinstance(body, str):
            inner, problems = _body_mapping(body)
            body = body if inner is None else _without_nulls(inner)
        if isinstance(body, dict):
            fields["body"] = _typed(body, shape, exact)
        elif not isinstance(body, (str, list)) and body is not None:
            raise _UnsureError
        return fields, problems

    def findings(self, fields: Fields, *, sending: bool = False) -> list[Problem]:
        found = super().findings(fields, sending=sending)
        found += unknown_fields(fields, self._known_fields(fields))
        if self.body_shape(fields.get("type")) and isinstance(fields.get("body"), str):
            found = [
                problem
                for problem in found
                if problem.at != ("body",) or problem.code == "blank_field"
            ]
            found += text_body_problem(fields["body"], sending)
        return found

    def _known_fields(self, fields: Fields) -> dict[str, frozenset[str]]:
        known = {"": frozenset(self.shapes.document(self.schema_id(_ENVELOPE))["properties"])}
        if shape := self.body_shape(fields.get("type")):
            known["body"] = shape.known
        return known

    # -- writing ---------------------------------------------------------------------------

    def fill(self, fields: Fields, blanks: Blanks, answering: Fields | None) -> Fields:
        sender = fields.get("from")
        filled: Fields = {
            "id": ids.message_id(
                blanks.now, sender if isinstance(sender, str) else "", blanks.rand
            ),
            "created_at_utc": blanks.now,
            **{key: value for key, value in fields.items() if value is not None},
        }
        if answering is not None:
            filled.setdefault("parent_message_id", answering.get("id"))
            filled.setdefault("conversation_id", answering.get("conversation_id"))
        filled.setdefault("priority", _default_priority(filled, answering))
        return filled

    def write(self, fields: Fields) -> bytes:
        order = self.shapes.document(self.schema_id(_ENVELOPE))["properties"]
        return emitter.write_message(fields, tuple(order)).encode()

    def as_written(self, fields: Fields) -> Fields:
        """A mapping body is written as text; where the body is free it stays text."""
        body = fields["body"]
        if isinstance(body, dict) and self.body_shape(fields["type"]) is None:
            return {**fields, "body": emitter.write_mapping(body)}
        return fields


def _default_priority(fields: Fields, answering: Fields | None) -> str:
    body = fields.get("body")
    if fields.get("type") == "follow_up":
        mapping = (
            body
            if isinstance(body, dict)
            else _body_mapping(body)[0]
            if isinstance(body, str)
            else None
        )
        if mapping and mapping.get("risk_tier") in ("P2", "P3"):
            return str(mapping["risk_tier"])
    kind = TYPES.get(fields.get("type", ""))
    if kind is not None and kind.is_answer and answering is not None:
        return str(answering.get("priority") or "P2")
    return "P2"


def _body_mapping(text: str) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Read a text body as YAML: a mapping and its problems, or None for prose."""
    if (tree := yaml_text.read_fast(text, numbers_at=1)) is not None:
        return tree, []
    from waypost.dialects import yaml_events

    reading = yaml_events.read_exact(text)
    if not isinstance(reading.tree, dict):
        return None, []
    return reading.tree, [
        problem._replace(at=("body", *problem.at), line=None, column=None)
        for problem in reading.problems
    ]


def _typed(body: dict[str, Any], shape: BodyShape | None, exact: bool) -> dict[str, Any]:
    """Turn text into the number or boolean that a field asks for; drop empty optional fields."""
    kinds = shape.kinds if shape else {}
    typed = {}
    for key, value in body.items():
        kind = kinds.get(key)
        if isinstance(value, str):
            if kind == "integer" and _INTEGER.fullmatch(value):
                value = int(value) if len(value) < 19 else value
            elif kind == "boolean" and value.lower() in ("true", "false"):
                value = value.lower() == "true"
            elif shape and not value.strip() and key in shape.known and key not in shape.required:
                continue
        elif isinstance(value, (bool, int)) and type(value).__name__[:3] != (kind or "")[:3]:
            if not exact:
                raise _UnsureError
            value = _scalar_text(value)
        typed[key] = value
    return typed


def _is_blank(value: Any) -> bool:
    return (
        not value.strip()
        if isinstance(value, str)
        else isinstance(value, (list, dict)) and not value
    )


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return ["" if item is None else _without_nulls(item) for item in value]
    return value


def _as_text(value: Any) -> Any:
    """Python values as YAML text would give them: numbers and booleans are text."""
    if isinstance(value, Mapping):
        return {str(key): _as_text(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(item) for item in value]
    if isinstance(value, (bool, int, float)):
        return _scalar_text(value)
    return str(value) if isinstance(value, str) else value


def _scalar_text(value: bool | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
