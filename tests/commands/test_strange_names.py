"""File names are written by strangers too: a terminal never obeys them, JSON keeps them whole."""

import os
import sys
from pathlib import Path

import pytest

from commands.terminal import say
from schema_files import example

NAMES = {
    "newline": b"two\nlines.yaml",
    "carriage return": b"over\rwritten.yaml",
    "escape": b"red\x1b[31m.yaml",
    "c1 control": "csi\x9b31m.yaml".encode(),
    "bidi": "lmay\u202e.yaml".encode(),
    "line separator": "a\u2028b.yaml".encode(),
    "no utf-8": b"caf\xe9.yaml",
    "emoji": "🙂 with space.yaml".encode(),
    "a dash": b"-.yaml",
    "quotes": b'it\'s "fine".yaml',
}
each_name = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
TEXTS = {"good": example("oacp", "handoff"), "bad": b"id: 1\n", "log": b'{"v":\n'}


def laid(folder: Path, name: bytes, data: bytes) -> bytes:
    path = os.path.join(os.fsencode(folder), name)
    with open(path, "wb") as file:
        file.write(data)
    return path


@each_name
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("program", ["waypost", "oacp"])
def test_no_terminal_obeys_a_file_name(
    tmp_path: Path, name: bytes, text: str, program: str
) -> None:
    said = say(program, "validate", laid(tmp_path, name, TEXTS[text]))
    shown = said.out + said.err
    assert all(line.isprintable() for line in shown.split("\n"))
    places = [line for line in shown.split("\n") if str(tmp_path) in line]
    assert all(".yaml" in line for line in places)
    assert places


@each_name
def test_json_gives_the_name_back_byte_for_byte(tmp_path: Path, name: bytes) -> None:
    path = laid(tmp_path, name, TEXTS["good"])
    said = say("waypost", "validate", "--json", str(tmp_path))
    assert [os.fsencode(one["source"]) for one in said.objects] == [path]
    assert len(said.out.splitlines()) == 1
    assert said.out.strip("\n").isprintable()


@each_name
def test_a_failure_that_quotes_a_name_is_harmless(name: bytes) -> None:
    for words in (["schema", name], ["examples", name], [b"x" + name]):
        said = say("waypost", *words)
        assert said.code in (2, 3)
        assert all(line.isprintable() for line in said.err.split("\n"))


ENVIRONMENTS = [
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.parametrize("world", ENVIRONMENTS)
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_poor_locale_spoils_nothing(
    tmp_path: Path, world: dict[str, str], words: list[str]
) -> None:
    data = TEXTS["good"].replace(b"\npriority: P", "\npriority: Ü日🙂".encode())
    path = laid(tmp_path, b"plain.yaml", data)
    said = say("waypost", "validate", *words, path, given=b"", **world)
    assert said == say("waypost", "validate", *words, path)
    assert "Ü日🙂" in said.out


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are always UTF-8")
def test_a_name_in_a_poor_locale_is_still_found(tmp_path: Path) -> None:
    path = laid(tmp_path, "schön.yaml".encode(), TEXTS["good"])
    assert say("waypost", "validate", path, given=b"", **ENVIRONMENTS[2]).code == 0
