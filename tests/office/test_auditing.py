"""The proof: what is changed, missing or swapped in the journal is found; replay comes out even."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from campaigns.office_audit import dump
from office_scene import TASK, Scene, caller, refusal


@pytest.fixture
def busy(scene: Scene) -> Scene:
    """An office in which every kind of event has happened."""
    office, codex = scene.office, caller("codex")
    asked = scene.send(type="question", acknowledge_minutes=5)
    scene.send(to="*", text="Lunch at noon?", expires_minutes=1)
    scene.send(type="task_assignment", content=TASK)
    office.inbox(codex)
    office.read(codex, asked.id)
    office.acknowledge(codex, asked.id, note="in a moment")
    office.reply(codex, asked.id, "8080")
    office.reserve(codex, ["src/**"], reason="refactoring")
    office.release(caller("dana"), ["src/**"], force=True, reason="codex left")
    office.attach(codex, "log.txt", b"it failed", "text/plain")
    office.ask_human(codex, "Deploy?", ["yes", "no"])
    office.rotate_token(codex)
    office.set_rules(codex, deny=["gemini"])
    office.withdraw(caller("claude"), scene.send(to="gemini").id)
    scene.clock.move(minutes=3)
    scene.inbox("dana")
    return scene


@contextmanager
def tampering(scene: Scene) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(scene.home / "office.db")) as db, db:
        yield db


def test_a_sound_journal_is_whole(busy: Scene) -> None:
    found = busy.office.verify()
    assert (found.is_whole, found.events) == (True, busy.office.last())


def test_replay_gives_the_same_tables(busy: Scene) -> None:
    before = dump(busy.home)
    assert busy.office.rebuild() == busy.office.last()
    assert dump(busy.home) == before


def test_replay_after_a_redaction_gives_the_same_tables(busy: Scene) -> None:
    (found,) = busy.office.search(caller("codex"), "port type:question").letters
    busy.office.redact(caller("dana"), found.id, "leaked")
    before = dump(busy.home)
    busy.office.rebuild()
    assert dump(busy.home) == before


SPOILERS = {
    "a changed head": "UPDATE events SET head = replace(head, 'codex', 'mallo') WHERE position = 6",
    "a missing event": "DELETE FROM events WHERE position = 6",
    "a missing end": "DELETE FROM events WHERE position = (SELECT max(position) FROM events)",
    "a changed message": "UPDATE contents SET message = 'x' WHERE position = 6",
    "a changed text": "UPDATE contents SET texts = '{}' WHERE position = 6",
    "a missing content": "DELETE FROM contents WHERE position = 6",
    "an emptied content": "UPDATE contents SET message = NULL WHERE position = 6",
    "a content of its own": "INSERT INTO contents VALUES (9999, NULL, 'x')",
    "a broken head": "UPDATE events SET head = '{' WHERE position = 6",
    "a changed link": "UPDATE events SET chain = x'00' WHERE position = 6",
}


@pytest.mark.parametrize("spoiler", SPOILERS.values(), ids=SPOILERS)
def test_whatever_is_spoiled_is_found(busy: Scene, spoiler: str) -> None:
    with tampering(busy) as db:
        db.execute(spoiler)
    found = busy.office.verify()
    assert not found.is_whole
    near = {6, 7, 9999, busy.office.last()}
    assert found.flaws[0].position in near


def test_swapped_events_are_found(busy: Scene) -> None:
    with tampering(busy) as db:
        for table in ("events", "contents"):
            for old, new in ((6, -1), (7, 6), (-1, 7)):
                db.execute(f"UPDATE {table} SET position = {new} WHERE position = {old}")
    flaws = busy.office.verify().flaws
    assert {6, 7} <= {flaw.position for flaw in flaws}


def test_what_is_redacted_is_nowhere_any_more(busy: Scene) -> None:
    secret = "hunter2hunter2"
    receipt = busy.send(subject=f"the word is {secret}", text=f"{secret} " * 300)
    busy.office.acknowledge(caller("codex"), receipt.id, note=f"{secret}, noted")
    for number in range(40):
        busy.send(text=f"later {number}")
    assert busy.office.search(caller("claude"), secret).letters
    busy.office.redact(caller("dana"), receipt.id, "leaked")
    assert busy.office.verify().is_whole
    assert busy.office.search(caller("claude"), secret).letters == ()
    busy.office.close()
    assert [f.name for f in busy.home.iterdir() if secret.encode() in f.read_bytes()] == []


def test_a_redacted_letter_says_so(busy: Scene) -> None:
    receipt = busy.send()
    busy.office.redact(caller("dana"), receipt.id, "leaked")
    letter = busy.office.read(caller("codex"), receipt.id)
    assert (letter.message, letter.redacted_at) == (None, busy.clock.now)
    assert "message" not in letter.to_json()


def test_a_redacted_attachment_is_gone(busy: Scene) -> None:
    kept = busy.office.attach(caller("codex"), "key.txt", b"something private")
    busy.office.redact(caller("dana"), kept.uri, "private")
    error = refusal(lambda: busy.office.attachment(caller("codex"), kept.uri))
    assert error["error"] == "not_found"
    assert busy.office.verify().is_whole


def test_the_log_says_who_did_what_when_and_how_surely(busy: Scene) -> None:
    deeds = busy.office.log(caller("dana"), kind="files.released")
    (deed,) = deeds
    assert (deed.actor, deed.door, deed.proof, deed.data["forced"]) == (
        "dana", "library", "claimed", True)  # fmt: skip
    assert len(busy.office.log(caller("dana"), actor="codex", limit=3)) == 3


def test_an_agent_with_a_token_does_not_look_into_the_journal(busy: Scene) -> None:
    codex = caller("codex", door="http")._replace(proof="proven")
    for act in (
        lambda: busy.office.log(codex),
        lambda: busy.office.redact(codex, "x", "because"),
    ):
        assert refusal(act)["error"] == "not_authorized"
    dana = caller("dana", door="http")._replace(proof="proven")
    assert busy.office.log(dana)


def test_no_token_shows_in_what_is_told(busy: Scene) -> None:
    told = json.dumps([deed.to_json() for deed in busy.office.log(caller("dana"), limit=1000)])
    assert '"token"' not in told


def test_an_export_holds_every_event(busy: Scene) -> None:
    lines = [json.loads(line) for line in busy.office.export()]
    assert [line["position"] for line in lines] == list(range(1, busy.office.last() + 1))
    assert lines[-1]["chain"] == busy.office.verify().tip


def test_a_backup_taken_while_open_is_the_office(busy: Scene, tmp_path: Path) -> None:
    from waypost.office.keeping import restore
    from waypost.office.office import open_office

    busy.office.backup(str(tmp_path / "copy.db"))
    restore(str(tmp_path / "other"), str(tmp_path / "copy.db"))
    with open_office(tmp_path / "other", journal=busy.journal) as other:
        assert other.verify() == busy.office.verify()
        assert other.inbox(caller("codex")).letters
    error = refusal(lambda: restore(str(busy.home), str(tmp_path / "copy.db")))
    assert error["error"] == "conflict"


def test_what_is_no_backup_is_not_restored(tmp_path: Path) -> None:
    from waypost.office.keeping import restore

    (tmp_path / "x").write_bytes(b"not a database" * 1000)
    error = refusal(lambda: restore(str(tmp_path / "home"), str(tmp_path / "x")))
    assert error["error"] == "unreadable"
    assert not (tmp_path / "home" / "office.db").exists()


def test_old_letters_that_are_dealt_with_give_up_their_content(busy: Scene) -> None:
    kept = busy.send(text="still unread")
    old = busy.send(text="dealt with")
    busy.office.done(caller("codex"), old.id)
    busy.clock.move(minutes=60 * 24 * 31)
    assert busy.office.prune(caller("dana"), 30).letters >= 1
    assert busy.office.read(caller("codex"), old.id).message is None
    assert busy.office.read(caller("codex"), kept.id).message is not None
    assert busy.office.verify().is_whole
