"""Settings come from the flag, the environment, the file or the default, and say from which."""

from pathlib import Path

import pytest

from waypost.errors import UsageError
from waypost.runtime.config import Config, Setting, write_journal


def config(home: Path, text: str = "", **environment: str) -> Config:
    (home / "config.toml").write_text(text)
    return Config(str(home), environment)


def test_the_default_holds_where_nothing_else_is_said(tmp_path: Path) -> None:
    assert config(tmp_path).find("serve.http") == Setting("127.0.0.1:7117", "default")


def test_the_file_goes_before_the_default(tmp_path: Path) -> None:
    found = config(tmp_path, '[serve]\nhttp = ":9"').find("serve.http")
    assert found == Setting(":9", str(tmp_path / "config.toml"))


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    found = config(tmp_path, '[serve]\nhttp = ":9"', WAYPOST_HTTP=":8").find("serve.http")
    assert found == Setting(":8", "WAYPOST_HTTP")


def test_the_flag_goes_before_all(tmp_path: Path) -> None:
    found = config(tmp_path, '[serve]\nhttp = ":9"', WAYPOST_HTTP=":8").find("serve.http", ":7")
    assert found == Setting(":7", "--http")


def test_a_setting_that_nobody_gave_says_where_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        config(tmp_path).find("mail.agent")
    assert "WAYPOST_AGENT" in str(told.value.hint)


def test_a_misspelt_setting_is_refused_with_the_near_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        config(tmp_path, '[serve]\nhtpp = ":9"').find("serve.http")
    assert str(told.value.hint).startswith('did you mean "serve.http"')


@pytest.mark.parametrize(
    "text", ["serve = [", "[serve]\nhttp = 7117", "[serve]\nhttp = ''", "x" * 70000]
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as told:
        config(tmp_path, text).find("serve.http")
    assert "config.toml" in told.value.details


FILES = {
    "none": "",
    "with others": '# mine\nserve.http = ":9"\n[mail]\nproject = "shop"  # too\n',
    "with a section": '[office]  # here\nurl = "http://x"\n[mail]\nagent = "claude"\n',
    "with another journal": '[office]\njournal = "nats://old/x"\n',
    "in one line": 'office.journal = "nats://old/x"\n[mail]\nproject = "shop"\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_the_journal_is_written_among_what_is_there(tmp_path: Path, text: str) -> None:
    config(tmp_path, text)
    path, address = tmp_path / "config.toml", 'nats://a:"\\b@c/x?creds=/ä'
    write_journal(str(tmp_path), address)
    found = Config(str(tmp_path), {}).find("office.journal")
    assert (found.value, path.stat().st_mode & 0o777) == (address, 0o600)
    write_journal(str(tmp_path), None)
    assert Config(str(tmp_path), {}).look("office.journal") is None
    kept = [line for line in text.splitlines() if "nats:" not in line]
    assert [line for line in path.read_text().splitlines() if line in kept] == kept


@pytest.mark.parametrize("text", ['office = { journal = "nats://old/x" }', "x = ["])
def test_a_file_that_can_not_be_changed_safely_stays(tmp_path: Path, text: str) -> None:
    config(tmp_path, text)
    with pytest.raises(UsageError):
        write_journal(str(tmp_path), "nats://new/x")
    assert (tmp_path / "config.toml").read_text() == text
    assert [one.name for one in tmp_path.iterdir()] == ["config.toml"]
