"""Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 5 invalid message, 130 interrupted."""

import signal
import subprocess
from pathlib import Path

import pytest

import waypost
from commands.terminal import PATIENCE, command, environment, quick, say
from schema_files import example

HANDOFF = example("oacp", "handoff")
CODES = [
    (0, ["waypost"]),
    (0, ["waypost", "--version"]),
    (0, ["waypost", "validate", "-"]),
    (0, ["waypost", "schema", "oacp/handoff"]),
    (0, ["waypost", "examples", "handoff"]),
    (0, ["oacp", "validate", "-"]),
    (2, ["waypost", "nonsense"]),
    (2, ["waypost", "validate"]),
    (2, ["waypost", "validate", "--dialect", "morse", "-"]),
    (2, ["oacp", "nonsense"]),
    (2, ["oacp", "validate"]),
    (3, ["waypost", "schema", "nonsense"]),
    (3, ["waypost", "examples", "nonsense"]),
    (5, ["waypost", "validate", "--dialect", "acp", "-"]),
    (5, ["waypost", "validate", "/nowhere.yaml"]),
    (1, ["oacp", "validate", "/nowhere.yaml"]),
]


@pytest.mark.parametrize(("code", "words"), CODES)
def test_the_code_says_how_it_went(code: int, words: list[str]) -> None:
    assert quick(*words, given=HANDOFF).code == code


@pytest.mark.parametrize(("code", "words"), CODES[::4])
def test_the_real_program_gives_the_same_code(code: int, words: list[str]) -> None:
    assert say(*words, given=HANDOFF) == quick(*words, given=HANDOFF)


@pytest.mark.parametrize("program", ["waypost", "oacp"])
@pytest.mark.parametrize("words", [["validate", "-"], ["validate", "--json", "-"]])
def test_an_interrupt_while_reading_ends_quietly(program: str, words: list[str]) -> None:
    started = subprocess.Popen(
        command(program, *words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert started.stdin is not None
    # More than a pipe holds: once it is written, the program is surely reading.
    started.stdin.write(b"x" * (1 << 19))
    started.stdin.flush()
    started.send_signal(signal.SIGINT)
    assert started.communicate(timeout=PATIENCE) == (b"", b"")
    assert started.returncode == 130


@pytest.mark.parametrize("program", ["waypost", "oacp"])
@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_the_package_s(program: str, flag: str) -> None:
    assert quick(program, flag) == (0, waypost.__version__ + "\n", "")


def test_one_bad_message_among_good_ones_is_told(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.yaml", tmp_path / "b.yaml"
    good.write_bytes(HANDOFF)
    bad.write_bytes(b"")
    assert quick("waypost", "validate", str(good), str(bad), str(good)).code == 5
    assert quick("oacp", "validate", str(bad), str(good)).code == 1


def test_strict_takes_warnings_for_errors() -> None:
    warned = HANDOFF + b"mood: fine\n"
    assert quick("waypost", "validate", "-", given=warned).code == 0
    assert quick("waypost", "validate", "--strict", "-", given=warned).code == 5
    assert quick("oacp", "validate", "-", given=warned).code == 0
    assert quick("oacp", "validate", "--strict", "-", given=warned).code == 1


def test_the_dialect_can_be_named() -> None:
    said = quick("waypost", "validate", "--json", "--dialect", "agentmail", "-", given=HANDOFF)
    assert (said.code, said.objects[0]["dialect"]) == (5, "agentmail")


def test_the_last_line_counts() -> None:
    warned = HANDOFF.replace(b"\npriority: ", b"\npriorty: ")
    said = quick("waypost", "validate", "-", given=warned)
    assert said.err == "0 of 1 valid, 1 error, 1 warning\n"
    assert quick("waypost", "validate", "-", "-", given=HANDOFF).err.startswith("1 of 2 valid")
