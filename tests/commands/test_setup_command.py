"""`waypost setup`: what it adds, what it leaves alone, and how it takes it back."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from commands.workplace import Workplace, workplace
from waypost.setup.clients import CLIENTS
from waypost.setup.page_edits import BEGIN

__all__ = ["workplace"]
each_client = pytest.mark.parametrize("name", CLIENTS)
KEPT = {
    ".mcp.json": '{"mcpServers": {"github": {"type": "http", "url": "https://example.org/mcp"}}}',
    ".claude/settings.json": '{\n\t"model": "opus",\n\t"hooks": {"Stop": [{"hooks": []}]}\n}\n',
    "CLAUDE.md": "# Rules\r\n\r\nBe kind.\r\n",
    ".codex/config.toml": '# mine\nmodel = "gpt"\n\n[mcp_servers.github]\ncommand = "gh"\n',
    ".codex/hooks.json": '{"hooks": {"PreToolUse": []}}\n',
    "AGENTS.md": "# Rules",
    ".gemini/settings.json": '{\n  // dark at night\n  "theme": "dark",\n}\n',
    ".cursor/mcp.json": '{\n  "mcpServers": {\n    "github": {"command": "gh"} // ours\n  }\n}',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "say done"}]}}',
}


@each_client
def test_undo_gives_back_every_byte(name: str, workplace: Workplace) -> None:
    for path, text in KEPT.items():
        workplace.write(path, "").write_bytes(text.encode())
    before = workplace.files()
    workplace.tell("setup", name)
    assert workplace.files() != before
    workplace.tell("setup", name, "--undo")
    assert workplace.files() == before


@each_client
def test_undo_leaves_no_file_and_no_folder_that_wasn_t_there(
    name: str, workplace: Workplace
) -> None:
    before = sorted(os.listdir(workplace.folder))
    workplace.tell("setup", name)
    workplace.tell("setup", name, "--undo")
    assert sorted(os.listdir(workplace.folder)) == before


@each_client
def test_a_second_time_changes_nothing_and_says_so(name: str, workplace: Workplace) -> None:
    workplace.say("setup", name)
    before = workplace.files()
    assert workplace.say("setup", name).err.startswith("nothing to change\n")
    assert workplace.files() == before


@each_client
@pytest.mark.parametrize("options", [[], ["--http", "http://localhost:1/mcp"], ["--user"]])
def test_print_shows_the_changes_and_writes_nothing(
    name: str, options: list[str], workplace: Workplace
) -> None:
    before = workplace.files()
    said = workplace.say("setup", name, "--print", *options)
    assert workplace.files() == before
    assert "+" in said.out
    assert "waypost" in said.out
    told = workplace.tell("setup", name, *options)["changes"]
    assert [change["path"] for change in told] == [
        line.split()[1] for line in said.out.splitlines() if line.startswith("created")
    ]


def test_print_shows_only_the_lines_that_change(workplace: Workplace) -> None:
    workplace.write(
        ".mcp.json", '{\n  "mcpServers": {\n    "x": {"env": {"KEY": "hush"}}\n  },\n  "a": 1\n}\n'
    )
    out = workplace.say("setup", "claude", "--print").out
    assert '+    "waypost": {' in out
    assert '"a": 1' not in out


def test_another_name_and_project_renew_the_entry(workplace: Workplace) -> None:
    workplace.tell("setup", "codex")
    workplace.tell("setup", "codex", "--agent", "reviewer", "--project", "other")
    config = tomllib.loads((workplace.folder / ".codex/config.toml").read_text())
    assert config["mcp_servers"]["waypost"]["args"][1:] == [
        "--agent",
        "reviewer",
        "--project",
        "other",
    ]
    hooks = json.loads((workplace.folder / ".codex/hooks.json").read_text())["hooks"]
    assert [len(entries) for entries in hooks.values()] == [1, 1, 1]
    assert "codex" not in json.dumps(hooks)


def test_what_a_person_added_to_our_entry_stays(workplace: Workplace) -> None:
    workplace.write(".mcp.json", '{"mcpServers": {"waypost": {"command": "old", "timeout": 9000}}}')
    workplace.tell("setup", "claude")
    entry = json.loads((workplace.folder / ".mcp.json").read_text())["mcpServers"]["waypost"]
    assert (entry["command"], entry["timeout"]) == ("waypost", 9000)


def test_our_hook_in_a_group_of_others_is_renewed_in_its_place(workplace: Workplace) -> None:
    mine = {"type": "command", "command": "say hello"}
    old = {"type": "command", "command": "/old/waypost notice --agent x"}
    path = workplace.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [old, mine]}]}}),
    )
    workplace.tell("setup", "claude")
    (group,) = json.loads(path.read_text())["hooks"]["SessionStart"]
    assert (group["matcher"], group["hooks"][1]) == ("startup", mine)
    assert "--agent claude" in group["hooks"][0]["command"]
    workplace.tell("setup", "claude", "--undo")
    assert json.loads(path.read_text()) == {
        "hooks": {"SessionStart": [{"matcher": "startup", "hooks": [mine]}]}
    }


@each_client
def test_over_http_no_token_is_written_and_no_notice(name: str, workplace: Workplace) -> None:
    workplace.tell("setup", name)
    told = workplace.tell("setup", name, "--http", "http://127.0.0.1:7117/mcp")
    assert f"WAYPOST_TOKEN_{name.upper()}" in told["notes"][0]
    text = b"".join(workplace.files().values()).decode()
    assert f"WAYPOST_TOKEN_{name.upper()}" in text
    assert "http://127.0.0.1:7117/mcp" in text
    assert "notice" not in text
    assert '"command"' not in text


BAD_ADDRESSES = [
    "localhost:7117",
    "ftp://x/mcp",
    "http://",
    "http://ada:hush@localhost/mcp",
    "http://localhost/mcp?token=hush",
    "http://localhost:99999/",
    "http://local\x1bhost/",
]


@pytest.mark.parametrize("url", BAD_ADDRESSES)
def test_what_is_more_or_less_than_an_address_is_refused(url: str, workplace: Workplace) -> None:
    code, error = workplace.fail("setup", "claude", "--http", url)
    assert (code, error["error"]) == (2, "usage")
    assert "hush" not in error["details"]


@pytest.mark.parametrize("name", ["claude", "gemini"])
def test_a_page_that_takes_in_the_shared_one_leaves_the_paragraph_to_it(
    name: str, workplace: Workplace
) -> None:
    page = workplace.write(CLIENTS[name].project.page or "", "See @AGENTS.md\n")
    workplace.tell("setup", name)
    assert page.read_text() == "See @AGENTS.md\n"
    assert BEGIN in (workplace.folder / "AGENTS.md").read_text()


def test_gemini_s_own_choice_of_page_counts(workplace: Workplace) -> None:
    workplace.write(".gemini/settings.json", '{"context": {"fileName": ["NOTES.md", "AGENTS.md"]}}')
    workplace.tell("setup", "gemini")
    assert BEGIN in (workplace.folder / "AGENTS.md").read_text()


def test_the_paragraph_stays_while_another_client_reads_it(workplace: Workplace) -> None:
    for name in ("codex", "cursor"):
        workplace.tell("setup", name)
    workplace.tell("setup", "codex", "--undo")
    assert BEGIN in (workplace.folder / "AGENTS.md").read_text()
    workplace.tell("setup", "cursor", "--undo")
    assert not (workplace.folder / "AGENTS.md").exists()


def test_a_persons_own_settings_can_be_meant(workplace: Workplace) -> None:
    for name in CLIENTS:
        workplace.tell("setup", name, "--user")
    assert sorted(os.listdir(workplace.folder)) == [".git", ".waypost.toml"]
    own = json.loads((workplace.user / ".claude.json").read_text())
    assert own["mcpServers"]["waypost"]["args"] == ["mcp", "--agent", "claude"]
    assert (workplace.user / ".codex" / "AGENTS.md").exists()
    for name in CLIENTS:
        workplace.tell("setup", name, "--user", "--undo")
    assert [path for path in workplace.user.rglob("*") if path.is_file()] == []


def test_one_broken_file_keeps_all_from_being_written(workplace: Workplace) -> None:
    workplace.write(".claude/settings.json", '{\n  "hooks": {\n')
    code, error = workplace.fail("setup", "claude")
    assert (code, error["error"]) == (2, "usage")
    assert ".claude/settings.json can't be read at line 3" in error["details"]


def test_a_link_out_of_the_project_is_not_followed(workplace: Workplace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("Mine.\n")
    (workplace.folder / "CLAUDE.md").symlink_to(tmp_path / "elsewhere.md")
    _, error = workplace.fail("setup", "claude")
    assert "is a link out of" in error["details"]


def test_a_link_inside_the_project_stays_a_link(workplace: Workplace) -> None:
    workplace.write("AGENTS.md", "# Rules\n")
    (workplace.folder / "CLAUDE.md").symlink_to("AGENTS.md")
    workplace.tell("setup", "claude")
    workplace.tell("setup", "codex")
    assert (workplace.folder / "CLAUDE.md").is_symlink()
    assert (workplace.folder / "AGENTS.md").read_text().count(BEGIN) == 1
    workplace.tell("setup", "claude", "--undo")
    assert BEGIN in (workplace.folder / "AGENTS.md").read_text()


def test_a_file_keeps_its_rights(workplace: Workplace) -> None:
    path = workplace.write(".mcp.json", "{}")
    path.chmod(0o600)
    workplace.tell("setup", "claude")
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_writes_where_the_project_is_also_from_below(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace.write("src/deep/x", "")
    monkeypatch.chdir(workplace.folder / "src" / "deep")
    assert workplace.tell("setup", "claude")["folder"] == str(workplace.folder)
    assert (workplace.folder / ".mcp.json").exists()


def test_without_a_project_it_asks_which(workplace: Workplace) -> None:
    (workplace.folder / ".waypost.toml").unlink()
    code, error = workplace.fail("setup", "claude")
    assert (code, "--project" in error["hint"]) == (2, True)


def test_an_unknown_client_gets_the_near_one(workplace: Workplace) -> None:
    code, error = workplace.fail("setup", "claud")
    assert (code, error["hint"]) == (2, 'did you mean "claude"?')
