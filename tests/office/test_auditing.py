"""The proof: what is changed, missing or swapped in the journal is found; replay comes out even."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
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
    "a head that says less": """UPDATE events SET head = '{"kind":"contents.removed"}'
        WHERE position = 6""",
    "a head that goes deep": f"UPDATE events SET head = '{'[' * 100_000}' WHERE position = 6",
    "a tip elsewhere": "UPDATE tip SET position = position - 1",
    "another tip": "UPDATE tip SET chain = zeroblob(32)",
    "no tip": "DELETE FROM tip",
}
COLUMNS = [
    f"UPDATE {table} SET {column} = {value} WHERE position = 6"
    for table, column in (
        *(("events", "head"), ("events", "chain"), ("contents", "texts"), ("contents", "message")),
    )
    for value in (
        *("-3", "1.5", "''", "x''", "x'00ff'", "CAST(x'ff' AS TEXT)"),
        *(f"CAST({column} AS BLOB)", f"CAST({column} AS TEXT)"),
    )
    if not (column in ("head", "texts") and value == f"CAST({column} AS TEXT)")
    and not (column in ("chain", "message") and value == f"CAST({column} AS BLOB)")
]


@pytest.mark.parametrize("spoiler", SPOILERS.values(), ids=SPOILERS)
def test_whatever_is_spoiled_is_found(busy: Scene, spoiler: str) -> None:
    end = busy.office.last()
    with tampering(busy) as db:
        db.execute(spoiler)
    found = busy.office.verify()
    assert not found.is_whole
    near = {6, 7, 9999, end, end + 1}
    assert found.flaws[0].position in near


@pytest.mark.parametrize("change", COLUMNS)
def test_any_other_value_in_any_column_is_found_and_nothing_is_built_on_it(
    change: str, embedded_scene: Scene
) -> None:
    scene = embedded_scene
    scene.send()
    scene.office.reserve(caller("codex"), ["src/**"], reason="refactoring")
    with tampering(scene) as db:
        kept = "position = (SELECT max(position) FROM contents WHERE {} IS NOT NULL)"
        column = change.split()[3]
        where = kept.format(column) if "contents" in change else "position = 5"
        db.execute(change.replace("position = 6", where))
    tables = dump(scene.home)
    assert not scene.office.verify().is_whole
    assert list(scene.office.export())  # which shows what is there
    error = refusal(scene.office.rebuild)
    assert (error["error"], "verify" in error["hint"]) == ("unreadable", True)
    assert dump(scene.home) == tables


@pytest.mark.parametrize("change", ["DELETE FROM tip", "UPDATE tip SET position = 'x'"])
def test_without_the_journal_s_end_nothing_is_added(change: str, embedded_scene: Scene) -> None:
    with tampering(embedded_scene) as db:
        db.execute(change)
    error = refusal(embedded_scene.send)
    assert (error["error"], "verify" in error["hint"]) == ("unreadable", True)


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


def test_what_a_renewal_took_over_goes_with_the_letter(busy: Scene) -> None:
    request = {"mode": "exclusive", "file_patterns": ["db/**"], "reason": "hunter2hunter2"}
    asked = {"task_id": "bd-7", "reservation_request": request}
    letter = busy.send("codex", "claude", type="file_reservation", content=asked)
    busy.office.reserve(caller("codex"), ["db/**"])
    busy.office.redact(caller("dana"), letter.id, "leaked")
    assert [one.reason for one in busy.office.reservations(caller("codex"), "db/x")] == [""]
    busy.office.close()
    assert [f.name for f in busy.home.iterdir() if b"hunter2hunter2" in f.read_bytes()] == []


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
    assert deed.reason == "codex left"
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
    with closing(sqlite3.connect(tmp_path / "y")) as db, db:
        db.execute("CREATE TABLE songs (name)")
        db.execute("PRAGMA user_version = 1")
    for alien in (tmp_path / "x", tmp_path / "y"):
        error = refusal(partial(restore, str(tmp_path / "home"), str(alien)))
        assert error["error"] == "unreadable"
    assert list((tmp_path / "home").iterdir()) == []


def test_a_backup_of_a_newer_waypost_is_not_restored(busy: Scene, tmp_path: Path) -> None:
    from waypost.office.keeping import restore

    busy.office.backup(str(tmp_path / "copy.db"))
    with closing(sqlite3.connect(tmp_path / "copy.db")) as db:
        db.execute("PRAGMA user_version = 99")
    error = refusal(lambda: restore(str(tmp_path / "other"), str(tmp_path / "copy.db")))
    assert "newer waypost" in error["details"]


@pytest.mark.parametrize("name", ["50%25 of?it#all.db", "ü\n.db"])
def test_a_backup_may_have_any_name(name: str, embedded_scene: Scene, tmp_path: Path) -> None:
    from waypost.office.keeping import restore

    embedded_scene.office.backup(str(tmp_path / name))
    restore(str(tmp_path / "other"), str(tmp_path / name))
    assert dump(tmp_path / "other") == dump(embedded_scene.home)


def test_a_log_left_behind_is_not_taken_for_the_backup_s(
    embedded_scene: Scene, tmp_path: Path
) -> None:
    from waypost.office.keeping import restore

    scene = embedded_scene
    scene.office.backup(str(tmp_path / "copy.db"))
    scene.send()
    (tmp_path / "other").mkdir()
    log = (scene.home / "office.db-wal").read_bytes()
    (tmp_path / "other" / "office.db-wal").write_bytes(log)
    error = refusal(lambda: restore(str(tmp_path / "other"), str(tmp_path / "copy.db")))
    assert (error["error"], "office.db-wal" in error["details"]) == ("conflict", True)


def test_old_letters_that_are_dealt_with_give_up_their_content(busy: Scene) -> None:
    kept = busy.send(text="still unread")
    old = busy.send(text="dealt with")
    busy.office.done(caller("codex"), old.id)
    busy.clock.move(minutes=60 * 24 * 31)
    assert busy.office.prune(caller("dana"), 30).letters >= 1
    assert busy.office.read(caller("codex"), old.id).message is None
    assert busy.office.read(caller("codex"), kept.id).message is not None
    assert busy.office.verify().is_whole
