"""Settings come from the flag, the environment, the file or the default, and say from which."""

from pathlib import Path

import pytest

from waypost.errors import UsageError
from waypost.runtime.config import Config, Setting


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
