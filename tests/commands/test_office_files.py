"""Reservations and attachments from the command line."""

import subprocess

import pytest

from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import command, environment

__all__ = ["office_desk"]


def test_who_comes_second_is_told_who_holds_what_and_what_is_free(office_desk: OfficeDesk) -> None:
    office_desk.tell("codex", "reserve", "src/**", "--reason", "limit")
    code, error = office_desk.fail("claude", "reserve", "src/a.py", "docs/*.md")
    assert (code, error["error"]) == (7, "conflict")
    (conflict,) = error["conflicts"]
    assert (conflict["holder"], conflict["reason"]) == ("codex", "limit")
    assert [one["pattern"] for one in error["alternatives"]] == ["docs/*.md"]


def test_people_see_the_conflicts_as_lines(office_desk: OfficeDesk) -> None:
    office_desk.tell("codex", "reserve", "src/**", "--reason", "\x1b[2Jlimit")
    said = office_desk.say("claude", "reserve", "src/a.py")
    assert (said.code, said.out) == (7, "")
    assert "\n  src/**  codex, exclusive, until " in said.err
    assert "\x1b" not in said.err


def test_what_is_held_is_listed_by_path_and_released(office_desk: OfficeDesk) -> None:
    held = office_desk.tell("codex", "reserve", "src/**", "--for", "2h", "--mode", "shared_write")
    assert office_desk.tell("claude", "reservations", "src/a.py")["reservations"] == [held]
    assert office_desk.tell("claude", "reservations", "docs/a.md")["reservations"] == []
    assert office_desk.tell("codex", "release")["released"][0]["id"] == held["id"]
    assert office_desk.tell("codex", "reservations")["reservations"] == []


def test_anothers_files_are_taken_only_by_force_and_with_a_reason(office_desk: OfficeDesk) -> None:
    held = str(office_desk.tell("codex", "reserve", "src/**")["id"])
    assert office_desk.fail("claude", "release", "--id", held)[0] == 4
    assert office_desk.fail("claude", "release", "--id", held, "--force")[0] == 2
    words = ("release", "--id", held, "--force", "--reason", "gone")
    assert len(office_desk.tell("claude", *words)["released"]) == 1


def test_an_attachment_comes_back_byte_for_byte(office_desk: OfficeDesk) -> None:
    data = bytes(range(256)) * 100
    (office_desk.folder / "log.bin").write_bytes(data)
    uri = office_desk.tell("", "attach", "put", "log.bin", "--agent", "claude")["uri"]
    office_desk.tell("", "attach", "get", uri, "-o", "copy.bin", "--agent", "codex")
    assert (office_desk.folder / "copy.bin").read_bytes() == data
    done = subprocess.run(
        command("waypost", "attach", "get", uri, "--agent", "codex"),
        capture_output=True,
        env=environment(),
        check=True,
    )
    assert done.stdout == data


def test_an_attachment_overwrites_nothing(office_desk: OfficeDesk) -> None:
    said = office_desk.tell("", "attach", "put", "-", "--name", "n", "--agent", "ada", given=b"x")
    (office_desk.folder / "there").write_text("mine")
    words = ("attach", "get", said["uri"], "-o", "there", "--agent", "ada")
    assert office_desk.fail("", *words)[0] == 3
    assert (office_desk.folder / "there").read_text() == "mine"


@pytest.mark.parametrize("path", ["/dev/zero", ".", "nowhere"])
def test_what_is_no_file_is_not_attached(office_desk: OfficeDesk, path: str) -> None:
    code, error = office_desk.fail("", "attach", "put", path, "--agent", "claude")
    assert (code, error["error"]) in [(2, "usage"), (1, "unreadable")]


def test_an_attachment_has_its_limit(office_desk: OfficeDesk) -> None:
    (office_desk.folder / "huge").write_bytes(bytes(8 * 1024 * 1024 + 1))
    assert office_desk.fail("", "attach", "put", "huge", "--agent", "claude")[0] == 5
