"""The typed forms: what type checkers believe is what programs get."""

import subprocess
import sys
from pathlib import Path

import pytest

import types_example
import waypost
from commands.terminal import environment
from schema_files import TYPES, example
from waypost import types
from waypost.dialects.message import camel_case
from waypost.errors import InvalidMessageError
from waypost.types import Handoff, Query, Question

MISUSES = {
    'handoff["form"]': "typeddict-item",
    'handoff["subject"] + 1': "operator",
    'query["payload"]["max_tokens"] + "1"': "operator",
    'query["kind"] == "pong"': "comparison-overlap",
}


@pytest.mark.parametrize(("dialect", "name"), TYPES)
def test_every_type_has_a_form(dialect: str, name: str) -> None:
    form = getattr(types, camel_case(name))
    message = waypost.parse(example(dialect, name))
    assert message.typed(form) == message.fields
    assert form.__required_keys__ <= set(message.fields or {})


def test_the_example_program_works() -> None:
    assert types_example.next_steps(example("oacp", "handoff"))
    question, asked = types_example.question_of(example("acp", "query"))
    assert question.strip()
    assert asked > 0
    assert types_example.task_of(example("agentmail", "task_assignment"))


def test_another_type_is_refused() -> None:
    message = waypost.parse(example("oacp", "handoff"))
    with pytest.raises(InvalidMessageError, match="a handoff, not a Question"):
        message.typed(Question)


def test_an_invalid_message_is_refused_with_all_its_problems() -> None:
    message = waypost.parse(example("oacp", "handoff") + b"subject: again\nto: codex\n")
    with pytest.raises(InvalidMessageError) as refusal:
        message.typed(Handoff)
    assert refusal.value.problems == message.problems
    assert len(refusal.value.problems) == 2


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"{}"])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidMessageError):
        waypost.parse(data).typed(Query)


def test_a_warning_is_no_reason_to_refuse() -> None:
    message = waypost.parse(example("oacp", "handoff") + b"mood: fine\n")
    assert message.problems
    assert message.typed(Handoff)["type"] == "handoff"


def type_errors(folder: Path, lines: str) -> str:
    program = "import waypost\nfrom waypost.types import Handoff, Query\n"
    program += "handoff = waypost.parse(b'').typed(Handoff)\n"
    program += "query = waypost.parse(b'').typed(Query)\n"
    (folder / "misuse.py").write_text(program + lines)
    words = ["-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(folder), "misuse.py"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    return done.stdout


def test_a_type_checker_finds_every_misuse(tmp_path: Path) -> None:
    lines = [f"print({misuse})" for misuse in MISUSES]
    found = type_errors(tmp_path, "\n".join(lines) + "\n").splitlines()
    told = {line.split(":")[1]: line.rpartition("[")[2].rstrip("]") for line in found[:-1]}
    assert told == {str(number): code for number, code in enumerate(MISUSES.values(), start=5)}
