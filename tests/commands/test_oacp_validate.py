"""`oacp validate` answers as the command of that name always did, so that scripts keep working."""

from pathlib import Path

import pytest

from commands.terminal import quick, say
from schema_files import DIALECTS, EXAMPLES, example

HANDOFF = example("oacp", "handoff")
WARNED = HANDOFF + b"mood: fine\n"


@pytest.fixture
def good(tmp_path: Path) -> str:
    (tmp_path / "good.yaml").write_bytes(HANDOFF)
    return str(tmp_path / "good.yaml")


@pytest.fixture
def bad(tmp_path: Path) -> str:
    (tmp_path / "bad.yaml").write_bytes(HANDOFF.replace(b"\npriority: P", b"\npriority: X"))
    return str(tmp_path / "bad.yaml")


def test_a_good_file_is_ok(good: str) -> None:
    assert say("oacp", "validate", good) == (0, f"OK: {good}\n", "")


def test_a_bad_file_is_an_error_on_stderr(bad: str) -> None:
    said = say("oacp", "validate", bad)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("ERROR: ")
    assert f"{bad}:5: priority" in said.err


def test_quiet_leaves_only_the_errors(good: str, bad: str, tmp_path: Path) -> None:
    warned = tmp_path / "warned.yaml"
    warned.write_bytes(WARNED)
    assert quick("oacp", "validate", "--quiet", good, str(warned)) == (0, "", "")
    loud = quick("oacp", "validate", bad)
    assert quick("oacp", "validate", "--quiet", bad) == loud


def test_a_missing_file_is_an_error_and_not_a_wrong_call() -> None:
    said = quick("oacp", "validate", "/nowhere.yaml")
    assert (said.code, said.out) == (1, "")
    assert (
        said.err == "ERROR: /nowhere.yaml: the message cannot be read: no such file or directory\n"
    )


@pytest.mark.parametrize("words", [[], ["--nonsense", "x"], ["--quiet"]])
def test_a_wrong_call_is_2(words: list[str]) -> None:
    said = quick("oacp", "validate", *words)
    assert (said.code, said.out) == (2, "")


def test_a_warning_is_told_and_the_file_is_ok(tmp_path: Path) -> None:
    path = tmp_path / "warned.yaml"
    path.write_bytes(WARNED)
    said = quick("oacp", "validate", str(path))
    assert (said.code, said.out) == (0, f"OK: {path}\n")
    assert said.err.startswith(f"WARNING: {path}:")
    assert quick("oacp", "validate", "--strict", str(path)).code == 1


def test_a_message_of_another_dialect_is_no_oacp_message() -> None:
    for dialect, name in (("acp", "query"), ("agentmail", "status_update")):
        said = quick("oacp", "validate", "--json", "-", given=example(dialect, name))
        assert (said.code, said.objects[0]["dialect"]) == (1, "oacp")


def test_every_worked_example_is_ok() -> None:
    paths = [str(path) for path in EXAMPLES if DIALECTS / "oacp" in path.parents]
    said = quick("oacp", "validate", *paths)
    assert (said.code, said.err) == (0, "")
    assert said.out == "".join(f"OK: {path}\n" for path in paths)


def test_a_name_that_contradicts_the_message_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "20200101T0000Z_nobody_question.yaml"
    path.write_bytes(HANDOFF)
    said = quick("oacp", "validate", "--json", str(path))
    assert [one["code"] for one in said.objects[0]["problems"]] == ["file_name"]
    assert said.code == 0


def test_json_is_the_form_of_waypost_validate(good: str, bad: str) -> None:
    said = quick("oacp", "validate", "--json", good, bad)
    other = quick("waypost", "validate", "--json", "--dialect", "oacp", good, bad)
    assert (said.code, other.code) == (1, 5)
    assert said.objects == other.objects
