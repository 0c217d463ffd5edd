"""The checker against an independent one: both must agree on what is valid.

jsonschema-rs follows the standard, our checker is a small part of it; the schema files are judged
by both, with good values, spoilt ones and any JSON at all.
"""

import copy
from functools import cache
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import waypost
from schema_files import DIALECTS, EXAMPLES, TYPES, documents, schema_id, subschemas
from strategies import any_json, shaped
from waypost.dialects import dialect as dialect_named
from waypost.dialects.shape import Shapes

IDS = sorted(documents())
Place = tuple[Any, ...]
AGREED_WORDS = (
    "$schema $id $ref $defs title description examples default type const enum allOf pattern "
    "format minLength maxLength minimum maximum minItems maxItems uniqueItems minProperties "
    "required properties items additionalProperties x-code x-hint"
)


@cache
def registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(name, dict(one)) for name, one in documents().items()])


@cache
def standard(document_id: str) -> jsonschema_rs.Draft202012Validator:
    schema = dict(documents()[document_id])
    return jsonschema_rs.Draft202012Validator(schema, registry=registry(), validate_formats=True)


def ours(document_id: str, value: Any) -> bool:
    shapes = dialect_named(document_id.split(":")[2]).shapes
    return not shapes.check(document_id)(value)


def places(value: Any, at: Place = ()) -> list[Place]:
    """Every place inside a value, the value itself first."""
    entries: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        entries = enumerate(value)
    return [at, *(place for key, item in entries for place in places(item, (*at, key)))]


def spoilt(value: Any, at: Place, with_what: Any, remove: bool) -> Any:
    """Replace or remove what stands at a place."""
    if not at:
        return with_what
    root = copy.deepcopy(value)
    holder = root
    for step in at[:-1]:
        holder = holder[step]
    if remove:
        del holder[at[-1]]
    else:
        holder[at[-1]] = with_what
    return root


_SPOILT_TEXTS = ["", " ", "\n", "a\nb", "P4", "x" * 201, "..", "a/b", "1.0", "2.0.0\n"]
_SPOILT_TIMES = ["2026-02-30T00:00:00Z", "2026-03-13T14:30:00+01:00", "2026-03-13 14:30:00Z"]
_SPOILT_VALUES: list[Any] = [0, -1, 101, 0.5, 1.0, -0.0, True, None, [], {}, [[]]]
SPOILERS = any_json | st.sampled_from([*_SPOILT_TEXTS, *_SPOILT_TIMES, *_SPOILT_VALUES])


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
@given(data=st.data())
def test_both_take_what_is_made_from_the_schema(
    dialect: str, type_name: str, data: st.DataObject
) -> None:
    value = data.draw(shaped(dialect, type_name))
    assert standard(schema_id(dialect, type_name)).is_valid(value)
    assert ours(schema_id(dialect, type_name), value)


@pytest.mark.parametrize(("dialect", "type_name"), TYPES)
@given(data=st.data())
def test_both_agree_on_spoilt_messages(dialect: str, type_name: str, data: st.DataObject) -> None:
    good = data.draw(shaped(dialect, type_name))
    at = data.draw(st.sampled_from(places(good)))
    bad = spoilt(good, at, data.draw(SPOILERS), data.draw(st.booleans()))
    document_id = schema_id(dialect, type_name)
    assert ours(document_id, bad) == standard(document_id).is_valid(bad)


@pytest.mark.parametrize("document_id", IDS)
@given(value=any_json)
def test_both_agree_on_any_json(document_id: str, value: Any) -> None:
    assert ours(document_id, value) == standard(document_id).is_valid(value)


@pytest.mark.parametrize("document_id", IDS)
def test_a_schema_is_what_the_standard_calls_one(document_id: str) -> None:
    schema = dict(documents()[document_id])
    jsonschema_rs.meta.validate(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"].strip()
    assert schema["description"].strip()


@pytest.mark.parametrize("document_id", IDS)
def test_a_schema_speaks_only_the_agreed_words(document_id: str) -> None:
    used = {word for schema in subschemas(documents()[document_id]) for word in schema}
    assert used - set(AGREED_WORDS.split()) == set()


@pytest.mark.parametrize("document_id", IDS)
def test_every_field_is_described(document_id: str) -> None:
    silent = [
        name
        for schema in subschemas(documents()[document_id])
        for name, field in schema.get("properties", {}).items()
        if "const" not in field and not field.get("description", "").strip()
    ]
    assert silent == []


@pytest.mark.parametrize("document_id", IDS)
def test_the_examples_of_a_field_are_good_values(document_id: str) -> None:
    for schema in subschemas(documents()[document_id]):
        if "examples" in schema:
            field = {"$schema": documents()[document_id]["$schema"], **schema}
            absolute = _with_absolute_references(field, document_id)
            judge = jsonschema_rs.Draft202012Validator(absolute, registry=registry())
            assert [one for one in schema["examples"] if not judge.is_valid(one)] == []


def _with_absolute_references(value: Any, document_id: str) -> Any:
    if isinstance(value, list):
        return [_with_absolute_references(item, document_id) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _with_absolute_references(item, document_id) for key, item in value.items()}
    if str(made.get("$ref", "")).startswith("#"):
        made["$ref"] = document_id + made["$ref"]
    made.pop("$id", None)
    return made


def test_a_schema_with_an_unknown_keyword_is_not_compiled() -> None:
    shapes = Shapes(lambda _: {"type": "object", "properties": {"a": {"multipleOf": 3}}})
    with pytest.raises(ValueError, match="multipleOf"):
        shapes.check("urn:any")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_worked_example_is_without_fault(path: Any) -> None:
    message = waypost.parse(path.read_bytes())
    named = path.stem.split("-")[-1]
    dialect = path.relative_to(DIALECTS).parts[0]
    assert (message.dialect, message.type, message.problems) == (dialect, named, ())


def test_every_type_has_a_schema_and_an_example() -> None:
    for name in ("oacp", "acp", "agentmail"):
        speaker = dialect_named(name)
        assert set(speaker.types) == {type_name for of, type_name in TYPES if of == name}
        assert all(speaker.example(type_name).strip() for type_name in speaker.types)
