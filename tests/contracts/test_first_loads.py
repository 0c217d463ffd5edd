"""The `oacp` programs load only what a check needs: scripts call them once for every file."""

import subprocess
import sys
from pathlib import Path

import pytest

from commands.terminal import SCRIPTS, environment
from schema_files import DIALECTS

NEVER = (
    "yaml dataclasses inspect asyncio ssl http email unittest jsonschema_rs difflib hypothesis "
    "logging typing_extensions pydantic urllib sqlite3 uuid"
)
HANDOFF = str(DIALECTS / "oacp" / "examples" / "handoff.yaml")


def loaded(*words: str) -> set[str]:
    """The top names of everything that a program loads, as the interpreter tells it."""
    program = [sys.executable, "-X", "importtime", str(SCRIPTS / words[0]), *words[1:]]
    done = subprocess.run(program, capture_output=True, text=True, env=environment(), check=True)
    times = [line for line in done.stderr.split("\n") if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().split(".")[0] for line in times}


@pytest.mark.parametrize(
    "words",
    [
        ["oacp", "--version"],
        ["oacp", "--help"],
        ["oacp", "validate", HANDOFF],
        ["oacp", "validate", "--quiet", HANDOFF],
        ["waypost", "--version"],
        ["waypost", "validate", HANDOFF],
    ],
)
def test_a_program_loads_nothing_it_does_not_need(words: list[str]) -> None:
    names = loaded(*words)
    assert "waypost" in names
    assert names & set(NEVER.split()) == set()


def test_the_version_needs_no_dialect() -> None:
    assert not {"ryaml", "json"} & loaded("oacp", "--version")


def test_near_names_are_looked_up_only_for_a_slip(tmp_path: Path) -> None:
    slip = tmp_path / "slip.yaml"
    slip.write_bytes(Path(HANDOFF).read_bytes() + b"chanel: review\n")
    assert "difflib" in loaded("oacp", "validate", str(slip))
