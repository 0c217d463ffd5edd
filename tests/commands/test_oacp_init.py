"""`oacp init` and `oacp agent add`: making the tree, once and completely."""

import json
from pathlib import Path

import pytest

from commands.desk import AGENTS, PROJECT, Desk, desk

__all__ = ["desk"]
TREE = [
    "packets/review",
    "packets/findings",
    "merges",
    "memory",
    "artifacts",
    "checkpoints",
    "state",
    "agents/claude/inbox/archive",
    "agents/claude/outbox",
    "agents/claude/dead_letter",
]


def test_the_tree_is_the_documents_one(desk: Desk) -> None:
    assert [folder for folder in TREE if not (desk.project / folder).is_dir()] == []
    assert sorted(path.name for path in (desk.project / "agents").iterdir()) == sorted(AGENTS)
    known = json.loads((desk.project / "workspace.json").read_text())
    assert (known["project_name"], known["repo_path"]) == (PROJECT, None)


def test_the_usual_agents_are_there_unless_others_are_named(desk: Desk) -> None:
    assert desk.tell("init", "usual")["agents"] == ["claude", "codex", "cursor"]
    assert desk.tell("init", "none", "--agents", "")["agents"] == []


def test_json_says_where_it_is(desk: Desk) -> None:
    made = desk.tell("init", "other", "--agents", "a, b")
    assert made["project_root"] == str(desk.home / "projects" / "other")
    assert made["workspace_path"] == made["project_root"] + "/workspace.json"
    assert (made["repo_dir"], made["agents"]) == (None, ["a", "b"])


def test_a_dry_run_makes_nothing(desk: Desk) -> None:
    before = desk.files()
    assert desk.say("init", "other", "--dry-run").out.startswith("would make ")
    assert desk.files() == before
    assert not (desk.home / "projects" / "other").exists()


def test_an_existing_project_is_refused_when_asked(desk: Desk) -> None:
    code, error = desk.fail("init", PROJECT, "--fail-if-exists")
    assert (code, error["error"]) == (3, "conflict")


def test_a_repository_gets_a_link_to_its_project(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "repository" / "src").mkdir(parents=True)
    desk.tell("init", "linked", "--repo", "repository", "--agents", "claude")
    monkeypatch.delenv("OACP_HOME")
    monkeypatch.chdir(tmp_path / "repository" / "src")
    assert desk.tell("inbox")["project"] == "linked"


@pytest.mark.parametrize("name", ["../../evil", "a/b", "", ".hidden", "a b", "x" * 65, "a..b"])
def test_a_name_that_leads_out_is_no_project(desk: Desk, name: str) -> None:
    code, error = desk.fail("init", name)
    assert (code, error["error"]) == (2, "usage")
    assert "a name has 1 to 64" in error["hint"]


def test_a_bad_agent_s_name_leaves_no_half_project(desk: Desk) -> None:
    assert desk.fail("init", "other", "--agents", "good,../evil")[0] == 2
    assert not (desk.home / "projects" / "other").exists()


def test_names_that_differ_only_in_case_are_refused(desk: Desk) -> None:
    for words in (["init", "My-App"], ["agent", "add", PROJECT, "Codex"]):
        code, error = desk.fail(*words)
        assert (code, error["error"]) == (1, "conflict")
        assert "only in case" in error["details"]


def test_an_agent_is_added_once(desk: Desk) -> None:
    assert desk.tell("agent", "add", PROJECT, "reviewer")["created"] is True
    assert desk.tell("add-agent", "reviewer")["created"] is False
    assert desk.send("--to", "reviewer")["to"] == "reviewer"


def test_adding_an_agent_to_no_project_says_which_there_are(desk: Desk) -> None:
    code, error = desk.fail("agent", "add", "my-ap", "reviewer")
    assert (code, error["hint"]) == (3, 'did you mean "my-app"?')


def test_a_folder_of_the_repository_is_linked_among_the_artifacts(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "repo" / "docs").mkdir(parents=True)
    repo = str(tmp_path / "repo")
    desk.tell("init", "other", "--repo", repo, "--link", "docs:papers")
    link = desk.home / "projects" / "other" / "artifacts" / "papers"
    assert link.resolve() == tmp_path / "repo" / "docs"


@pytest.mark.parametrize("link", ["docs", "docs:", ":papers", "docs:../up", "docs:/etc/x"])
def test_a_link_that_leads_elsewhere_is_refused(desk: Desk, tmp_path: Path, link: str) -> None:
    assert desk.fail("init", "other", "--repo", str(tmp_path), "--link", link)[0] == 2
