"""The journal: many at once, each for itself; whoever waits is woken, here and elsewhere."""

import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing

from campaigns import office_audit
from campaigns.actors import Actor
from office_scene import Scene, at_once, caller, refusal
from waypost.errors import WaypostError
from waypost.office import Office
from waypost.office.deciding import event_of
from waypost.office.events import Entry, Event
from waypost.office.journal import Expected, Outcome, Proposal, StaleError


def appended(office: Office, *proposals: tuple[Event, Expected]) -> list[Outcome]:
    return office.desk.journal.append([Proposal(*one) for one in proposals], lambda: None)


def test_of_many_threads_every_letter_is_there_once(scene: Scene) -> None:
    receipts = at_once(*[lambda n=n: scene.send(text=f"number {n}") for n in range(64)])
    ids = [getattr(receipt, "id", receipt) for receipt in receipts]
    assert len(set(ids)) == 64
    sent = [str(one) for one in ids]
    assert office_audit.wrong(scene.home, sent, replay=True, journal=scene.journal) == []


def test_of_many_threads_with_one_id_all_get_the_first_receipt(scene: Scene) -> None:
    receipts = at_once(*[lambda: scene.send(message_id="m-1")] * 16)
    assert {(one.id, one.position) for one in receipts} == {("m-1", receipts[0].position)}  # type: ignore[attr-defined]
    assert [one.is_repeat for one in receipts].count(False) == 1  # type: ignore[attr-defined]


def test_of_many_who_register_one_name_one_is_new(scene: Scene) -> None:
    names = ["zed", "ZED", "Zed", "zeD"] * 4
    made = at_once(*[lambda name=name: scene.office.register(caller(name)) for name in names])
    new = [one for one in made if getattr(one, "is_new", False)]
    refused = [one for one in made if isinstance(one, WaypostError)]
    assert (len(new), len(refused)) == (1, 12)


def test_a_scope_that_moved_makes_an_append_stale(scene: Scene) -> None:
    event = event_of(caller("claude"), "agent.changed", scene.clock.now, {"name": "claude"})
    expected = {"a": 0, "b": 0}, {"a": 0, "c": 0}, {"c": 0}
    done, stale, more = appended(scene.office, *((event, expect) for expect in expected))
    assert isinstance(stale, StaleError)
    assert isinstance(done, Entry)
    assert isinstance(more, Entry)  # what was stale moved nothing


def test_one_broken_event_hurts_no_other(scene: Scene) -> None:
    office, before = scene.office, scene.office.last()
    good = event_of(caller("claude"), "agent.changed", scene.clock.now, {"name": "claude"})
    broken = good._replace(kind="no.such.kind")
    results = appended(office, *((event, {}) for event in [good, broken] * 8))
    assert sum(isinstance(one, KeyError) for one in results) == 8
    assert office.last() == before + 8
    assert office.verify().is_whole


def test_a_thread_that_waits_is_woken_by_a_letter(scene: Scene) -> None:
    before = scene.office.last()
    woken, receipt = at_once(lambda: scene.office.wait(before, 20), lambda: scene.send())
    assert woken == receipt.position  # type: ignore[attr-defined]


def test_waiting_ends_when_its_time_is_up_or_the_office_closes(scene: Scene) -> None:
    last = scene.office.last()
    assert scene.office.wait(last, 0.01) == last
    assert scene.office.wait(0, 20) == last
    ended = at_once(lambda: scene.office.wait(last, 20), scene.office.close)
    assert len(ended) == 2


def test_a_letter_from_another_process_wakes_whoever_waits(scene: Scene) -> None:
    before = scene.office.last()
    heard = threading.Event()
    stop = scene.office.add_listener(lambda position: heard.set())

    def elsewhere(report: Callable[[str], None]) -> None:
        with scene.open() as office:
            report(str(office.send(caller("claude"), "codex", text="hello").position))

    sent = Actor(elsewhere).wait().reports()
    assert heard.wait(20)
    assert scene.office.wait(before, 20) == int(sent[0])
    stop()


def test_a_listener_may_use_the_office_and_a_failing_one_hurts_nobody(scene: Scene) -> None:
    seen: queue.SimpleQueue[int] = queue.SimpleQueue()

    def failing(position: int) -> None:
        raise RuntimeError("not today")

    def asking(position: int) -> None:
        seen.put(scene.office.newest_unread(caller("codex")))

    scene.office.add_listener(failing)
    scene.office.add_listener(asking)
    position = scene.send().position
    assert seen.get(timeout=20) == position


def test_reading_after_a_position_gives_what_came_then(scene: Scene) -> None:
    before = scene.office.last()
    scene.send()
    scene.office.inbox(caller("codex"))
    kinds = [entry.event.kind for entry in scene.office.desk.journal.read(before, 10)]
    assert kinds == ["letter.sent", "letters.moved"]


def test_an_alien_hand_in_the_database_is_told_and_not_followed(scene: Scene) -> None:
    with closing(sqlite3.connect(scene.home / "office.db")) as db, db:
        db.execute("DROP TABLE letters")
    assert refusal(lambda: scene.send(message_id="m-1"))["error"] == "unreadable"
