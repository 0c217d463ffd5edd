"""The JSON that programs read: its keys, one object a line, and the one form of errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands.terminal import Said, quick, say
from schema_files import EXAMPLES, example

KEYS = ["source", "dialect", "type", "valid", "problems"]
REQUIRED = {"severity", "path", "code", "message"}
ALLOWED = REQUIRED | {"hint", "line", "column"}
WARNED = example("oacp", "handoff") + b"mood: fine\n"
WRONG = example("oacp", "handoff").replace(b"\npriority: ", b"\npriorty: ")
QUERY = json.dumps(json.loads(example("acp", "query"))).encode()


def checked(data: bytes, *words: str) -> tuple[int, dict[str, Any]]:
    said = quick("waypost", "validate", "--json", *words, "-", given=data)
    (found,) = said.objects
    return said.code, found


def test_a_good_message_is_one_object_with_five_keys() -> None:
    code, found = checked(example("oacp", "handoff"))
    assert code == 0
    assert list(found) == KEYS
    assert list(found.values()) == ["-", "oacp", "handoff", True, []]


def test_a_problem_has_these_keys_and_no_others() -> None:
    code, found = checked(WRONG)
    assert (code, found["valid"]) == (5, False)
    for problem in found["problems"]:
        assert set(problem) >= REQUIRED
        assert set(problem) <= ALLOWED
    assert {problem["severity"] for problem in found["problems"]} == {"error", "warning"}


def test_a_warning_leaves_a_message_valid_and_strict_does_not() -> None:
    code, found = checked(WARNED)
    assert (code, found["valid"], found["problems"][0]["severity"]) == (0, True, "warning")
    code, found = checked(WARNED, "--strict")
    assert (code, found["valid"], found["problems"][0]["severity"]) == (5, False, "error")


@pytest.mark.parametrize("data", [WARNED, WRONG, b"", b"\xff", b"[]", b"{", b"a: b", QUERY])
@pytest.mark.parametrize("words", [[], ["--strict"]])
def test_valid_is_false_exactly_when_a_problem_is_an_error(data: bytes, words: list[str]) -> None:
    code, found = checked(data, *words)
    errors = [one for one in found["problems"] if one["severity"] == "error"]
    assert found["valid"] is (not errors)
    assert code == (5 if errors else 0)


def test_every_path_is_dotted_text() -> None:
    data = example("oacp", "handoff").replace(b"  files_touched:", b"  files_tuched:")
    data = b"to: [claude, '../x']\n" + data.replace(b"\nto: ", b"\nchannel: ")
    paths = {problem["path"] for problem in checked(data)[1]["problems"]}
    assert {"to.1", "body.context_bundle.files_touched", "body.context_bundle.files_tuched"} < paths


def test_a_field_that_is_not_text_gives_no_type() -> None:
    assert checked(b'{"kind": 7, "v": 1}')[1]["type"] is None
    assert checked(b'{"kind": "nonsense", "v": 1}')[1]["type"] == "nonsense"


def test_every_line_of_a_jsonl_file_is_one_object(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(QUERY + b"\n\n{\n  \r\n" + QUERY + b"\r\n" + QUERY)
    said = say("waypost", "validate", "--json", str(path))
    assert said.code == 5
    assert [one["source"] for one in said.objects] == [f"{path}:{n}" for n in (1, 3, 5, 6)]
    assert [one["valid"] for one in said.objects] == [True, False, True, True]
    assert said.objects[1]["problems"][-1]["line"] == 3


def test_there_is_one_object_an_input_in_the_order_given() -> None:
    paths = [str(path) for path in reversed(EXAMPLES)]
    said = quick("waypost", "validate", "--json", *paths)
    assert [one["source"] for one in said.objects] == paths
    assert (said.code, said.err) == (0, "")


def test_an_input_that_cannot_be_read_is_an_invalid_message() -> None:
    said = quick("waypost", "validate", "--json", "/nowhere.yaml")
    (found,) = said.objects
    assert (said.code, found["dialect"], found["type"], found["valid"]) == (5, None, None, False)
    assert [problem["code"] for problem in found["problems"]] == ["not_found"]


ODD = '{"kind":"a\u2028b\x85c\u009b31md\u202ee\x7ff","v":1}'.encode()


def test_a_json_line_stays_one_line_and_harmless_for_every_reader() -> None:
    said = say("waypost", "validate", "--json", "-", given=ODD)
    assert len(said.out.splitlines()) == 1
    assert said.out.strip("\n").isprintable()
    assert said.objects[0]["type"] == json.loads(ODD)["kind"]


def test_a_lone_surrogate_does_not_spoil_the_line() -> None:
    said = say("waypost", "validate", "--json", "-", given=rb'{"kind":"\ud800","v":1}')
    found = {(one["path"], one["code"]) for one in said.objects[0]["problems"]}
    assert (said.code, ("kind", "lone_surrogate") in found) == (5, True)


FAILURES = {
    "a wrong flag": (["waypost", "validate", "--nope", "x"], 2, "usage"),
    "a missing argument": (["waypost", "validate"], 2, "usage"),
    "an abbreviated flag": (["waypost", "validate", "--stric", "x"], 2, "usage"),
    "too many words": (["waypost", "demo", "x"], 2, "usage"),
    "an unknown command": (["waypost", "valdate"], 2, "usage"),
    "an unknown oacp command": (["oacp", "valdate"], 2, "usage"),
    "a wrong flag of oacp": (["oacp", "validate", "--nope", "x"], 2, "usage"),
    "an unknown dialect": (["waypost", "validate", "--dialect", "oacpp", "-"], 2, "usage"),
    "an unknown schema": (["waypost", "schema", "handof"], 3, "not_found"),
    "an unknown topic": (["waypost", "examples", "review-lop"], 3, "not_found"),
}


def as_people_see(said: Said, form: dict[str, Any]) -> bool:
    return said.out == "" and said.err == f"error: {form['details']}\nhint:  {form['hint']}\n"


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_has_the_one_form_on_stdout(name: str) -> None:
    words, code, error = FAILURES[name]
    said = quick(*words, "--json")
    (form,) = said.objects
    assert (said.code, form["error"], said.err) == (code, error, "")
    assert set(form) == {"error", "details", "hint"}


@pytest.mark.parametrize("name", FAILURES)
def test_people_get_the_same_words_on_stderr(name: str) -> None:
    words, code, _ = FAILURES[name]
    (form,) = quick(*words, "--json").objects
    said = quick(*words)
    assert said.code == code
    assert as_people_see(said, form)


@pytest.mark.parametrize("name", ["a wrong flag", "an unknown command", "an unknown schema"])
def test_the_real_program_fails_the_same_way(name: str) -> None:
    words, _, _ = FAILURES[name]
    assert say(*words, "--json") == quick(*words, "--json")


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["waypost", "exmples"], "examples"),
        (["waypost", "schema", "handof"], "oacp/handoff"),
        (["waypost", "examples", "qurey"], "query"),
        (["oacp", "valdate"], "validate"),
    ],
)
def test_a_slip_of_the_pen_is_understood(words: list[str], near: str) -> None:
    hint = quick(*words).err.partition("did you mean ")[2]
    assert f'"{near}"' in hint
