"""`waypost init` makes a project once, and says where it is."""

from pathlib import Path

import pytest

from commands.desk import leave_home
from commands.office_desk import PROJECT, OfficeDesk, office_desk
from commands.terminal import quick

__all__ = ["office_desk"]


def names(desk: OfficeDesk) -> list[str]:
    return [one["name"] for one in desk.tell("claude", "agents")["agents"]]


def test_a_project_has_its_agents_its_person_and_the_peoples_list(office_desk: OfficeDesk) -> None:
    assert names(office_desk) == ["people", "claude", "codex", "ada"]


def test_the_mark_is_found_from_below(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    (office_desk.folder / "src").mkdir()
    monkeypatch.chdir(office_desk.folder / "src")
    assert (office_desk.folder / ".waypost.toml").read_text() == 'project = "my-app"\n'
    assert office_desk.tell("codex", "status")["settings"]["project"] == {
        "value": PROJECT,
        "source": str(office_desk.folder / ".waypost.toml"),
    }


def test_doing_it_again_changes_nothing(office_desk: OfficeDesk) -> None:
    before = office_desk.tell("claude", "status")["office"]["last_position"]
    again = office_desk.tell("", "init", "--agents", "claude,codex", "--person", "ada")
    assert [one["is_new"] for one in again["members"]] == [False] * 3
    assert "mark" not in again
    assert office_desk.tell("claude", "status")["office"]["last_position"] == before


def test_without_names_it_adds_nobody_to_those_who_are_there(office_desk: OfficeDesk) -> None:
    assert [one["name"] for one in office_desk.tell("", "init")["members"]] == [
        *("claude", "codex", "ada"),
    ]


def test_a_new_project_has_the_usual_ones_and_whoever_is_logged_in(
    office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOGNAME", "grace")
    monkeypatch.chdir(tmp_path)
    made = office_desk.tell("", "init", "other")["members"]
    assert [one["name"] for one in made] == ["claude", "codex", "grace"]


@pytest.mark.parametrize("login", ["two words", "Codex", "../x"])
def test_a_login_that_can_have_no_mailbox_is_passed_over(
    office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    monkeypatch.setenv("LOGNAME", login)
    monkeypatch.chdir(tmp_path)
    made = office_desk.tell("", "init", "other")["members"]
    assert [one["name"] for one in made] == ["claude", "codex"]


def test_more_agents_can_be_named_later(office_desk: OfficeDesk) -> None:
    office_desk.tell("", "init", "--agents", "gemini", "--person", "ada")
    assert names(office_desk)[-1] == "gemini"


def test_a_folder_belongs_to_one_project(office_desk: OfficeDesk) -> None:
    code, error = office_desk.fail("", "init", "other")
    assert (code, error["error"]) == (1, "conflict")
    assert names(office_desk) == ["people", "claude", "codex", "ada"]


@pytest.mark.parametrize("agents", ["a,../b", "a,A", "a,a", "\x1b[31m", "x" * 65])
def test_names_that_are_none_stop_it_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agents: str
) -> None:
    leave_home(monkeypatch, tmp_path)
    said = quick("waypost", "init", "p", "--agents", agents)
    assert said.code == 2
    assert "\x1b" not in said.err
    assert list(tmp_path.iterdir()) == []


def test_the_files_are_for_their_owner_only(office_desk: OfficeDesk) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in office_desk.home.iterdir()}
    assert office_desk.home.stat().st_mode & 0o777 == 0o700
    assert set(modes.values()) == {0o600}


def test_without_an_office_the_hint_is_init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_home(monkeypatch, tmp_path)
    said = quick("waypost", "inbox", "--agent", "a", "--json")
    assert (said.code, said.objects[0]["error"]) == (3, "not_found")
    assert "waypost init" in said.objects[0]["hint"]
    assert not (tmp_path / ".waypost").exists()
