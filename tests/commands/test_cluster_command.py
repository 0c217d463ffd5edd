"""`waypost cluster`, and `waypost serve` as a node: from nothing to a letter between two."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from commands.desk import leave_home
from commands.terminal import quick
from faces.clients import served
from stream_servers import Servers


def test_init_writes_configurations_that_the_server_takes(tmp_path: Path) -> None:
    said = quick("waypost", "cluster", "init", "--dir", str(tmp_path / "here"), "--json")
    made = said.objects[0]
    assert len(made["files"]) == 3
    binary = shutil.which("nats-server")
    for path in made["files"]:
        assert subprocess.run([str(binary), "-t", "-c", path], capture_output=True).returncode == 0
        assert "sync_interval: always" in Path(path).read_text()
    assert made["journal"].startswith("nats://127.0.0.1:4222,127.0.0.1:4223,127.0.0.1:4224/")


def test_init_for_three_machines_names_them(tmp_path: Path) -> None:
    words = ("cluster", "init", "--hosts", "a,b,c", "--dir", str(tmp_path), "--json")
    made = quick("waypost", *words).objects[0]
    assert made["journal"].startswith("nats://a:4222,b:4222,c:4222/office?monitor=http://a:8222")
    assert "nats://b:6222" in Path(made["files"][0]).read_text()
    again = quick("waypost", *words)
    assert (again.code, again.objects[0]["error"]) == (3, "conflict")


@pytest.mark.parametrize("hosts", ["a,b", "a,a,b", "a,b,c d", "a:1,b:2,c:3"])
def test_hosts_that_make_no_cluster_are_refused(tmp_path: Path, hosts: str) -> None:
    said = quick("waypost", "cluster", "init", "--hosts", hosts, "--dir", str(tmp_path), "--json")
    assert (said.code, said.objects[0]["error"]) == (2, "usage")


ADDRESSES = (
    *("http://x/office", "nats://", "nats://a/b/c", "nats://a/x?color=red"),
    *("nats://a/x?replicas=2", "nats://a/x?monitor=a", "nats://a b/x"),
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_no_address_of_a_journal_is_refused(tmp_path: Path, address: str) -> None:
    words = ("serve", "--home", str(tmp_path / "home"), "--journal", address, "--json")
    said = quick("waypost", *words)
    assert (said.code, said.objects[0]["error"]) == (2, "usage")


def test_a_journal_that_nobody_serves_is_told_without_what_is_secret(tmp_path: Path) -> None:
    address = "nats://user:hunter2@127.0.0.1:1/office"
    said = quick("waypost", "serve", "--home", str(tmp_path), "--journal", address, "--json")
    assert (said.code, said.objects[0]["error"]) == (6, "unreachable")
    assert "hunter2" not in said.out + said.err


@pytest.fixture
def node_homes(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[Any]]:
    """Two nodes of one new office, each with its server."""
    leave_home(monkeypatch, tmp_path)
    monkeypatch.setenv("WAYPOST_JOURNAL", servers.address())
    with ExitStack() as nodes:
        yield [nodes.enter_context(served(tmp_path / name)) for name in ("one", "two")]


def test_a_letter_goes_from_one_node_to_the_other(
    node_homes: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = node_homes
    asked = ("init", "shop", "--agents", "claude,codex", "--home", str(one.home), "--person", "ada")
    assert quick("waypost", *asked, "--json").code == 0
    tokens = {}
    for name in ("claude", "codex"):
        words = ("agents", "token", name, "--home", str(one.home), "--project", "shop")
        tokens[name] = quick("waypost", *words, "--json").objects[0]["token"]
    with one.http(tokens["claude"]) as claude, two.http(tokens["codex"]) as codex:
        sent = claude.post("/api/call/send", json={"to": "codex", "text": "Over there?"})
        while not (letters := codex.post("/api/call/inbox", json={}).json()["letters"]):
            pass  # it is on its way to the other node
    assert sent.status_code == 200
    assert [letter["id"] for letter in letters] == [sent.json()["id"]]


def test_a_node_is_no_office_of_its_own(node_homes: list[Any], monkeypatch: Any) -> None:
    monkeypatch.delenv("WAYPOST_JOURNAL")
    said = quick("waypost", "agents", "--home", str(node_homes[0].home), "--json")
    assert (said.code, "WAYPOST_JOURNAL" in said.objects[0]["hint"]) == (2, True)


def test_status_shows_the_journal_without_what_is_secret(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_home(monkeypatch, tmp_path)
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "home"))
    secret = servers.address().replace("nats://", "nats://someone:hunter2@", 1)
    monkeypatch.setenv("WAYPOST_JOURNAL", secret)
    words = ("init", "shop", "--agents", "claude", "--person", "ada")
    assert quick("waypost", *words, "--json").code == 0
    said = quick("waypost", "status", "--agent", "claude", "--project", "shop", "--json")
    assert said.objects[0]["settings"]["office.journal"]["source"] == "WAYPOST_JOURNAL"
    assert "hunter2" not in said.out
