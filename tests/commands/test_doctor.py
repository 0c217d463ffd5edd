"""`waypost doctor`: finds what is wrong, and mends what loses nothing."""

import os
import signal
import socket
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import PATIENCE, SCRIPTS, command, environment, quick
from faces.certificates import self_signed
from waypost.office import carrying, consigning, open_office
from waypost.office.callers import Caller
from waypost.office.world import World

__all__ = ["office_desk"]


@pytest.fixture(autouse=True)
def a_port_of_our_own(office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand where no other server listens, with only our programs on the path."""
    monkeypatch.setenv("WAYPOST_HTTP", "127.0.0.1:0")
    monkeypatch.setenv("WAYPOST_QUIC", "127.0.0.1:0")
    monkeypatch.setenv("PATH", f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}")


def examined(*words: str) -> dict[str, Any]:
    """What an examination tells programs."""
    said = quick("waypost", "doctor", "--json", *words)
    told: dict[str, Any] = said.objects[0]
    assert (said.code, said.err) == (1 if told["findings"] else 0, "")
    return told


def findings(*words: str) -> list[tuple[str, str]]:
    """Which checks found something where."""
    return [(one["check"], one["place"]) for one in examined(*words)["findings"]]


def test_a_sound_office_gives_one_line(office_desk: OfficeDesk) -> None:
    office_desk.send()
    said = quick("waypost", "doctor")
    assert (said.code, said.out, said.err) == (0, "", "16 checks, 0 findings\n")


def test_what_is_open_to_others_is_closed(office_desk: OfficeDesk) -> None:
    key = office_desk.home / "keys" / "codex.key"
    key.parent.mkdir(mode=0o755)
    key.write_text("secret")
    for path in (key, office_desk.home / "office.db"):
        path.chmod(0o644)
    places = [place for _, place in findings()]
    assert places == [str(office_desk.home / "office.db"), str(key.parent), str(key)]
    assert findings("--fix") == []
    assert [path.stat().st_mode & 0o777 for path in (key, key.parent)] == [0o600, 0o700]


def test_a_journal_that_was_written_to_past_the_office_is_told(office_desk: OfficeDesk) -> None:
    office_desk.send()
    with sqlite3.connect(office_desk.home / "office.db") as changed:
        changed.execute("UPDATE events SET head = replace(head, 'claude', 'mallet')")
    assert {check for check, _ in findings("--fix")} == {"chain"}


def test_a_database_with_a_torn_page_is_told(office_desk: OfficeDesk) -> None:
    path = office_desk.home / "office.db"
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 65536)
    assert "database" in {check for check, _ in findings()}


def test_events_from_the_future_are_told(office_desk: OfficeDesk) -> None:
    later = World(now=lambda: (int(time.time()) + 86_400) * 1000)
    with open_office(office_desk.home, world=later) as office:
        office.send(Caller("claude", "my-app"), "codex", text="From tomorrow.")
    assert [check for check, _ in findings()] == ["clock"]


def test_a_lease_that_ended_by_itself_is_told_and_is_no_failure(office_desk: OfficeDesk) -> None:
    earlier = World(now=lambda: (int(time.time()) - 600) * 1000)
    with open_office(office_desk.home, world=earlier) as office:
        office.reserve(Caller("codex", "my-app"), ["src/**"], minutes=1)
    told = examined()
    assert (told["findings"], [one["check"] for one in told["told"]]) == ([], ["leases"])


def test_a_letter_that_nobody_brings_is_told(office_desk: OfficeDesk) -> None:
    earlier = World(now=lambda: (int(time.time()) - 3600) * 1000)
    with open_office(office_desk.home, world=earlier) as office:
        office.register(Caller("box", "my-app"), carrier="folder")
        sent = office.send(Caller("claude", "my-app"), "box", text="Anybody?")
    assert findings() == [("deliveries", f"{sent.id} to box in my-app")]


def test_a_letter_that_a_guard_holds_is_told(office_desk: OfficeDesk) -> None:
    with open_office(office_desk.home) as office:
        office.register(Caller("box", "my-app"), carrier="folder")
        sent = office.send(Caller("claude", "my-app"), "box", text="Again and again.")
        (pending,) = consigning.pending(office.desk, "my-app")
        carrying.waits(office.desk, pending, "too often", guard="pair")
    (told,) = examined()["findings"]
    assert (sent.id in told["place"], told["message"]) == (True, "is held by a guard (pair)")


def test_a_missing_folder_of_a_mailbox_is_made_again(office_desk: OfficeDesk) -> None:
    office_desk.tell("", "agents", "add", "box", "--folder")
    office_desk.send(to="box")
    (folder,) = Path(os.environ["HOME"]).glob("oacp/projects/my-app/agents/box/dead_letter")
    folder.rmdir()
    assert findings() == [("mailboxes", str(folder))]
    assert (findings("--fix"), folder.is_dir()) == ([], True)


def test_what_is_no_message_is_buried_and_a_dead_senders_rest_swept_away(
    office_desk: OfficeDesk,
) -> None:
    office_desk.tell("", "agents", "add", "box", "--folder")
    office_desk.send(to="box")
    (home,) = Path(os.environ["HOME"]).glob("oacp/projects/my-app/agents/box")
    broken, rest = home / "inbox" / "broken.yaml", home / ".sending" / "20261119T2100Z_box.yaml.new"
    broken.write_text("- no message")
    rest.parent.mkdir(exist_ok=True)
    rest.write_text("half a mess")
    hour_ago = time.time() - 4000
    for path in (broken, rest):
        os.utime(path, (hour_ago, hour_ago))
    assert sorted(findings()) == [("leftovers", str(rest)), ("messages", str(broken))]
    assert findings("--fix") == []
    assert (rest.exists(), broken.exists()) == (False, False)
    assert [path.name for path in (home / "dead_letter").glob("broken*.yaml")] == ["broken.yaml"]


def test_a_port_that_another_program_has_is_told(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setenv("WAYPOST_HTTP", f"127.0.0.1:{port}")
        assert findings() == [("ports", f"127.0.0.1:{port}/tcp")]


def test_the_address_of_our_own_server_is_no_finding(office_desk: OfficeDesk) -> None:
    words = command("waypost", "serve", "--json")
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            assert findings() == []
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(PATIENCE)


def test_a_client_whose_program_is_gone_is_told(office_desk: OfficeDesk) -> None:
    path = office_desk.folder / ".mcp.json"
    path.write_text('{"mcpServers": {"waypost": {"command": "/gone/waypost", "args": ["mcp"]}}}')
    (told,) = examined()["findings"]
    assert (told["check"], told["hint"]) == ("clients", "waypost setup claude writes it anew")


def test_another_package_s_oacp_on_the_path_is_told(
    office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "bin" / "oacp"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\necho another\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}{os.environ['PATH']}")
    assert findings() == [("programs", str(other))]


def test_another_version_on_the_path_is_told(
    office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "bin" / "waypost"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n# waypost.commands.waypost\necho 99.0\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}{os.environ['PATH']}")
    assert findings() == [("version", str(other))]


def test_a_certificate_that_is_about_to_end_is_told(
    office_desk: OfficeDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = self_signed(tmp_path, days=1)
    monkeypatch.setenv("WAYPOST_TLS_CERT", str(certificate))
    monkeypatch.setenv("WAYPOST_TLS_KEY", str(key))
    assert findings() == [("certificates", str(certificate))]


def test_settings_that_can_t_be_read_are_named(office_desk: OfficeDesk) -> None:
    (office_desk.home / "config.toml").write_text("= broken")
    code, error = office_desk.fail("", "doctor")
    assert (code, "config.toml" in error["details"]) == (2, True)


def test_no_home_is_a_finding_with_the_way_out(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "nowhere"))
    assert findings("--fix") == [("home", str(tmp_path / "nowhere"))]
    assert not (tmp_path / "nowhere").exists()


def test_a_project_that_isn_t_there_is_refused(office_desk: OfficeDesk) -> None:
    code, error = office_desk.fail("", "doctor", "--project", "my-ap")
    assert (code, error["error"], error["hint"]) == (3, "not_found", 'did you mean "my-app"?')
