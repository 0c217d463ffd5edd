"""Completion: what a shell offers at Tab, asked in real shells."""

import shutil
import subprocess
from pathlib import Path

import pytest

from commands.desk import Desk, desk
from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import PATIENCE, quick, shell

__all__ = ["desk", "office_desk"]
TAB = """
source <({program} completion bash)
COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMPREPLY=()
_{program}_complete
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def offered(line: str, folder: Path) -> list[str]:
    """What bash offers at the end of a line; the word there may be empty."""
    words = " ".join(f"'{word}'" for word in line.split(" "))
    said = shell(TAB.format(program=line.split(" ")[0], words=words), folder)
    assert (said.code, said.err) == (0, "")
    return said.out.split()


def test_commands_are_offered(office_desk: OfficeDesk) -> None:
    assert offered("waypost res", office_desk.folder) == ["reserve", "reservations", "restore"]


def test_flags_are_those_of_the_command_and_of_its_part(office_desk: OfficeDesk) -> None:
    assert "--priority" in offered("waypost send codex --p", office_desk.folder)
    assert offered("waypost audit log --k", office_desk.folder) == ["--kind"]


def test_parts_of_a_command_are_offered(office_desk: OfficeDesk) -> None:
    assert offered("waypost audit re", office_desk.folder) == ["redact", "rebuild"]
    assert offered("waypost agents a", office_desk.folder) == ["add"]


def test_agents_are_offered_where_one_is_named(office_desk: OfficeDesk) -> None:
    assert offered("waypost send c", office_desk.folder) == ["claude", "codex"]
    assert offered("waypost inbox --agent a", office_desk.folder) == ["ada"]


def test_ids_are_offered_and_asking_hands_nothing_over(office_desk: OfficeDesk) -> None:
    sent = office_desk.send()["id"]
    before = office_desk.tell("claude", "status")["office"]["last_position"]
    assert offered("waypost read ", office_desk.folder) == [sent]
    assert offered(f"waypost reply {sent[:6]}", office_desk.folder) == [sent]
    assert office_desk.tell("claude", "status")["office"]["last_position"] == before


def test_oacp_offers_agents_and_ids_of_its_folders(desk: Desk) -> None:
    sent = desk.send()["message_id"]
    assert offered("oacp inbox --agent c", desk.home) == ["claude", "codex"]
    assert offered("oacp done --agent codex msg", desk.home) == [sent]


def test_where_there_is_no_office_nothing_is_offered_and_nothing_made(
    office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "nowhere"))
    assert offered("waypost read ", office_desk.folder) == []
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("words", [["--"], ["-x"], ["nothing", ""], ["send", "--", "\x1b["], [""]])
def test_strange_words_are_answered_in_silence(office_desk: OfficeDesk, words: list[str]) -> None:
    said = quick("waypost", "completion", "words", "--", *words)
    assert (said.code, said.err) == (0, "")


@pytest.mark.skipif(not shutil.which("fish"), reason="fish isn't installed")
def test_fish_offers_names_and_ids_and_files_only_where_nothing_else_is_known(
    office_desk: OfficeDesk,
) -> None:
    sent = office_desk.send()["id"]
    (office_desk.folder / "code.py").touch()
    for line, offered_there in {
        "waypost send co": ["codex"],
        "waypost read ": [sent],
        "waypost res": ["reservations", "reserve", "restore"],
        "waypost validate co": ["code.py"],
    }.items():
        script = f"waypost completion fish | source; complete -C '{line}'"
        said = shell(f'fish --no-config -c "{script}"', office_desk.folder)
        assert (said.code, said.out.split()) == (0, offered_there)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_shell_takes_the_lines(name: str, office_desk: OfficeDesk) -> None:
    if (program := shutil.which(name)) is None:
        pytest.skip(f"{name} isn't installed")
    text = quick("waypost", "completion", name).out
    checked = subprocess.run(
        [program, "-n"], input=text, text=True, capture_output=True, timeout=PATIENCE, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_another_shell_is_refused(office_desk: OfficeDesk) -> None:
    code, error = office_desk.fail("", "completion", "tcsh")
    assert (code, error["hint"]) == (2, f"known are {', '.join(('bash', 'zsh', 'fish'))}")
