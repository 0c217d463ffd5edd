"""A whole office moves into a stream and back: nothing is lost, changed, or there twice."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from campaigns import office_audit
from commands.terminal import PATIENCE, command, environment
from office_scene import Scene, caller, refusal
from stream_servers import Servers
from waypost.errors import ConflictError, TimedOutError, UnreadableError
from waypost.office.comparing import difference
from waypost.office.deciding import event_of
from waypost.office.events import digest
from waypost.office.journal import Proposal
from waypost.office.journal.address import address_of
from waypost.office.journal.moving import Standing, standing
from waypost.office.migrating import Migration, to_home, to_stream
from waypost.office.office import open_office

LARGE = b"0123456789abcdef" * 100_000


def lived_in(scene: Scene) -> Scene:
    """An office where a bit of everything happened: answers, files, contents that were removed."""
    first = scene.send(text="Which port?")
    scene.office.reply(caller("codex"), first.id, text="8080")
    scene.office.acknowledge(caller("codex"), first.id, note="mine")
    scene.office.reserve(caller("claude"), ["src/**"], reason="the login form")
    scene.office.attach(caller("claude"), "log.txt", LARGE)
    leaked = scene.send(text="hunter2", subject="hunter2")
    scene.office.redact(caller("dana"), leaked.id, "leaked")
    old = scene.send(text="long ago")
    scene.office.acknowledge(caller("codex"), old.id)
    scene.clock.move(60 * 24 * 100)
    scene.office.prune(caller("dana"), 90)
    scene.send(text="still here")
    return scene


def nothing() -> None:
    pass


def quiet(done: int, total: int) -> None:
    pass


def move_in(scene: Scene, address: str, note: Callable[[], None] = nothing) -> Migration:
    return to_stream(str(scene.home), address, note, quiet)


def stands(address: str) -> Standing:
    found = standing(address_of(address), 10)
    assert found is not None
    return found


@pytest.fixture
def address(servers: Servers) -> str:
    return servers.address()


def test_an_office_moves_into_a_stream_as_it_is(
    embedded_scene: Scene, address: str, tmp_path: Path
) -> None:
    scene = lived_in(embedded_scene)
    before, tip = office_audit.dump(scene.home), scene.office.verify()
    done = move_in(scene, address)
    assert (done.events, done.tip) == (tip.events, tip.tip)
    assert office_audit.dump(scene.home) == before
    assert office_audit.wrong(scene.home, [], replay=True, journal=address) == []
    with open_office(tmp_path / "other", journal=address) as other:
        assert other.verify() == tip
        uri = "artifact://sha256-" + digest(LARGE)
        assert other.attachment(caller("codex"), uri).data == LARGE
        other.send(caller("codex"), "claude", text="from another node")


def test_the_office_as_it_was_stays_as_a_backup(embedded_scene: Scene, address: str) -> None:
    before = office_audit.dump(embedded_scene.home)
    done = move_in(embedded_scene, address)
    assert done.backup is not None
    home = Path(done.backup).parent / "kept"
    home.mkdir()
    os.link(done.backup, home / "office.db")
    assert office_audit.dump(home) == before
    with open_office(home) as office:
        assert office.verify().is_whole


def test_there_and_back_again_is_the_same_office(embedded_scene: Scene, address: str) -> None:
    scene = lived_in(embedded_scene)
    move_in(scene, address)
    with open_office(scene.home, journal=address) as node:
        sent = node.send(caller("codex"), "claude", text="on the way")
        node.redact(caller("dana"), sent.id, "after all")
        tip = node.verify()
    before = office_audit.dump(scene.home)
    done = to_home(str(scene.home), address, nothing, quiet)
    assert (done.events, done.tip) == (tip.events, tip.tip)
    assert office_audit.dump(scene.home) == before
    with open_office(scene.home) as home:
        home.send(caller("codex"), "claude", text="at home")
    move_in(scene, address)  # the stream is the beginning of this very journal
    assert office_audit.wrong(scene.home, [], replay=True, journal=address) == []


def test_who_had_the_office_open_is_refused_and_not_lost(
    embedded_scene: Scene, address: str
) -> None:
    move_in(embedded_scene, address)
    error = refusal(lambda: embedded_scene.send(text="too late"))
    assert (error["error"], "was moved" in error["details"]) == ("usage", True)
    assert office_audit.wrong(embedded_scene.home, [], journal=address) == []


def test_who_still_follows_a_stream_that_was_left_is_told(
    embedded_scene: Scene, address: str, tmp_path: Path
) -> None:
    move_in(embedded_scene, address)
    with open_office(tmp_path / "other", journal=address, patience=3) as other:
        to_home(str(embedded_scene.home), address, nothing, quiet)
        while not other.desk.journal.is_stale:
            other.wait(other.last(), 0.05)
        error = refusal(lambda: other.send(caller("codex"), "claude", text="lost?"))
        assert (error["error"], "is closed" in error["details"]) == ("unreadable", True)
    error = refusal(lambda: open_office(tmp_path / "new", journal=address))
    assert (error["error"], str(embedded_scene.home) in error["details"]) == ("unreadable", True)
    error = refusal(lambda: to_home(str(tmp_path / "other"), address, nothing, quiet))
    assert (error["error"], "not two" in error["hint"]) == ("conflict", True)


def test_what_others_write_until_the_stream_closes_comes_along(
    embedded_scene: Scene, address: str, tmp_path: Path
) -> None:
    move_in(embedded_scene, address)
    confirmed: list[str] = []

    def write() -> None:
        """Until it is refused, which ends it."""
        with open_office(tmp_path / "other", journal=address, patience=2) as other:
            while True:
                with suppress(TimedOutError):
                    confirmed.append(other.send(caller("codex"), "claude", text="more").id)

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        until(lambda: len(confirmed) > 50)
        to_home(str(embedded_scene.home), address, nothing, quiet)
        assert isinstance(writing.exception(PATIENCE), UnreadableError)
    assert office_audit.wrong(embedded_scene.home, confirmed, replay=True) == []


def test_a_stream_with_another_office_is_refused(
    embedded_scene: Scene, address: str, tmp_path: Path
) -> None:
    with open_office(tmp_path / "other", journal=address) as other:
        other.register(caller("zoe"))
    assert refusal(lambda: move_in(embedded_scene, address))["error"] == "conflict"
    assert stands(address).is_open
    with open_office(tmp_path / "third") as third:  # and one that another moves to
        third.register(caller("yan"))
    held = address + "2"
    to_stream(str(tmp_path / "third"), held, nothing, quiet)
    to_home(str(tmp_path / "third"), held, nothing, quiet)
    assert refusal(lambda: move_in(embedded_scene, held))["error"] == "conflict"
    assert embedded_scene.send().position


def test_a_journal_that_is_not_whole_stays(embedded_scene: Scene, address: str) -> None:
    embedded_scene.office.desk.database.writer.execute(
        "UPDATE events SET head = replace(head, 'codex', 'cod3x') WHERE position = 2"
    )
    error = refusal(lambda: move_in(embedded_scene, address))
    assert (error["error"], "isn't whole, at 2" in error["details"]) == ("unreadable", True)
    assert standing(address_of(address), 10) is None


def test_tables_that_a_replay_would_not_make_stay(embedded_scene: Scene, address: str) -> None:
    embedded_scene.office.desk.database.writer.execute("UPDATE agents SET unread = 7")
    error = refusal(lambda: move_in(embedded_scene, address))
    assert (error["error"], "table agents" in error["details"]) == ("unreadable", True)
    embedded_scene.office.rebuild()
    move_in(embedded_scene, address)
    assert office_audit.wrong(embedded_scene.home, [], journal=address) == []


def test_stopped_before_the_others_may_write_it_goes_on(
    embedded_scene: Scene, address: str, tmp_path: Path
) -> None:
    def stop() -> None:
        raise ConflictError("the power went")

    refusal(lambda: move_in(embedded_scene, address, stop))
    error = refusal(lambda: open_office(tmp_path / "other", journal=address))
    assert "waypost journal migrate" in error["hint"]
    move_in(embedded_scene, address)
    refusal(lambda: to_home(str(embedded_scene.home), address, stop, quiet))
    done = to_home(str(embedded_scene.home), address, nothing, quiet)
    assert done.events == embedded_scene.office.last()
    assert difference(str(embedded_scene.home), str(embedded_scene.home)) is None


def test_a_trial_changes_nothing(embedded_scene: Scene, address: str) -> None:
    home = str(embedded_scene.home)
    done = to_stream(home, address, nothing, quiet, is_trial=True)
    assert done.events == embedded_scene.office.last()
    assert standing(address_of(address), 10) is None
    assert embedded_scene.send().position == done.events + 1


@pytest.mark.parametrize("messages", [1, 700, 1400])
def test_killed_on_the_way_it_goes_on(embedded_scene: Scene, address: str, messages: int) -> None:
    scene = lived_in(embedded_scene)
    grow(scene, 1500)
    before, tip = office_audit.dump(scene.home), scene.office.verify()
    process = begun(scene, address)
    until(lambda: (there := standing(address_of(address), 10)) and there.messages >= messages)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    assert office_audit.dump(scene.home) == before
    move_in(scene, address)
    with open_office(scene.home, journal=address) as node:
        assert node.verify() == tip
    assert office_audit.dump(scene.home) == before
    assert office_audit.wrong(scene.home, [], replay=True, journal=address) == []
    assert not (scene.home / "moving").exists()


def test_killed_on_the_way_back_it_goes_on(embedded_scene: Scene, address: str) -> None:
    scene = lived_in(embedded_scene)
    grow(scene, 1500)
    move_in(scene, address)
    before = office_audit.dump(scene.home)
    process = begun(scene, "local", WAYPOST_JOURNAL=address)
    until(lambda: not stands(address).is_open)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    assert office_audit.dump(scene.home) == before
    to_home(str(scene.home), address, nothing, quiet)
    assert office_audit.dump(scene.home) == before
    assert office_audit.wrong(scene.home, [], replay=True) == []


def begun(scene: Scene, target: str, **more: str) -> subprocess.Popen[bytes]:
    """The command, on its way."""
    return subprocess.Popen(
        command("waypost", "journal", "migrate", "--to", target, "--home", str(scene.home)),
        env=environment(**more),
        stdout=subprocess.DEVNULL,
    )


def grow(scene: Scene, events: int) -> None:
    """Have many more events, some without a scope."""
    event = event_of(caller("claude"), "agent.changed", scene.clock.now, {"name": "claude"})
    scene.office.desk.journal.append([Proposal(event, {})] * events, nothing)


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
