"""The tree of the home: made whole, found by name, and never left by one."""

import os
from pathlib import Path

import pytest

from waypost.carriers.folders.home import Home, prepare
from waypost.errors import (
    ConflictError,
    NotFoundError,
    UnknownRecipientError,
    UnreadableError,
    UsageError,
)

OUTWARDS = ["../evil", "../../evil", "/etc", "a/b", "..", ".hidden", "", "a\x00b", "-x", "a" * 65]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(str(tmp_path / "home"))
    made.create_project("my-app").add_agent("codex")
    return made


def test_a_project_has_the_folders_of_the_documents(home: Home) -> None:
    path = Path(home.project("my-app").path)
    folders = [
        "packets/review",
        "packets/findings",
        "merges",
        "memory",
        "artifacts",
        "checkpoints",
        "state",
    ]
    folders += [f"agents/codex/{one}" for one in ("inbox/archive", "outbox", "dead_letter")]
    assert [folder for folder in folders if not (path / folder).is_dir()] == []
    assert (path / "workspace.json").is_file()


def test_making_it_again_completes_it_and_changes_nothing(home: Home) -> None:
    path = Path(home.project("my-app").path)
    before = (path / "workspace.json").read_bytes()
    (path / "memory").rmdir()
    home.create_project("my-app")
    assert (path / "memory").is_dir()
    assert (path / "workspace.json").read_bytes() == before


def test_adding_an_agent_tells_whether_it_is_new(home: Home) -> None:
    project = home.project("my-app")
    assert [project.add_agent(name) for name in ("gemini", "gemini")] == [True, False]
    assert project.agents() == ["codex", "gemini"]


@pytest.mark.parametrize("name", OUTWARDS)
def test_no_name_leads_out_of_the_home(home: Home, name: str, tmp_path: Path) -> None:
    project = home.project("my-app")
    before = sorted(tmp_path.rglob("*"))
    for step in (home.project, home.create_project, project.mailbox, project.add_agent):
        with pytest.raises(UsageError, match="is not a name"):
            step(name)
    assert sorted(tmp_path.rglob("*")) == before


def test_names_that_differ_only_in_case_are_refused(home: Home) -> None:
    with pytest.raises(ConflictError, match="only in case"):
        home.create_project("My-App")
    with pytest.raises(ConflictError, match="only in case"):
        home.project("my-app").add_agent("Codex")


def test_who_is_not_there_is_refused_with_the_near_names(home: Home) -> None:
    with pytest.raises(NotFoundError) as project:
        home.project("my-ap")
    with pytest.raises(UnknownRecipientError) as agent:
        home.project("my-app").mailbox("codx")
    assert "my-app" in (project.value.hint or "")
    assert "codex" in (agent.value.hint or "")


def test_files_and_strange_names_among_the_agents_are_no_agents(home: Home) -> None:
    agents = Path(home.project("my-app").path, "agents")
    (agents / "README").write_text("about the agents")
    (agents / ".trash").mkdir()
    (agents / "a b").mkdir()
    assert home.project("my-app").agents() == ["codex"]


def test_a_home_that_is_not_there_has_no_projects(tmp_path: Path) -> None:
    assert Home(str(tmp_path / "nowhere")).projects() == []


def test_preparing_makes_what_is_missing(home: Home) -> None:
    box = home.project("my-app").mailbox("codex")
    os.rmdir(box.outbox)
    prepare(box, "outbox", ".sending")
    assert os.path.isdir(box.outbox)
    assert os.path.isdir(box.sending)


def test_a_mailbox_that_is_a_link_outwards_is_refused(home: Home, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    box = home.project("my-app").future_mailbox("mallory")
    os.symlink(tmp_path / "outside", box.path)
    with pytest.raises(UnreadableError, match="leads out"):
        prepare(box, "inbox")
    assert os.listdir(tmp_path / "outside") == []
