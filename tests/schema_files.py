"""The package's schema and example files, as the tests see them.

Read from disk and unfolded here once more, so that the tests don't lean on the code under test.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import waypost

Schema = Mapping[str, Any]
Part = tuple[Schema, str]  # a schema, and the id of the document that it stands in

DIALECTS = Path(waypost.__file__).parent / "dialects"
TYPES = tuple(
    (path.parts[-3], path.stem)
    for path in sorted(DIALECTS.glob("*/schemas/*.json"))
    if path.stem != "envelope"
)
EXAMPLES = tuple(sorted(path for path in DIALECTS.glob("*/examples/**/*.*") if path.is_file()))


def schema_id(dialect: str, name: str) -> str:
    return f"urn:waypost:{dialect}:{name}"


@cache
def documents() -> dict[str, Schema]:
    """Every schema document by its id."""
    found = [json.loads(path.read_text()) for path in sorted(DIALECTS.glob("*/schemas/*.json"))]
    return {document["$id"]: document for document in found}


def unfold(schema: Schema, base: str) -> list[Part]:
    """List the schemas that hold for a value together: this one, its $ref and its allOf."""
    parts = [(schema, base)]
    if "$ref" in schema:
        parts += unfold(*_target(schema["$ref"], base))
    for sub in schema.get("allOf", ()):
        parts += unfold(sub, base)
    return parts


def _target(reference: str, base: str) -> Part:
    document_id, _, pointer = reference.partition("#")
    document_id = document_id or base
    target: Any = documents()[document_id]
    for step in pointer.split("/")[1:]:
        target = target[step]
    return target, document_id


def subschemas(schema: Schema) -> Iterator[Schema]:
    """Every schema inside a schema, itself first."""
    yield schema
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield from subschemas(schema[keyword])
    for sub in schema.get("allOf", ()):
        yield from subschemas(sub)
    for keyword in ("properties", "$defs"):
        for sub in schema.get(keyword, {}).values():
            yield from subschemas(sub)


def example(dialect: str, type_name: str) -> bytes:
    """The worked example of a type."""
    ending = "yaml" if dialect == "oacp" else "json"
    return (DIALECTS / dialect / "examples" / f"{type_name}.{ending}").read_bytes()
