"""What became of a letter: every event about it, in an office of today and in one from before."""

import sqlite3
from contextlib import closing

from office_older import made_older
from office_scene import MINUTE, NOON, Scene, caller, refusal
from waypost.office import bouncing, carrying, consigning
from waypost.office.consigning import Rendering

DANA, CODEX = caller("dana"), caller("codex")


def kinds(scene: Scene, letter: str) -> list[tuple[str, str | None]]:
    return [(one.deed.kind, one.state) for one in scene.office.history(DANA, letter)]


def travelled(scene: Scene) -> str:
    """A letter that waited, was translated, handed over, read, taken and answered."""
    scene.office.register(caller("depot"), carrier="folder")
    sent = scene.send(to="depot")
    (pending,) = consigning.pending(scene.office.desk, letters=[sent.position])
    carrying.waits(scene.office.desk, pending, "the folder is full", NOON + MINUTE)
    letter = consigning.consignment(scene.office.desk, sent.position)
    loss = {"path": "priority", "message": "no place", "reason": "no_place"}
    made = Rendering("t-1", "notify", b"{}", (loss,))
    carrying.translated(scene.office.desk, letter, "acp", "depot", made)
    handover = carrying.Handover(sent.position, [pending.box])
    carrying.handed_over(scene.office.desk, "my-app", [handover])
    scene.office.read(caller("depot"), sent.id)
    scene.office.acknowledge(caller("depot"), sent.id, note="soon")
    scene.office.reply(caller("depot"), sent.id, text="7100")
    return str(sent.id)


STEPS = [
    ("letter.sent", None), ("delivery.waits", None), ("letter.translated", None),
    ("letters.moved", "handed_over"), ("letters.moved", "read"),
    ("letters.moved", "acknowledged"), ("letter.sent", "done"),
]  # fmt: skip


def test_every_event_about_a_letter_is_told_in_its_order(scene: Scene) -> None:
    letter = travelled(scene)
    assert kinds(scene, letter) == STEPS
    traces = scene.office.history(DANA, letter)
    assert [one.note for one in traces if one.note] == ["the folder is full", "soon"]
    assert all(one.to == ("depot",) for one in traces if one.deed.kind != "letter.translated")


def test_a_history_goes_on_where_a_page_ended(scene: Scene) -> None:
    letter = travelled(scene)
    first = scene.office.history(DANA, letter, 3)
    rest = scene.office.history(DANA, letter, 9, str(first[-1].deed.position))
    assert [(one.deed.kind, one.state) for one in (*first, *rest)] == STEPS


def test_a_bounce_is_told_with_its_reason(scene: Scene) -> None:
    scene.office.register(caller("depot"), carrier="folder")
    sent = scene.send(to="depot")
    (pending,) = consigning.pending(scene.office.desk, letters=[sent.position])
    whole = consigning.consignment(scene.office.desk, sent.position)
    bouncing.bounce(scene.office.desk, whole, pending, "no such folder")
    last = scene.office.history(DANA, sent.id)[-1]
    assert (last.state, last.note, last.to) == ("bounced", "no such folder", ("depot",))


def test_a_translation_is_there_with_its_losses(scene: Scene) -> None:
    (made,) = scene.office.translations(DANA, travelled(scene))
    assert (made.dialect, made.type, made.to, made.text) == ("acp", "notify", ("depot",), "{}")
    assert made.losses[0]["message"] == "no place"


def test_an_older_office_learns_what_its_journal_knows(embedded_scene: Scene) -> None:
    letter = travelled(embedded_scene)
    embedded_scene.office.close()
    with closing(sqlite3.connect(embedded_scene.home / "office.db")) as db:
        before = db.execute("SELECT * FROM traces").fetchall()
    made_older(embedded_scene.home, 3)
    embedded_scene.office = embedded_scene.open()
    assert kinds(embedded_scene, letter) == STEPS
    with closing(sqlite3.connect(embedded_scene.home / "office.db")) as db:
        assert db.execute("SELECT * FROM traces").fetchall() == before


def test_what_went_before_is_given_to_whoever_decides(scene: Scene) -> None:
    first = scene.send("codex", "claude", text="The export is done.")
    asked = scene.office.reply(caller("claude"), first.id, text="May I drop it?")
    found = scene.office.context(DANA, asked.id)
    assert found.answers is not None
    assert found.before is not None
    assert (found.answers.id, found.before.header.id) == (first.id, first.id)
    assert scene.office.context(DANA, first.id) == (None, None)


def test_an_event_is_seen_as_it_is_chained(scene: Scene) -> None:
    event = scene.office.raw_event(DANA, 1)
    assert event.head.startswith('{"actor":"claude"')
    assert len(event.chain) == 64
    assert refusal(lambda: scene.office.raw_event(DANA, 9999))["error"] == "not_found"


def test_a_held_letter_needs_somebody(scene: Scene) -> None:
    scene.office.register(caller("depot"), carrier="folder")
    sent = scene.send(to="depot")
    before = scene.office.numbers(DANA).needs_you
    (pending,) = consigning.pending(scene.office.desk, letters=[sent.position])
    carrying.waits(scene.office.desk, pending, "a loop", None, "pair")
    assert scene.office.numbers(DANA).needs_you == before + 1


def test_words_for_filters_may_be_written_in_any_case(scene: Scene) -> None:
    sent = scene.send(subject="Ports")
    for query in ("FROM:claude", "From:CLAUDE To:codex", "TYPE:Notification after:1h"):
        assert [one.id for one in scene.office.search(CODEX, query).letters] == [sent.id]
