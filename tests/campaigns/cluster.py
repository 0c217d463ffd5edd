"""The campaign of the cluster: three servers, three nodes, and what can happen to any of them.

`scripts/campaign cluster --rounds 10` plays every fault so many times, under eight writers on each
node. A writer that isn't answered in time asks again under the same id. Afterwards, when all is
mended: what was acknowledged is there exactly once, nothing is double, the chain holds, and the
tables of all nodes are the same, and those of a node that begins anew.
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from campaigns import office_audit
from campaigns.actors import Actor, Report
from stream_servers import Servers, stream_of
from waypost.errors import TimedOutError
from waypost.office.callers import Caller
from waypost.office.office import Office, open_office

PROJECT = "cluster"
_PATIENCE_SECONDS = 15.0
_NODES = 3
_STOPPED_SECONDS = 10.0


class Town:
    """An office on three servers, with three nodes and their writers."""

    def __init__(self, folder: Path, servers: Servers, writers: int, letters: int) -> None:
        self.servers = servers
        self.address = servers.address()
        self.homes = [folder / f"node-{number}" for number in range(_NODES)]
        self.names = [f"writer-{number}" for number in range(writers)]
        self._letters = letters
        with open_office(self.homes[0], journal=self.address, patience=_PATIENCE_SECONDS) as office:
            for name in self.names:
                office.register(Caller(name, PROJECT), with_token=False)
        self.nodes = [Actor(self._node(number)) for number in range(_NODES)]

    def wait_for(self, letters: int) -> None:
        """Wait until the writers have written so many letters together."""
        home = self.homes[0].with_name("onlooker")
        with open_office(home, journal=self.address, patience=_PATIENCE_SECONDS) as office:
            seen = office.last()
            while seen < letters + len(self.names):
                seen = office.wait(seen, _PATIENCE_SECONDS)

    def finish(self) -> tuple[int, list[str]]:
        """Wait for the writers; gives how many letters they know to be stored, and what's wrong."""
        said = [line for node in self.nodes for line in self._ended(node).reports()]
        failed = [line for line in said if line.startswith("failed")]
        stored = [line for line in said if line not in failed]

        def audit(report: Report) -> None:
            for line in self._wrong(stored):
                report(line)

        return len(stored), [*failed, *Actor(audit).wait().reports()]

    def _ended(self, node: Actor) -> Actor:
        return node if node.status is not None else node.wait()

    def _wrong(self, stored: list[str]) -> list[str]:
        found = office_audit.wrong(self.homes[0], stored, replay=True, journal=self.address)
        for home in self.homes[1:]:
            open_office(home, journal=self.address).close()  # it catches up
        first, *others = (office_audit.dump(home) for home in self.homes)
        found += [f"node {number} has other tables" for number, other in enumerate(others, 1)
                  if other != first]  # fmt: skip
        return found

    def _node(self, number: int) -> Callable[[Report], None]:
        def act(report: Report) -> None:
            with open_office(
                self.homes[number], journal=self.address, patience=_PATIENCE_SECONDS
            ) as office:
                threads = [
                    threading.Thread(target=self._write, args=(office, name, number, report))
                    for name in self.names
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()

        return act

    def _write(self, office: Office, name: str, node: int, report: Report) -> None:
        me = Caller(name, PROJECT)
        for number in range(self._letters):
            letter = f"{node}-{name}-{number}"
            while True:
                try:
                    office.send(me, self.names[0], text=letter, message_id=letter)
                except TimedOutError:
                    continue
                report(letter)
                break


def _leader(town: Town) -> None:
    number = town.servers.leader(stream_of(town.address))
    town.servers.signal(number, signal.SIGKILL)
    town.servers.start(number)


def _follower(town: Town) -> None:
    number = (town.servers.leader(stream_of(town.address)) + 1) % 3
    town.servers.signal(number, signal.SIGKILL)
    town.servers.start(number)


def _node(town: Town) -> None:
    town.nodes[1].kill()


def _everything(town: Town) -> None:
    town.servers.restart()


def _stopped(town: Town) -> None:
    number = town.servers.leader(stream_of(town.address))
    town.servers.signal(number, signal.SIGSTOP)
    time.sleep(_STOPPED_SECONDS)  # the fault itself: so long nothing is heard of it
    town.servers.signal(number, signal.SIGCONT)


def _stopped_node(town: Town) -> None:
    os.kill(town.nodes[1].pid, signal.SIGSTOP)
    town.wait_for(60)
    os.kill(town.nodes[1].pid, signal.SIGCONT)


FAULTS: dict[str, Callable[[Town], None]] = {
    "the leader killed": _leader,
    "a follower killed": _follower,
    "a node killed": _node,
    "all servers restarted": _everything,
    "the leader stopped for ten seconds": _stopped,
    "a node stopped": _stopped_node,
}


def play(
    folder: Path, servers: Servers, fault: str, *, writers: int = 8, letters: int = 20
) -> tuple[int, list[str]]:
    """One round: how many letters were acknowledged, and what is wrong afterwards."""
    town = Town(folder, servers, writers, letters)
    town.wait_for(30)
    FAULTS[fault](town)
    found = town.finish()
    servers.wait_until_ready()
    return found


def main(arguments: list[str] | None = None) -> int:
    """Play every fault and tell what came of it; 1 when one round went wrong."""
    parser = argparse.ArgumentParser(prog="scripts/campaign cluster", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--letters", type=int, default=20, help="for each writer")
    parser.add_argument("--fault", action="append", choices=list(FAULTS))
    asked = parser.parse_args(arguments)
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(Path(folder), 3)
        try:
            for fault in asked.fault or FAULTS:
                total = 0
                for number in range(asked.rounds):
                    place = Path(folder, f"{fault}-{number}")
                    place.mkdir()
                    stored, wrong = play(place, servers, fault, letters=asked.letters)
                    total += stored
                    bad += bool(wrong)
                    for line in wrong[:5]:
                        print(f"{fault}, round {number}: {line}")
                print(f"{fault}: {asked.rounds} rounds, {total} letters acknowledged", flush=True)
        finally:
            servers.close()
    print(f"{bad} rounds wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
