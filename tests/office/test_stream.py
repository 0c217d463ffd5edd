"""The journal as a stream: what nodes agree on, what is refused, what happens without servers."""

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js import JetStreamContext

from campaigns import office_audit
from office_scene import Scene, at_once, caller, refusal, scene_in
from stream_servers import Servers, stream_of
from waypost.errors import FilesHeldError, TimedOutError, WaypostError
from waypost.office.calls import call
from waypost.office.deciding import event_of
from waypost.office.journal import Proposal
from waypost.office.journal.packing import Parcel, pack
from waypost.office.office import Office, open_office


@pytest.fixture
def town(servers: Servers, tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "home", servers.address()) as made:
        yield made


@pytest.fixture
def other(town: Scene, tmp_path: Path) -> Iterator[Office]:
    """A second node of the same office."""
    with town.open(tmp_path / "other") as made:
        yield made


def by_hand(town: Scene, act: Callable[[JetStreamContext], Awaitable[Any]]) -> Any:
    """Do something to the servers beside the office's back."""

    async def done() -> Any:
        client = await nats.connect(str(town.journal).rpartition("/")[0])
        try:
            return await act(client.jetstream())
        finally:
            await client.close()

    return asyncio.run(done())


def subject_of(town: Scene) -> str:
    return f"{stream_of(str(town.journal)).replace('-', '.', 1)}.events"


def test_a_letter_sent_on_one_node_wakes_whoever_waits_on_another(
    town: Scene, other: Office
) -> None:
    woken, receipt = at_once(lambda: other.wait(other.last(), 20), lambda: town.send())
    assert woken == receipt.position  # type: ignore[attr-defined]
    assert [one.id for one in other.inbox(caller("codex")).letters] == [receipt.id]  # type: ignore[attr-defined]


def test_of_64_on_three_nodes_that_want_the_same_files_one_gets_them(
    town: Scene, other: Office, tmp_path: Path
) -> None:
    names = [f"runner-{number}" for number in range(64)]
    at_once(*[lambda name=name: town.office.register(caller(name)) for name in names])
    with town.open(tmp_path / "third") as third:
        nodes = (town.office, other, third)
        results = at_once(*[
            lambda n=n: nodes[n % 3].reserve(caller(names[n]), ["src/**" if n % 2 else "src/*.py"])
            for n in range(64)
        ])  # fmt: skip
    assert sum(isinstance(one, FilesHeldError) for one in results) == 63
    assert len(town.office.reservations(caller("dana"))) == 1


def test_of_many_on_two_nodes_who_register_one_name_one_is_new(town: Scene, other: Office) -> None:
    spelled = ["zed", "ZED", "Zed", "zeD"] * 4
    made = at_once(*[lambda n=n, name=name: (town.office, other)[n % 2].register(caller(name))
                     for n, name in enumerate(spelled)])  # fmt: skip
    assert sum(getattr(one, "is_new", False) for one in made) == 1
    assert sum(isinstance(one, WaypostError) for one in made) == 12


def test_a_repeat_that_the_servers_let_through_counts_once(town: Scene, other: Office) -> None:
    before = town.office.last()
    town.send(text="once")
    kept = by_hand(town, lambda js: js.get_last_msg(stream_of(str(town.journal)), subject_of(town)))
    by_hand(town, lambda js: js.publish(subject_of(town), kept.data))
    town.send(text="later")
    assert other.wait(before + 1, 20) == town.office.last() == before + 2
    assert town.inbox() == ["once", "later"]
    assert office_audit.wrong(town.home, [], journal=town.journal) == []


FORGERIES = {
    "no event": b"hello",
    "a cut one": pack(Parcel((0,), "{}", None, b"some"))[:-2],
    "no head": pack(Parcel((0,), "{}", None, None)),
    "nested without end": pack(Parcel((0,), "[" * 100_000, None, None)),
    "what no table takes": pack(Parcel((0,), '{"actor":"x","at":1,"data":{},"door":"cli",'
                                '"kind":"letter.sent","project":"p","proof":"claimed",'
                                '"scopes":["a"]}', None, None)),
}  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_what_is_no_event_is_passed_over_on_every_node(town: Scene, forgery: bytes) -> None:
    before = town.office.last()
    by_hand(town, lambda js: js.publish(subject_of(town), forgery))
    assert town.send().position == before + 1
    assert office_audit.wrong(town.home, [], journal=town.journal) == []


