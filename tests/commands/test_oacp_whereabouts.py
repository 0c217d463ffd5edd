"""Which home, which project, which agent: by flag, by environment, by where one stands."""

from pathlib import Path

import pytest

from commands.desk import PROJECT, Desk, desk

__all__ = ["desk"]


@pytest.fixture
def homes(desk: Desk, tmp_path: Path) -> dict[str, Path]:
    """Four homes, each with a project that is called like it."""
    places = {name: tmp_path / name for name in ("flag", "variable", "found")}
    places["default"] = tmp_path / "oacp"
    for name, home in places.items():
        desk.tell("init", name, "--agents", "claude", "--oacp-dir", str(home))
    return places


def used(desk: Desk, *words: str) -> str:
    """The project that a command without further words works in."""
    return str(desk.tell("inbox", *words)["project"])


def test_the_flag_comes_first_then_the_variable_then_the_place_then_the_default(
    desk: Desk, homes: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(homes["found"] / "projects" / "found" / "agents")
    monkeypatch.setenv("OACP_HOME", str(homes["variable"]))
    assert used(desk, "--oacp-dir", str(homes["flag"])) == "flag"
    assert used(desk) == "variable"
    monkeypatch.delenv("OACP_HOME")
    assert used(desk) == "found"
    monkeypatch.chdir("/")
    assert used(desk) == "default"


def test_an_empty_variable_says_nothing(
    desk: Desk, homes: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OACP_HOME", "")
    assert used(desk) == "default"


@pytest.mark.parametrize("target", ["projects/found", "projects/found/workspace.json"])
def test_a_link_above_leads_to_the_project(
    desk: Desk,
    homes: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    (tmp_path / "repository" / "src").mkdir(parents=True)
    (tmp_path / "repository" / ".oacp").symlink_to(homes["found"] / target)
    monkeypatch.chdir(tmp_path / "repository" / "src")
    monkeypatch.delenv("OACP_HOME")
    assert used(desk) == "found"


@pytest.mark.parametrize("target", ["nowhere", "loop", "repository"])
def test_a_link_to_no_project_is_passed_over(
    desk: Desk,
    homes: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
) -> None:
    (tmp_path / "repository").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "repository" / ".oacp").symlink_to(tmp_path / target)
    monkeypatch.chdir(tmp_path / "repository")
    monkeypatch.delenv("OACP_HOME")
    assert used(desk) == "default"


def test_another_tool_s_workspace_file_is_no_mark(
    desk: Desk, homes: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "workspace.json").write_text("{}")
    monkeypatch.delenv("OACP_HOME")
    assert used(desk) == "default"


def test_two_projects_have_to_be_told_apart(desk: Desk) -> None:
    desk.tell("init", "second")
    code, error = desk.fail("inbox", "--agent", "claude")
    assert (code, error["hint"]) == (2, "name it: my-app, second")
    assert used(desk, "second", "--agent", "claude") == "second"
    assert used(desk, "--project", "second", "--agent", "claude") == "second"


def test_no_project_at_all_says_how_to_make_one(desk: Desk, tmp_path: Path) -> None:
    code, error = desk.fail("inbox", "--oacp-dir", str(tmp_path / "nothing"))
    assert (code, error["hint"]) == (2, "oacp init my-project makes one")


# -- who speaks ------------------------------------------------------------------------------------


def sender(desk: Desk, *words: str) -> str:
    to = ("--to", "gemini", "--type", "notification", "-s", "Hello", "-b", "Look.")
    return str(desk.tell("send", *to, *words)["from"])


def test_the_flag_comes_before_the_variables(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, agent in (("CLAUDECODE", "1"), ("AGENT_NAME", "gemini"), ("OACP_AGENT", "codex")):
        monkeypatch.setenv(name, agent)
    assert sender(desk, "--from", "claude") == "claude"
    assert sender(desk) == "codex"
    monkeypatch.delenv("OACP_AGENT")
    assert sender(desk) == "gemini"
    monkeypatch.delenv("AGENT_NAME")
    assert sender(desk) == "claude"


MARKS = [
    ("CLAUDECODE", "1", "claude"),
    ("CLAUDE_CODE", "1", "claude"),
    ("CODEX_SHELL", "1", "codex"),
    ("CODEX_THREAD_ID", "0198", "codex"),
    ("GEMINI_CLI", "1", "gemini"),
    ("OACP_RUNTIME", "codex", "codex"),
]


@pytest.mark.parametrize(("name", "value", "agent"), MARKS)
def test_the_program_around_us_says_who_we_are(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, value: str, agent: str
) -> None:
    monkeypatch.setenv(name, value)
    assert sender(desk) == agent


@pytest.mark.parametrize(("name", "value"), [("CLAUDECODE", ""), ("CODEX_API_KEY", "x")])
def test_what_says_nothing_about_the_program_is_no_mark(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    assert desk.fail("inbox")[0] == 2


def test_a_card_says_which_agent_runs_in_which_program(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.tell("agent", "add", PROJECT, "alice")
    card = desk.project / "agents" / "alice" / "agent_card.yaml"
    card.write_text("name: alice\nruntime: claude\n")
    monkeypatch.setenv("CLAUDECODE", "1")
    assert sender(desk) == "alice"


@pytest.mark.parametrize("name", ["OACP_AGENT", "AGENT_NAME"])
def test_a_variable_that_names_a_stranger_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "cladue")
    code, error = desk.fail("inbox")
    assert (code, error["hint"]) == (3, 'did you mean "claude"?')


def test_an_only_agent_need_not_be_named(desk: Desk) -> None:
    desk.tell("init", "lonely", "--agents", "claude")
    assert desk.tell("inbox", "lonely")["agents"][0]["agent"] == "claude"


def test_nobody_known_means_all_names_are_shown(desk: Desk) -> None:
    code, error = desk.fail("inbox")
    assert (code, error["error"]) == (2, "usage")
    assert error["hint"].endswith("claude, codex, gemini")
