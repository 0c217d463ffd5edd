"""An office on a stream beside the stream itself: bare publishing on the same servers, in one run.

python bench/cluster.py            one server, then three
python bench/cluster.py --quick    one server, fewer letters
"""

import asyncio
import os
import sys
import threading
from functools import partial
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

import nats
from table import Row, show

from office import RECIPIENT, SENDER, drawn_up
from stream_servers import Servers
from waypost.office.events import Event, seal
from waypost.office.journal import Proposal
from waypost.office.journal.packing import Parcel, pack
from waypost.office.office import Office, open_office
from waypost.office.tables import Tables

_IN_FLIGHT = 256
_ROUNDS = 3
Drawn = list[Proposal]


def opened(folder: Path, name: str, address: str | None) -> Office:
    """A node, or an office of its own, with two mailboxes."""
    office = open_office(folder / name, journal=address)
    for caller in (SENDER, RECIPIENT):
        office.register(caller, with_token=False)
    return office


def _given(event: Event, _: Tables) -> Event:
    return event


def appending(office: Office, drawn: Drawn) -> float:
    """Seconds an event, for 256 threads that each have one in flight, as use-cases do."""
    shares = [drawn[number::_IN_FLIGHT] for number in range(_IN_FLIGHT)]

    def work(share: Drawn) -> None:
        for event, expect in share:
            office.desk.decide(list(expect), partial(_given, event), lambda _: None)

    threads = [threading.Thread(target=work, args=(share,)) for share in shares]
    start = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (perf_counter() - start) / len(drawn)


def bare_publishing(servers: Servers, drawn: Drawn, replicas: int) -> float:
    """Seconds a message of the same bytes, for a bare client with 256 in flight."""
    bodies = []
    for event, expect in drawn:
        entry = seal(event, tuple(expect), 0)
        parcel = Parcel(tuple(expect.values()), entry.head, entry.texts, event.message)
        bodies.append(pack(parcel))

    async def run() -> float:
        client = await nats.connect(servers.first)
        stream = client.jetstream()
        await stream.add_stream(name="bare", subjects=["bare"], num_replicas=replicas)
        left = iter(enumerate(bodies))

        async def work() -> None:
            for number, body in left:
                await stream.publish("bare", body, headers={"Nats-Msg-Id": str(number)}, timeout=30)

        start = perf_counter()
        await asyncio.gather(*(work() for _ in range(_IN_FLIGHT)))
        taken = perf_counter() - start
        await stream.delete_stream("bare")
        await client.close()
        return taken / len(bodies)

    return asyncio.run(run())


def bare_push(servers: Servers, replicas: int, count: int) -> float:
    """Seconds from a publish on one connection until a push consumer on another has it: p50."""

    async def run() -> float:
        address = servers.first
        sender, receiver = await nats.connect(address), await nats.connect(address)
        stream = sender.jetstream()
        await stream.add_stream(name="push", subjects=["push"], num_replicas=replicas)
        heard = await receiver.jetstream().subscribe("push", ordered_consumer=True)
        taken = []
        for _ in range(count):
            start = perf_counter()
            publishing = asyncio.ensure_future(stream.publish("push", b"x" * 1000))
            await heard.next_msg(timeout=10)
            taken.append(perf_counter() - start)
            await publishing
        await stream.delete_stream("push")
        await sender.close()
        await receiver.close()
        return median(taken)

    return asyncio.run(run())


def waiting(folder: Path, address: str, count: int, pipe: "Connection[object, object]") -> None:
    """A node in a process of its own: says when it waits, and when it was woken."""
    with opened(folder, "two", address) as there:
        for _ in range(count):
            seen = there.last()
            pipe.send("ready")
            while there.wait(seen, 10) == seen:
                pass
            pipe.send(perf_counter())  # one clock for all processes of a machine


def waking(folder: Path, address: str, count: int) -> float:
    """Seconds from sending on one node until whoever waits on another is woken: p50."""
    ours, theirs = Pipe()
    process = get_context("fork").Process(target=waiting, args=(folder, address, count, theirs))
    process.start()
    taken = []
    with opened(folder, "one", address) as here:
        for number in range(count):
            ours.recv()
            start = perf_counter()
            here.send(SENDER, RECIPIENT.agent, text=f"number {number}")
            taken.append(float(ours.recv()) - start)
    process.join()
    return median(taken)


def rows_of(folder: Path, servers: Servers, replicas: int, count: int) -> list[Row]:
    """What is measured on so many servers."""
    rows, label = [], f"R{replicas}"
    address = servers.address()
    waken = waking(folder, address, 100)
    with opened(folder, "embedded", None) as embedded:
        drawn = drawn_up(embedded, count * _ROUNDS)
        parts = [drawn[number * count : (number + 1) * count] for number in range(_ROUNDS)]
        with opened(folder, "one", address) as one:
            bare, ours = [], []
            for part in parts:  # in turn, so that both meet the same machine
                bare.append(bare_publishing(servers, part, replicas))
                ours.append(appending(one, part))
            us, limit = median(ours) * 1e6, median(bare) * 1e6
            rows.append(Row(f"{label} append, 256 in flight (µs)", us, None, limit,
                            "rate ≥ 0.5", limit / us >= 0.5))  # fmt: skip
            push = bare_push(servers, replicas, 100) * 1e6
            woken = waken * 1e6
            rows.append(Row(f"{label} sent here, woken there, p50 (µs)", woken, None, push,
                            "≤ 3.0", woken / push <= 3.0))  # fmt: skip
        for part in parts:
            embedded.desk.journal.append(part, lambda: None)
        start = perf_counter()
        replayed = embedded.rebuild()
        replay = (perf_counter() - start) / replayed * 1e6
    start = perf_counter()
    with open_office(folder / "new", journal=address) as new:
        caught_up = (perf_counter() - start) / new.last() * 1e6
    rows.append(Row(f"{label} a new node catches up (µs/event)", caught_up, None, replay,
                    "rate ≥ 0.7", replay / caught_up >= 0.7))  # fmt: skip
    return rows


def main() -> int:
    is_quick = "--quick" in sys.argv
    is_met = True
    for count in (1,) if is_quick else (1, 3):
        with TemporaryDirectory(dir=os.getcwd()) as name:
            folder = Path(name)
            servers = Servers(folder, count)
            try:
                rows = rows_of(folder, servers, count, 1000 if is_quick else 3000)
            finally:
                servers.close()
        is_met &= show(f"An office on {count} server(s), beside the bare stream", rows)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
