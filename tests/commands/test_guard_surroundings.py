"""`waypost guard` where Git is set up oddly, and where repository or office is another."""

from pathlib import Path

import pytest

from commands.workplace import Workplace, commit, workplace
from office_town import Town, caller

__all__ = ["workplace"]


def test_no_setting_of_git_hides_a_change(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting, value in (("diff.relative", "true"), ("diff.ignoreSubmodules", "all")):
        workplace.git("config", setting, value)
    workplace.write("src/a", "x")
    workplace.write("docs/a", "x")
    workplace.hold("codex", "src/**", "library")
    workplace.git("add", "-A")
    commit_of_another = f"160000,{'1' * 40},library"
    workplace.git("update-index", "--add", "--cacheinfo", commit_of_another)
    monkeypatch.chdir(workplace.folder / "docs")
    _, error = workplace.fail("guard", "check", "--agent", "claude")
    assert [one["path"] for one in error["conflicts"]] == ["src/a", "library"]


def test_a_library_s_own_repository_is_guarded_by_its_own_hook(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Workplace(tmp_path)
    library.folder = tmp_path / "library"
    library.folder.mkdir()
    library.git("init", "-q")
    library.write("a.c", "x")
    commit(library)
    allow = ("-c", "protocol.file.allow=always")
    workplace.git(*allow, "submodule", "add", "-q", str(library.folder), "lib")
    workplace.hold("codex", "lib/**")
    library.folder = workplace.folder / "lib"
    monkeypatch.chdir(library.folder)
    path = Path(workplace.tell("guard", "install")["path"])
    assert path == workplace.folder / ".git/modules/lib/hooks/pre-commit"
    library.write("a.c", "y")
    went, said = commit(library)
    assert (went, "codex holds lib/a.c" in said) == (False, True)


@pytest.mark.parametrize("path", ["", "/dev/null"])
def test_where_hooks_are_turned_off_it_says_so(path: str, workplace: Workplace) -> None:
    workplace.git("config", "core.hooksPath", path)
    code, error = workplace.fail("guard", "install")
    assert (code, error["details"]) == (2, "core.hooksPath turns all hooks off here")
    assert workplace.tell("guard", "uninstall")["change"] == "unchanged"


def test_an_office_elsewhere_is_asked_over_there(
    town: Town, workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = {name: town.office.register(caller(name)).token for name in ("codex", "claude")}
    town.office.reserve(caller("codex"), ["src/**"])
    town.start()
    monkeypatch.setenv("WAYPOST_URL", town.where["url"])
    monkeypatch.setenv("WAYPOST_TOKEN", str(tokens["claude"]))
    assert workplace.fail("guard", "check", "src/a")[0] == 7
    monkeypatch.setenv("WAYPOST_TOKEN", str(tokens["codex"]))
    assert workplace.tell("guard", "check", "src/a") == {"checked": 1, "asked": True}
