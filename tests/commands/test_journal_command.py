"""`waypost journal`: a home's office goes into a cluster and back, and its settings say so."""

from pathlib import Path
from typing import Any

import pytest

from commands.desk import leave_home
from commands.terminal import Said, quick
from faces.clients import served
from stream_servers import Servers


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a shop in it."""
    leave_home(monkeypatch, tmp_path)
    folder = tmp_path / "home"
    monkeypatch.setenv("WAYPOST_HOME", str(folder))
    words = ("init", "shop", "--agents", "claude,codex", "--person", "ada")
    assert quick("waypost", *words, "--json").code == 0
    return folder


def migrate(*words: str) -> Said:
    return quick("waypost", "journal", "migrate", *words)


def migrated(*words: str) -> dict[str, Any]:
    said = migrate(*words, "--json")
    assert said.code == 0, said
    done: dict[str, Any] = said.objects[0]
    return done


def agents() -> list[str]:
    said = quick("waypost", "agents", "--project", "shop", "--json")
    return sorted(one["name"] for one in said.objects[0]["agents"])


def test_every_command_follows_the_office_there_and_back(home: Path, servers: Servers) -> None:
    before, address = agents(), servers.address()
    there = migrated("--to", address)
    assert (there["from"], there["to"], there["dry_run"]) == (str(home), address, False)
    assert Path(there["backup"]).is_file()
    assert address in (home / "config.toml").read_text()
    assert agents() == before
    back = migrated("--to", "local")
    assert (back["from"], back["to"], back["tip"]) == (address, str(home), there["tip"])
    assert address not in (home / "config.toml").read_text()
    assert agents() == before
    assert migrated("--to", "local")["events"] == back["events"]  # it is there already


def test_a_trial_tells_what_would_be_done(home: Path, servers: Servers) -> None:
    said = migrate("--to", servers.address(), "--dry-run")
    assert (said.code, said.out.startswith(f"would move {home} to nats://")) == (0, True)
    assert not (home / "config.toml").exists()
    assert migrate("--to", "local", "--dry-run").code == 0


def test_an_office_that_is_served_stays(home: Path, servers: Servers) -> None:
    with served(home):
        said = migrate("--to", servers.address(), "--json")
    assert (said.code, said.objects[0]["error"]) == (1, "conflict")
    assert "serves" in said.objects[0]["details"]


def test_there_must_be_an_office(home: Path, tmp_path: Path, servers: Servers) -> None:
    said = migrate("--to", servers.address(), "--home", str(tmp_path / "none"), "--json")
    assert (said.code, said.objects[0]["error"]) == (3, "not_found")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("target", ["elsewhere", "http://x/office", "nats://"])
def test_what_is_no_target_is_refused(home: Path, target: str) -> None:
    said = migrate("--to", target, "--json")
    assert (said.code, said.objects[0]["error"]) == (2, "usage")


def test_servers_that_do_not_answer_change_nothing(home: Path) -> None:
    said = migrate("--to", "nats://user:hunter2@127.0.0.1:1/office", "--json")
    assert (said.code, said.objects[0]["error"]) == (6, "unreachable")
    assert "hunter2" not in said.out + said.err
    assert agents()


def test_a_password_in_the_address_is_kept_for_the_owner_alone(
    home: Path, servers: Servers
) -> None:
    secret = servers.address().replace("nats://", "nats://someone:hunter2@", 1)
    assert "hunter2" not in str(migrated("--to", secret))
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o600
    assert agents()


def test_a_node_takes_a_snapshot(home: Path, servers: Servers) -> None:
    refused = quick("waypost", "journal", "snapshot", "--json")
    assert (refused.code, refused.objects[0]["error"]) == (2, "usage")
    events = migrated("--to", servers.address())["events"]
    taken = quick("waypost", "journal", "snapshot", "--json").objects[0]
    assert taken["position"] == events
    assert quick("waypost", "journal", "snapshot", "--every", "9", "--json").objects == [
        {"position": None}
    ]
    assert "new enough" in quick("waypost", "journal", "snapshot", "--every", "9").out
