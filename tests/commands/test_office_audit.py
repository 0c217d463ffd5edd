"""The proof, following, keeping and restoring, from the command line."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import PATIENCE, command, environment, quick
from waypost.office import open_office
from waypost.office.callers import Caller
from waypost.office.world import World
from waypost.runtime.wakes import set_wake

__all__ = ["office_desk"]


def test_an_untouched_journal_is_whole_and_a_touched_one_is_not(office_desk: OfficeDesk) -> None:
    office_desk.send()
    assert office_desk.tell("", "audit", "verify")["whole"] is True
    with closing(sqlite3.connect(office_desk.home / "office.db")) as db, db:
        db.execute("UPDATE events SET head = replace(head, 'claude', 'clawde') WHERE position = 4")
    said = quick("waypost", "audit", "verify", "--json")
    assert (said.code, said.objects[0]["whole"]) == (1, False)
    assert said.objects[0]["flaws"][0]["position"] == 4


def test_the_log_says_who_did_what_through_which_door(office_desk: OfficeDesk) -> None:
    office_desk.send()
    words = ("audit", "log", "--actor", "claude", "--kind", "letter.sent", "--agent", "ada")
    (deed,) = office_desk.tell("", *words)["events"]
    assert (deed["actor"], deed["door"], deed["proof"]) == ("claude", "cli", "claimed")


def test_a_redacted_letter_is_gone_everywhere_and_the_journal_whole(
    office_desk: OfficeDesk,
) -> None:
    sent = office_desk.send("-s", "nutmeg", body="cinnamon")
    words = ("audit", "redact", sent["id"], "--reason", "a name", "--agent", "ada")
    assert office_desk.tell("", *words)["removed"] == 1
    assert "removed" in office_desk.say("codex", "read", sent["id"]).out
    exported = quick("waypost", "audit", "export").out
    assert "cinnamon" not in exported
    assert office_desk.tell("", "audit", "verify")["whole"] is True


def test_a_redacted_letter_is_listed_and_dealt_with_like_others(office_desk: OfficeDesk) -> None:
    sent = office_desk.send("-s", "nutmeg", "--ack-within", "1h")["id"]
    office_desk.tell("", "audit", "redact", sent, "--reason", "a name", "--agent", "ada")
    for words in ([], ["inbox"], ["thread", sent], ["search", "from:claude"], ["read", sent],
                  ["ack", sent], ["done", sent], ["inbox", "--all"]):  # fmt: skip
        said = office_desk.say("codex" if words else "", *words)
        assert (said.code, "nutmeg" in said.out) == (0, False), words
    assert "(no subject)" in office_desk.say("claude", "thread", sent).out


def test_what_was_redacted_before_is_told_so(office_desk: OfficeDesk) -> None:
    words = ("audit", "redact", office_desk.send()["id"], "--reason", "a name", "--agent", "ada")
    assert office_desk.tell("", *words)["removed"] == 1
    code, error = office_desk.fail("", *words)
    assert (code, error["error"]) == (3, "not_found")


def test_the_log_tells_why_and_what_was_taken(office_desk: OfficeDesk) -> None:
    held = office_desk.tell("codex", "reserve", "src/**")["id"]
    words = ("release", "src/**", "--force", "--reason", "codex left")
    office_desk.tell("claude", *words)
    (line,) = office_desk.say("", "audit", "log", "--limit", "1", "--agent", "ada").out.splitlines()
    assert line.endswith(f"files.released  by force: {held} (codex left)")


def test_the_export_is_one_object_a_line(office_desk: OfficeDesk) -> None:
    office_desk.send(body="bell \x07 and \u2028")
    said = quick("waypost", "audit", "export")
    assert [one["position"] for one in said.objects] == [1, 2, 3, 4]
    assert said.out.replace("\n", "").isprintable()
    assert "bell" in said.objects[3]["message"]


def test_tables_made_anew_say_the_same(office_desk: OfficeDesk) -> None:
    office_desk.send()
    before = office_desk.letters("codex", "--all")
    assert office_desk.tell("", "audit", "rebuild")["events"] > 3
    assert office_desk.letters("codex", "--all") == before


def test_a_backup_comes_back_in_another_home(office_desk: OfficeDesk, tmp_path: Path) -> None:
    sent = office_desk.send()
    size = office_desk.tell("", "backup", "copy.db")["size"]
    assert size == (office_desk.folder / "copy.db").stat().st_size
    assert office_desk.fail("", "backup", "copy.db")[0] == 3
    assert office_desk.fail("", "restore", "copy.db")[0] == 3
    words = ("--home", str(tmp_path / "other"))
    office_desk.tell("", "restore", "copy.db", *words)
    assert office_desk.letters("codex", *words)[0]["id"] == sent["id"]


def test_watch_tells_what_happened_behind_a_position(office_desk: OfficeDesk) -> None:
    sent = office_desk.send()
    words = ("watch", "--after", "3", "--once", "--agent", "ada", "--json")
    (event,) = quick("waypost", *words).objects
    assert (event["position"], event["kind"], event["data"]["id"]) == (4, "letter.sent", sent["id"])


def test_watch_tells_what_happens_while_it_looks(office_desk: OfficeDesk) -> None:
    watching = subprocess.Popen(
        command("waypost", "watch", "--after", "3", "--agent", "ada", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert watching.stdout is not None
    for _ in range(2):
        sent = office_desk.send()
        assert json.loads(watching.stdout.readline())["data"]["id"] == sent["id"]
    watching.send_signal(signal.SIGTERM)
    assert watching.communicate(timeout=PATIENCE) == (b"", b"")
    assert watching.returncode == 130


def test_watch_ends_when_its_reader_leaves(office_desk: OfficeDesk) -> None:
    reader, writer = os.pipe()
    watching = subprocess.Popen(
        command("waypost", "watch", "--after", "0", "--agent", "ada"),
        stdout=writer,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    os.close(writer)
    os.read(reader, 1)
    os.close(reader)
    office_desk.send()
    assert watching.communicate(timeout=PATIENCE)[1] == b""
    assert watching.returncode == 1


def test_status_says_where_each_setting_came_from(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_AGENT", "codex")
    found = office_desk.tell("", "status")
    assert found["settings"]["agent"] == {"value": "codex", "source": "WAYPOST_AGENT"}
    assert found["settings"]["office"]["source"] == "WAYPOST_HOME"
    assert found["office"]["sizes"]["database"] > 0


def test_status_tells_who_lives_where_and_what_is_stuck_and_needs_no_name(
    office_desk: OfficeDesk,
) -> None:
    earlier = World(now=lambda: (int(time.time()) - 3600) * 1000)
    with open_office(office_desk.home, world=earlier) as office:
        office.register(Caller("box", "my-app"), carrier="folder")
        sent = office.send(Caller("claude", "my-app"), "box", text="Anybody?")
        office.register(Caller("eve", "my-app"), carrier="key", key_id="ed25519." + "0" * 32)
        sent = office.send(Caller("claude", "my-app"), "eve", text="Anybody?")
    set_wake(str(office_desk.home), "my-app", "codex", "echo Yes")
    told = office_desk.tell("", "status")
    assert "agent" not in told["settings"]
    lives = {one["name"]: (one.get("carrier"), one["is_woken"]) for one in told["agents"]}
    assert (lives["box"], lives["eve"]) == (("folder", False), ("key", False))
    assert (lives["codex"], lives["claude"]) == ((None, True), (None, False))
    assert {(one["id"], one["to"]) for one in told["office"]["stuck"]} == {(sent.id, "eve")}
    shown = quick("waypost", "status").out
    for line in (
        "in a folder",
        "a live peer, over QUIC",
        "woken by a program",
        f"stuck: {sent.id}",
    ):
        assert line in shown


@pytest.mark.parametrize("words", [["agents"], ["watch", "--after", "0", "--once"]])
def test_who_only_looks_needs_no_name(office_desk: OfficeDesk, words: list[str]) -> None:
    assert quick("waypost", *words, "--json").code == 0
    assert office_desk.fail("", "inbox")[0] == 2
