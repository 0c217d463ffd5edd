"""`waypost schema`: every type for people, and as a JSON Schema that stands alone."""

import json
from typing import Any

import jsonschema_rs
import pytest

import waypost
from commands.terminal import quick, say
from schema_files import DIALECTS, TYPES, example, subschemas

each_type = pytest.mark.parametrize(("dialect", "name"), TYPES)


def printed(dialect: str, name: str) -> dict[str, Any]:
    """The one document that is printed for a type."""
    said = quick("waypost", "schema", f"{dialect}/{name}", "--json")
    assert (said.code, said.err) == (0, "")
    (document,) = said.objects
    return dict(document)


@each_type
def test_what_is_printed_is_json_schema(dialect: str, name: str) -> None:
    document = printed(dialect, name)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema_rs.meta.validate(document)


@each_type
def test_the_printed_document_alone_accepts_the_worked_example(dialect: str, name: str) -> None:
    document = printed(dialect, name)
    validator = jsonschema_rs.Draft202012Validator(document)
    fields = waypost.parse(example(dialect, name)).fields
    assert document["examples"] == [fields]
    assert [error.message for error in validator.iter_errors(fields)] == []


@each_type
def test_the_printed_document_alone_refuses_what_lacks_a_field(dialect: str, name: str) -> None:
    validator = jsonschema_rs.Draft202012Validator(printed(dialect, name))
    fields = waypost.parse(example(dialect, name)).fields or {}
    sender = "sender_id" if dialect == "agentmail" else "from"
    without = {key: value for key, value in fields.items() if key != sender}
    assert not validator.is_valid(without)
    assert not validator.is_valid({})


@each_type
def test_every_reference_stays_inside_the_document(dialect: str, name: str) -> None:
    document = printed(dialect, name)
    own = {document["$id"], *(sub.get("$id") for sub in document["$defs"].values())}
    for part in subschemas(document):
        target = part.get("$ref", "#").partition("#")[0]
        assert not target or target in own


@each_type
def test_people_see_every_required_field(dialect: str, name: str) -> None:
    said = quick("waypost", "schema", f"{dialect}/{name}")
    shown = {line.split()[0]: line for line in said.out.split("\n") if line.strip()}
    schema = json.loads((DIALECTS / dialect / "schemas" / f"{name}.json").read_text())
    for field in schema.get("required", []):
        assert " required " in shown[field]
    assert said.err.strip() == f"a whole message: waypost examples {dialect}/{name}"


@each_type
def test_the_list_names_every_type(dialect: str, name: str) -> None:
    for words in ([], [dialect]):
        lines = quick("waypost", "schema", *words).out.split("\n")
        assert sum(line.startswith(f"{dialect}/{name} ") for line in lines) == 1


@pytest.mark.parametrize("dialect", ["oacp", "acp", "agentmail"])
def test_a_dialect_shows_its_own_types_only(dialect: str) -> None:
    expected = [f"{dialect}/{name}" for of, name in TYPES if of == dialect]
    said = quick("waypost", "schema", dialect)
    assert sorted(line.split()[0] for line in said.out.splitlines()) == expected
    (documents,) = quick("waypost", "schema", dialect, "--json").objects
    assert sorted(documents) == expected


def test_all_schemas_at_once_are_one_object() -> None:
    (documents,) = say("waypost", "schema", "--json").objects
    assert sorted(documents) == sorted("/".join(pair) for pair in TYPES)
    for name, document in documents.items():
        assert document == printed(*name.split("/"))


@each_type
def test_a_type_needs_no_dialect_when_only_one_has_it(dialect: str, name: str) -> None:
    whole = quick("waypost", "schema", f"{dialect}/{name}")
    assert quick("waypost", "schema", name) == whole


@pytest.mark.parametrize(
    "word", ["oacp/", "/", "", "oacp/query", "envelope", "oacp/envelope", "x/y"]
)
def test_what_is_no_type_is_not_found(word: str) -> None:
    said = quick("waypost", "schema", word)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("error: no message type is called ")
    assert "\nhint:  " in said.err
