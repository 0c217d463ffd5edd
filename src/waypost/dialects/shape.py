"""The checker: a JSON Schema file becomes a function that lists every problem of a value.

It knows the part of JSON Schema 2020-12 that our schema files use, and refuses to compile any
other keyword, so that a schema can't promise what nobody checks. Two annotations of our own ride
along: `x-code` names the problem that a failing pattern, format or const raises, and `x-hint`
says how to mend whatever is wrong there.

A check returns None for a good value and allocates nothing on that path: the same functions
serve the cold command line and the hot server.
"""

from collections.abc import Callable, Iterable
from typing import Any

from waypost.dialects import checks
from waypost.dialects.checks import PYTHON_TYPES, ByType, Check, Schema
from waypost.dialects.text import MAX_PROBLEMS
from waypost.errors import Problem

Part = tuple[Schema, str]  # a schema, and the id of the document that it stands in

_KNOWN_KEYWORDS = frozenset(
    [
        "$schema",
        "$id",
        "$ref",
        "$defs",
        "title",
        "description",
        "examples",
        "default",
        "type",
        "const",
        "enum",
        "allOf",
        "pattern",
        "format",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
        "x-code",
        "x-hint",
    ]
)


class Shapes:
    """A set of schema documents that may refer to each other, compiled as they are asked for."""

    def __init__(self, load: Callable[[str], Schema]) -> None:
        self._load = load
        self._documents: dict[str, Schema] = {}
        self._checks: dict[str, Check] = {}

    def document(self, document_id: str) -> Schema:
        """Give the schema document with this id."""
        if document_id not in self._documents:
            self._documents[document_id] = self._load(document_id)
        return self._documents[document_id]

    def check(self, document_id: str) -> Check:
        """Give the function that checks a value against this document."""
        if document_id not in self._checks:
            root = (self.document(document_id), document_id)
            self._checks[document_id] = self._compile([root]).check
        return self._checks[document_id]

    def parts(self, schema: Schema, document_id: str) -> list[Part]:
        """Unfold `$ref` and `allOf`: the schemas that all hold for a value, innermost first."""
        unfolded: list[Part] = []
        if (target := schema.get("$ref")) is not None:
            unfolded += self.parts(*self._resolve(target, document_id))
        for sub in schema.get("allOf", ()):
            unfolded += self.parts(sub, document_id)
        unfolded.append((schema, document_id))
        return unfolded

    def unfold(self, roots: Iterable[Part]) -> list[Part]:
        """Unfold several schemas that all hold for one value."""
        return [part for root in roots for part in self.parts(*root)]

    def properties(self, parts: Iterable[Part]) -> dict[str, list[Part]]:
        """Collect what the parts say of each field."""
        fields: dict[str, list[Part]] = {}
        for schema, document_id in parts:
            for name, sub in schema.get("properties", {}).items():
                fields.setdefault(name, []).append((sub, document_id))
        return fields

    def _resolve(self, target: str, document_id: str) -> Part:
        base, _, pointer = target.partition("#")
        base = base or document_id
        schema: Any = self.document(base)
        for step in filter(None, pointer.split("/")):
            schema = schema[step]
        return schema, base

    def _compile(self, roots: list[Part]) -> ByType:
        parts = self.unfold(roots)
        schemas = [schema for schema, _ in parts]
        for schema in schemas:
            if unknown := set(schema) - _KNOWN_KEYWORDS:
                raise ValueError(f"the checker does not know the schema keywords {sorted(unknown)}")
        types = _allowed_types(schemas)
        hint = _last(schemas, "x-hint")
        by_type = ByType()
        by_type.wrong = checks.wrong_type(types, hint)
        for name in types:
            for python_type in PYTHON_TYPES[name]:
                by_type.setdefault(python_type, checks.accept)
        self._add_checks(by_type, parts, schemas, hint)
        if "integer" in types and "number" not in types and float in by_type:
            by_type[float] = checks.whole(by_type[int])
        return by_type

    def _add_checks(
        self, by_type: ByType, parts: list[Part], schemas: list[Schema], hint: str | None
    ) -> None:
        if str in by_type and (steps := checks.text_steps(schemas, hint)):
            by_type[str] = checks.text_passing(steps)
        bounds = (_last(schemas, "minimum"), _last(schemas, "maximum"))
        for number in (int, float):
            if number in by_type and bounds != (None, None):
                by_type[number] = checks.number_within(*bounds, hint)
        if list in by_type:
            by_type[list] = self._list_check(parts, schemas, hint)
        if dict in by_type:
            by_type[dict] = self._mapping_check(parts, schemas, hint)
        if (allowed := _choices(schemas)) is not None:
            for python_type, check in by_type.items():
                by_type[python_type] = checks.one_of(allowed, hint, check)

    def _list_check(self, parts: list[Part], schemas: list[Schema], hint: str | None) -> Check:
        items = [(schema["items"], base) for schema, base in parts if "items" in schema]
        check_item = self._compile(items).check if items else checks.accept
        least, most = _last(schemas, "minItems") or 0, _last(schemas, "maxItems")
        unique = any(schema.get("uniqueItems") for schema in schemas)

        def check(value: list[Any]) -> list[Problem] | None:
            found: list[Problem] = []
            if len(value) < least:
                found.append(
                    Problem(
                        (),
                        "empty_list",
                        "must not be empty" if least == 1 else f"must have {least} entries",
                        hint,
                    )
                )
            if most is not None and len(value) > most:
                found.append(
                    Problem(
                        (),
                        "too_many",
                        f"has {len(value)} entries; at most {most} are allowed",
                        hint,
                    )
                )
            for index, item in enumerate(value):
                if inner := check_item(item):
                    found += checks.inside(index, inner)
                    if len(found) > MAX_PROBLEMS:
                        break
            if unique and len(value) > 1:
                found += checks.repeats(value, hint)
            return found or None

        return check

    def _mapping_check(self, parts: list[Part], schemas: list[Schema], hint: str | None) -> Check:
        fields = {name: self._compile(subs) for name, subs in self.properties(parts).items()}
        hints = {name: self._field_hint(subs) for name, subs in self.properties(parts).items()}
        required = tuple(
            dict.fromkeys(name for schema in schemas for name in schema.get("required", ()))
        )
        others = [
            (schema["additionalProperties"], base)
            for schema, base in parts
            if "additionalProperties" in schema
        ]
        checks_of_other = self._compile(others) if others else None
        least = _last(schemas, "minProperties") or 0
        field_of = fields.get

        def check(value: dict[str, Any]) -> list[Problem] | None:
            found: list[Problem] = []
            if len(value) < least:
                found.append(Problem((), "empty_mapping", "must not be empty", hint))
            for name in required:
                if name not in value:
                    found.append(Problem((name,), "missing_field", "is missing", hints.get(name)))
            for name, item in value.items():
                by_type = field_of(name, checks_of_other)
                if by_type is not None and (inner := by_type[type(item)](item)):
                    found += checks.inside(name, inner)
                    if len(found) > MAX_PROBLEMS:
                        break
            return found or None

        return check

    def _field_hint(self, subs: list[Part]) -> str | None:
        schemas = [schema for schema, _ in self.unfold(subs)]
        hint: str | None = _last(schemas, "x-hint")
        description, examples = _last(schemas, "description"), _last(schemas, "examples")
        if description is None:
            return hint
        first = description.partition(". ")[0].rstrip(".")
        hint = first[0].lower() + first[1:]
        return hint + (f", for example {_sample(examples[0])}" if examples else "")


def _sample(value: object) -> str:
    return (
        ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value).lower()
        if value in (True, False)
        else str(value)
    )


def _last(schemas: list[Schema], keyword: str) -> Any:
    for schema in reversed(schemas):
        if keyword in schema:
            return schema[keyword]
    return None


def _allowed_types(schemas: list[Schema]) -> list[str]:
    allowed = list(PYTHON_TYPES)
    for schema in schemas:
        if (types := schema.get("type")) is not None:
            listed = [types] if isinstance(types, str) else types
            allowed = [
                name
                for name in allowed
                if name in listed or (name == "integer" and "number" in listed)
            ]
    return allowed


def _choices(schemas: list[Schema]) -> list[Any] | None:
    allowed: list[Any] | None = None
    for schema in schemas:
        listed = [schema["const"]] if "const" in schema else schema.get("enum")
        if listed is not None:
            allowed = [value for value in listed if allowed is None or value in allowed]
    return allowed
