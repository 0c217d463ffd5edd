"""A command finds its home, its project and its agent, or says how to name them."""

from pathlib import Path

import pytest

from waypost.errors import UsageError
from waypost.runtime.config import Setting
from waypost.runtime.place import Place


def place(here: Path, **environment: str) -> Place:
    return Place(environment, str(here), str(here / "office"))


def mark(folder: Path, project: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".waypost.toml").write_text(f'project = "{project}"\n')
    return folder


def test_the_home_is_told_by_the_environment(tmp_path: Path) -> None:
    home = Place({"WAYPOST_HOME": str(tmp_path)}, "/").home
    assert home == Setting(str(tmp_path), "WAYPOST_HOME")


def test_the_home_is_in_the_users_folder_by_default() -> None:
    assert Place({}, "/").home == Setting(str(Path("~/.waypost").expanduser()), "default")


def test_the_project_is_that_of_the_nearest_mark(tmp_path: Path) -> None:
    inner = mark(mark(tmp_path, "outer") / "a" / "b", "inner")
    assert place(inner).project(None) == Setting("inner", str(inner / ".waypost.toml"))
    assert place(tmp_path / "a").project(None).value == "outer"


def test_an_oacp_workspace_marks_a_project_too(tmp_path: Path) -> None:
    workspace = tmp_path / "projects" / "my-app"
    workspace.mkdir(parents=True)
    (workspace / "workspace.json").write_text("{}")
    assert place(workspace).project(None).value == "my-app"


def test_flag_and_environment_go_before_the_mark(tmp_path: Path) -> None:
    mark(tmp_path, "marked")
    assert place(tmp_path, WAYPOST_PROJECT="said").project(None).value == "said"
    assert place(tmp_path, WAYPOST_PROJECT="said").project("flag") == Setting("flag", "--project")


def test_the_mark_goes_before_the_file_of_the_home(tmp_path: Path) -> None:
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "config.toml").write_text('[mail]\nproject = "usual"\n')
    assert place(tmp_path).project(None).value == "usual"
    mark(tmp_path, "marked")
    assert place(tmp_path).project(None).value == "marked"


def test_the_only_project_needs_no_name(tmp_path: Path) -> None:
    assert place(tmp_path).project(None, lambda: ["one"]) == Setting("one", "the only project")


@pytest.mark.parametrize("known", [[], ["one", "two"]])
def test_without_a_sign_the_hint_says_how(tmp_path: Path, known: list[str]) -> None:
    with pytest.raises(UsageError) as told:
        place(tmp_path).project(None, lambda: known)
    assert "--project" in str(told.value.hint)


def test_a_mark_without_a_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".waypost.toml").write_text("")
    with pytest.raises(UsageError, match="names no project"):
        place(tmp_path).project(None)


@pytest.mark.parametrize("name", ["../x", "", "a b", "a..b", "x" * 65])
def test_a_name_that_is_none_is_refused_with_its_source(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="from --agent"):
        place(tmp_path).agent(name)


def test_the_agent_is_told_by_the_program_that_runs_us(tmp_path: Path) -> None:
    found = place(tmp_path, CLAUDECODE="1").agent(None, lambda: ["claude", "codex"])
    assert found == Setting("claude", "CLAUDECODE")


def test_the_variables_of_oacp_name_the_agent_too(tmp_path: Path) -> None:
    assert place(tmp_path, OACP_AGENT="codex").agent(None) == Setting("codex", "OACP_AGENT")


def test_two_agents_and_no_sign_is_a_question(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        place(tmp_path).agent(None, lambda: ["claude", "codex"])
    assert "--agent" in str(told.value.hint)
    assert "codex" in str(told.value.hint)


def test_a_person_is_meant_where_no_agents_program_runs_us(tmp_path: Path) -> None:
    found = place(tmp_path).agent(None, lambda: ["claude", "ada"], person="ada")
    assert found == Setting("ada", "your login")
    running = place(tmp_path, CLAUDECODE="1").agent(None, lambda: ["claude", "ada"], person="ada")
    assert running.value == "claude"


def test_an_agents_program_never_speaks_for_a_person(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        place(tmp_path, GEMINI_CLI="1").agent(None, lambda: ["claude", "ada"], person="ada")
