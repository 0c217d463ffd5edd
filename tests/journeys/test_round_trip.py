"""From the shown example over the checker to the schema and back: the three tell one story."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

import waypost
from commands.terminal import quick, shell
from schema_files import TYPES


@pytest.mark.parametrize(("dialect", "name"), TYPES)
def test_example_checker_and_schema_agree(dialect: str, name: str) -> None:
    topic = f"{dialect}/{name}"
    shown = quick("waypost", "examples", topic).out
    (verdict,) = quick("waypost", "validate", "--json", "-", given=shown.encode()).objects
    assert verdict["valid"]
    assert f"{verdict['dialect']}/{verdict['type']}" == topic
    (schema,) = quick("waypost", "schema", topic, "--json").objects
    message = waypost.parse(shown)
    jsonschema_rs.validate(schema, message.fields)
    assert schema["examples"] == [message.fields]


@pytest.mark.parametrize(("dialect", "name"), TYPES)
def test_an_example_taken_apart_and_composed_again_is_the_same(dialect: str, name: str) -> None:
    message = waypost.parse(quick("waypost", "examples", f"{dialect}/{name}").out)
    again = waypost.compose(name, message.fields or {}, dialect=dialect)
    said = quick("waypost", "validate", "--strict", "-", given=again.raw)
    assert (said.code, said.out) == (0, f"ok  -  {dialect} {name}\n")
    assert again.fields == message.fields


@pytest.mark.parametrize(("dialect", "name"), TYPES)
def test_what_the_schema_requires_the_checker_misses(dialect: str, name: str) -> None:
    (schema,) = quick("waypost", "schema", f"{dialect}/{name}", "--json").objects
    for field in schema.get("required", []):
        fields = {key: value for key, value in schema["examples"][0].items() if key != field}
        data = json.dumps(fields).encode()
        words = ["waypost", "validate", "--json", "--dialect", dialect, "-"]
        (found,) = quick(*words, given=data).objects
        missing = [one["path"] for one in found["problems"] if one["code"] == "missing_field"]
        assert missing == [field]


def test_a_whole_morning_in_a_shell(tmp_path: Path) -> None:
    script = """
    set -e
    waypost examples handoff > mine.yaml
    waypost validate mine.yaml
    sed -i 's/^priority: .*/priority: urgent/' mine.yaml
    waypost validate mine.yaml && exit 9
    sed -i 's/^priority: .*/priority: P0/' mine.yaml
    oacp validate mine.yaml
    """
    said = shell(script, tmp_path)
    assert said.code == 0
    assert said.out.startswith("ok  mine.yaml  oacp handoff\nerror[not_one_of]: priority must be")
    assert said.out.endswith("OK: mine.yaml\n")
