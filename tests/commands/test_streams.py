"""Readers that leave, disks that are full, streams that are closed: no traceback, a clear word."""

import os
import subprocess
from pathlib import Path

import pytest

from commands.terminal import Said, command, environment, shell
from schema_files import example

BAD = b"id: 1\n"
INTERPRETER = ("Traceback", "Exception ignored", "inside waypost", "NoneType")
BUFFERING = [{}, {"PYTHONUNBUFFERED": "1"}]
either_way = pytest.mark.parametrize("buffering", BUFFERING, ids=["buffered", "unbuffered"])
WAYS = [
    "waypost",
    "waypost schema",
    "waypost schema acp/query --json",
    "waypost examples handoff",
    "waypost validate good.yaml",
    "waypost validate bad.yaml",
    "waypost validate --json good.yaml bad.yaml",
    "waypost validate --help",
    "waypost nonsense",
    "waypost nonsense --json",
    "oacp validate good.yaml bad.yaml",
    "oacp validate --json good.yaml",
]
each_way = pytest.mark.parametrize("way", WAYS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.yaml").write_bytes(example("oacp", "handoff"))
    (tmp_path / "bad.yaml").write_bytes(BAD)
    return tmp_path


def dignified(said: Said) -> bool:
    """Nothing of the interpreter's own talk, and a code of ours."""
    return said.code in (0, 1, 2, 5) and not any(word in said.err for word in INTERPRETER)


@each_way
@either_way
def test_a_full_disk_is_told_in_a_sentence(
    folder: Path, way: str, buffering: dict[str, str]
) -> None:
    said = shell(f"{way} > /dev/full", folder, **buffering)
    assert dignified(said)
    if way == "waypost nonsense":  # which prints nothing there
        assert said.code == 2
    else:
        assert "no space left on device" in said.err
        assert said.code == 1


@each_way
@either_way
def test_a_reader_that_has_left_gets_no_traceback(
    folder: Path, way: str, buffering: dict[str, str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    words = way.split()
    done = subprocess.run(
        command(*words),
        cwd=folder,
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment(**buffering),
        check=False,
    )
    os.close(writer)
    said = Said(done.returncode, "", done.stderr.decode())
    assert dignified(said)
    assert "error: the system" not in said.err  # to stop reading is nobody's error


@pytest.mark.parametrize("way", WAYS[::3])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_survived(folder: Path, way: str, closed: str) -> None:
    assert dignified(shell(f"{way} {closed}", folder))


@either_way
def test_the_first_line_of_many_is_enough(folder: Path, buffering: dict[str, str]) -> None:
    for number in range(300):
        (folder / f"{number}.yaml").write_bytes(BAD)
    script = "waypost validate --json . | head -1; exit ${PIPESTATUS[0]}"
    said = shell(script, folder, **buffering)
    assert (len(said.objects), said.code, said.err) == (1, 1, "")


@either_way
def test_a_full_disk_for_the_talk_loses_no_data(folder: Path, buffering: dict[str, str]) -> None:
    said = shell("waypost validate good.yaml 2> /dev/full", folder, **buffering)
    assert dignified(said)
    assert said.out == "ok  good.yaml  oacp handoff\n"