def test_what_a_newer_waypost_writes_stops_a_node_that_says_so(town: Scene) -> None:
    newer = pack(Parcel((0,), "{}", None, None)).replace(b'"form":1', b'"form":2')
    by_hand(town, lambda js: js.publish(subject_of(town), newer))
    while "stale" not in call(town.office, "inbox", caller("codex"), {}):
        town.office.wait(town.office.last(), 0.05)
    error = refusal(
        lambda: town.office.desk.journal.append([Proposal(_event(town), {})], lambda: None)
    )
    assert (error["error"], "update waypost" in str(error["hint"])) == ("unreadable", True)


def test_a_message_that_is_gone_from_the_servers_is_told(town: Scene, tmp_path: Path) -> None:
    by_hand(town, lambda js: js.delete_msg(stream_of(str(town.journal)), 2))
    error = refusal(lambda: open_office(tmp_path / "new", journal=town.journal, patience=2))
    assert (error["error"], "message 2" in str(error["details"])) == ("unreadable", True)


def test_what_is_redacted_is_on_no_server_and_a_new_node_comes_to_the_same(
    town: Scene, servers: Servers, other: Office
) -> None:
    secret = "hunter2hunter2"
    receipt = town.send(text=secret, subject=secret)
    town.office.acknowledge(caller("codex"), receipt.id, note=secret)
    assert b"hunter2" in _kept(servers)
    removal = town.office.redact(caller("dana"), receipt.id, "leaked")
    assert b"hunter2" not in _kept(servers)
    other.wait(removal.position - 1, 20)
    assert other.read(caller("codex"), receipt.id).message is None
    assert office_audit.wrong(town.home, [receipt.id], replay=True, journal=town.journal) == []


def test_a_large_content_travels_beside_the_stream(town: Scene, other: Office) -> None:
    before, content = other.last(), b"0123456789abcdef" * 100_000
    kept = town.office.attach(caller("claude"), "log.txt", content)
    other.wait(before, 20)
    assert other.attachment(caller("codex"), kept.uri).data == content
    town.office.redact(caller("dana"), kept.uri, "private")
    assert office_audit.wrong(town.home, [], journal=town.journal) == []


def _kept(servers: Servers) -> bytes:
    """All that the servers have on their disks."""
    return b"".join(file.read_bytes() for file in servers.folder.rglob("*.blk"))


def _event(town: Scene) -> Any:
    return event_of(caller("claude"), "agent.changed", town.clock.now, {"name": "claude"})


def test_without_servers_writing_ends_in_time_and_reading_goes_on(tmp_path: Path) -> None:
    servers = Servers(tmp_path, 1)
    address = servers.address()
    with open_office(tmp_path / "home", journal=address, patience=3) as office:
        me = caller("claude")
        office.register(me)
        first = office.send(me, "claude", text="before", message_id="m-0")
        servers.signal(0, signal.SIGKILL)
        error = refusal(lambda: office.send(me, "claude", text="meanwhile", message_id="m-1"))
        assert (error["error"], error["retryable"]) == ("timeout", True)
        while "stale" not in (seen := call(office, "inbox", me, {"unread_only": False})):
            office.wait(office.last(), 0.1)
        assert [one["id"] for one in seen["letters"]] == [first.id]
        servers.start(0)
        _until_stored(lambda: office.send(me, "claude", text="meanwhile", message_id="m-1"))
        assert len(office.inbox(me, unread_only=False).letters) == 2
    assert office_audit.wrong(tmp_path / "home", ["m-0", "m-1"], journal=address) == []
    servers.close()


def test_a_server_that_hangs_a_moment_stores_nothing_twice(tmp_path: Path) -> None:
    servers = Servers(tmp_path, 1)
    address = servers.address()
    with open_office(tmp_path / "home", journal=address, patience=20) as office:
        office.register(caller("claude"))
        servers.signal(0, signal.SIGSTOP)
        waker = threading.Timer(3.0, servers.signal, (0, signal.SIGCONT))
        waker.start()  # longer than one attempt, shorter than all
        receipt = office.send(caller("claude"), "claude", text="patience")
        waker.join()
        assert [one.id for one in office.inbox(caller("claude")).letters] == [receipt.id]
    assert office_audit.wrong(tmp_path / "home", [receipt.id], journal=address) == []
    servers.close()


def _until_stored(send: Callable[[], object]) -> None:
    while True:
        with suppress(TimedOutError):
            send()
            return
