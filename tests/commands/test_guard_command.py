"""`waypost guard` in real repositories: commits keep off files that another agent holds."""

import os
import shutil
from pathlib import Path

import pytest

from commands.terminal import shell
from commands.workplace import Workplace, commit, workplace
from waypost.setup.hook_file import KEPT

__all__ = ["workplace"]
HOOK = "#!/bin/sh\necho theirs ran >&2\n"


def hooks(place: Workplace) -> Path:
    return place.folder / ".git" / "hooks"


def put_hook(place: Workplace, text: str = HOOK) -> Path:
    hooks(place).mkdir(exist_ok=True)
    path = hooks(place) / "pre-commit"
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_commit_to_files_of_another_is_refused(workplace: Workplace) -> None:
    workplace.hold("codex", "src/**")
    workplace.tell("guard", "install")
    workplace.write("src/login.ts", "x")
    went, said = commit(workplace)
    assert not went
    assert "  src/login.ts  codex, exclusive until " in said
    assert "hint:  ask codex to release" in said
    assert commit(workplace, "codex") == (True, "")


def test_other_files_can_be_committed(workplace: Workplace) -> None:
    workplace.hold("codex", "src/**")
    workplace.tell("guard", "install")
    workplace.write("docs/login.md", "x")
    assert commit(workplace) == (True, "")


def test_a_person_is_nobody_s_agent(workplace: Workplace) -> None:
    workplace.hold("codex", "**")
    workplace.tell("guard", "install")
    went, said = commit(workplace, None)
    assert not went
    assert "WAYPOST_AGENT=codex" in said


@pytest.mark.parametrize(
    "change", ["mv src/a other", "mv other src/b", "rm src/a", "chmod +x src/a"]
)
def test_a_move_a_removal_and_new_rights_count_as_changes(
    change: str, workplace: Workplace
) -> None:
    workplace.write("src/a", "text that is long enough to be seen to move")
    workplace.write("other", "another text that is long enough to be seen to move")
    assert commit(workplace)[0]
    workplace.hold("codex", "src/**")
    workplace.tell("guard", "install")
    shell(change, workplace.folder)
    assert not commit(workplace)[0]


ODD = ["a b", "quote'\"", "tab\there", "new\nline", "ünï", "-rf", "[x]", b"\xff\xfe", ".env"]


@pytest.mark.parametrize("name", ODD)
def test_unusual_names_are_guarded_too(name: str | bytes, workplace: Workplace) -> None:
    workplace.hold("codex", "src/*")
    workplace.tell("guard", "install")
    (workplace.folder / "src").mkdir()
    (workplace.folder / "src" / os.fsdecode(name)).write_text("x")
    went, said = commit(workplace)
    assert not went
    assert "codex holds src/" in said


def test_what_a_merge_only_takes_over_is_not_asked_for(workplace: Workplace) -> None:
    workplace.write("both", "1\n")
    commit(workplace)
    workplace.git("switch", "-q", "-c", "theirs")
    workplace.write("src/a", "theirs")
    workplace.write("both", "2\n")
    commit(workplace)
    workplace.git("switch", "-q", "main")
    workplace.write("both", "3\n")
    commit(workplace)
    workplace.hold("codex", "src/**")
    workplace.tell("guard", "install")
    workplace.git("merge", "theirs")
    workplace.write("both", "4\n")
    assert commit(workplace) == (True, "")


def test_a_hook_that_was_there_runs_too_and_comes_back(workplace: Workplace) -> None:
    path = put_hook(workplace)
    workplace.tell("guard", "install")
    workplace.hold("codex", "src/**")
    workplace.write("a", "x")
    assert commit(workplace) == (True, "theirs ran\n")
    workplace.tell("guard", "uninstall")
    assert path.read_text() == HOOK
    assert not (hooks(workplace) / KEPT).exists()
    assert path.stat().st_mode & 0o777 == 0o755


def test_the_other_hook_can_still_refuse(workplace: Workplace) -> None:
    put_hook(workplace, "#!/bin/sh\nexit 1\n")
    workplace.hold("codex", "src/**")
    workplace.tell("guard", "install")
    workplace.write("a", "x")
    assert not commit(workplace)[0]


def test_installing_twice_and_taking_out_twice_is_harmless(workplace: Workplace) -> None:
    put_hook(workplace)
    words = ("install", "install", "uninstall", "uninstall")
    told = [workplace.tell("guard", word)["change"] for word in words]
    assert told == ["changed", "unchanged", "removed", "unchanged"]
    assert (hooks(workplace) / "pre-commit").read_text() == HOOK


def test_a_hook_kept_earlier_is_never_written_over(workplace: Workplace) -> None:
    put_hook(workplace)
    (hooks(workplace) / KEPT).write_text("earlier")
    code, error = workplace.fail("guard", "install")
    assert (code, error["error"]) == (1, "conflict")
    assert (hooks(workplace) / KEPT).read_text() == "earlier"


def test_one_hook_serves_every_worktree(workplace: Workplace, tmp_path: Path) -> None:
    commit(workplace)
    workplace.hold("codex", "src/**")
    workplace.git("worktree", "add", "-q", str(tmp_path / "second"))
    other = Workplace(tmp_path)
    other.folder = tmp_path / "second"
    workplace.tell("guard", "install")
    other.write("src/a", "x")
    assert not commit(other)[0]
    other.git("mv", "src", "lib")
    assert commit(other) == (True, "")


def test_hooks_inside_of_the_repository_are_used_where_they_are(workplace: Workplace) -> None:
    workplace.git("config", "core.hooksPath", ".githooks")
    told = workplace.tell("guard", "install")
    assert told["path"] == str(workplace.folder / ".githooks" / "pre-commit")
    workplace.hold("codex", "src/**")
    workplace.write("src/a", "x")
    assert not commit(workplace)[0]


@pytest.mark.parametrize("path", [".husky/_", "/nowhere/hooks"])
def test_hooks_that_others_look_after_are_left_to_them(path: str, workplace: Workplace) -> None:
    workplace.git("config", "core.hooksPath", path)
    code, error = workplace.fail("guard", "install")
    assert code == 2
    assert 'add the line "waypost guard check"' in error["hint"]


def test_lefthook_is_left_its_hooks(workplace: Workplace) -> None:
    put_hook(workplace, "#!/bin/sh\ncall_lefthook run pre-commit\n")
    assert "lefthook.yml" in workplace.fail("guard", "install")[1]["hint"]


def test_without_an_office_the_commit_passes_with_one_line(workplace: Workplace) -> None:
    workplace.tell("guard", "install")
    workplace.write("a", "x")
    went, said = commit(workplace)
    assert went
    assert (
        said == f"waypost guard: nobody was asked, since there is no office at {workplace.office}\n"
    )
    assert not workplace.office.exists()


def test_without_waypost_the_commit_passes_with_one_line(
    workplace: Workplace, tmp_path: Path
) -> None:
    workplace.tell("guard", "install")
    shutil.rmtree(tmp_path / "bin")
    workplace.write("a", "x")
    git = os.path.dirname(shutil.which("git") or "")
    workplace.git("add", "-A")
    done = workplace.git("commit", "-q", "-m", "x", PATH=f"{git}{os.pathsep}/bin")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert "nobody was asked" in done.stderr


def test_some_files_can_be_asked_for_at_any_time(workplace: Workplace) -> None:
    workplace.hold("codex", "src/**", mode="shared_read")
    code, error = workplace.fail("guard", "check", "--agent", "claude", "src/a", "b")
    assert (code, error["error"]) == (7, "conflict")
    assert error["conflicts"][0]["path"] == "src/a"
    assert workplace.tell("guard", "check", "b", "--agent", "claude") == {
        "checked": 1,
        "asked": True,
    }


def test_paths_are_those_of_the_folder_that_bears_the_mark(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace.write("web/.waypost.toml", 'project = "my-app"\n')
    workplace.write("web/src/a", "x")
    workplace.write("src/b", "x")
    workplace.hold("codex", "src/**")
    workplace.git("add", "-A")
    monkeypatch.chdir(workplace.folder / "web")
    _, error = workplace.fail("guard", "check", "--agent", "claude")
    assert [one["path"] for one in error["conflicts"]] == ["src/a"]
    assert workplace.fail("guard", "check", "../src/b")[0] == 2


def test_one_project_may_span_repositories(workplace: Workplace, tmp_path: Path) -> None:
    (workplace.folder / ".waypost.toml").rename(tmp_path / ".waypost.toml")
    workplace.hold("codex", "repository/src/**")
    workplace.tell("guard", "install")
    workplace.write("src/a", "x")
    went, said = commit(workplace)
    assert not went
    assert "codex holds repository/src/a" in said


def test_a_broken_mark_lets_the_commit_pass_with_one_line(workplace: Workplace) -> None:
    workplace.hold("codex", "**")
    workplace.tell("guard", "install", "--project", "my-app")
    workplace.write(".waypost.toml", "broken")
    went, said = commit(workplace)
    assert (went, said.count("\n")) == (True, 1)
    assert "nobody was asked" in said


def test_outside_of_a_repository_it_says_so(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace.user)
    code, error = workplace.fail("guard", "install")
    assert (code, error["hint"]) == (2, "run it inside a working tree")


def test_an_unknown_word_gets_the_near_one(workplace: Workplace) -> None:
    assert workplace.fail("guard", "instal")[1]["hint"].startswith('did you mean "install"')
    assert workplace.fail("guard", "install", "a.ts")[0] == 2
