"""The storm: agents of all three carriers write to each other while the office is killed.

`scripts/campaign office_storm --letters 100000 --every 15` lets seven agents in folders, seven at
tools and six live peers write tasks, questions, news and broadcasts. Every fifteen seconds the
office ends with kill -9 and starts again; peers come and go; a saboteur puts bad input into every
door. At the end every letter that anybody was told to be kept is accounted for with each of its
recipients, none is there twice, the chain holds, and a replay gives the same tables.
"""

import argparse
import re
import resource
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from campaigns import office_audit
from campaigns.storming.crowd import Crowd
from campaigns.storming.plan import KINDS, MALLORY, SPOILED, Plan
from campaigns.storming.reckoning import Books, Reckoning, acknowledged, on_their_way
from office_town import Town, caller, town_in
from waypost.carriers.keyring import Peers, identity, token_of

_LETTERS_OF_A_PAIR = "999999999"  # nobody is to be held for writing much
_LOOK_SECONDS = 0.1
_QUIET_SECONDS, _MOST_SETTLING_SECONDS = 2.0, 600.0
_TRACE = re.compile('"trace"|^Traceback')  # in a line of a log


class Weather(NamedTuple):
    """How hard it blows: seconds between two kills, how many there are at least, and bad input."""

    every: float
    kills: int = 1
    spoils: bool = True
    seconds: float = 1e9  # after which nobody begins another letter


class Storm:
    """One storm over one town."""

    def __init__(self, plan: Plan, town: Town, weather: Weather) -> None:
        self.plan, self.town, self.weather = plan, town, weather
        self.crowd = Crowd(plan, weather.every)
        self.begun = time.monotonic()
        self._memory: list[int] = []  # of each office before its end, in MiB

    # -- before ----------------------------------------------------------------------------------

    def settle(self) -> None:
        """Give everybody a mailbox, a key and each other's, and start the office."""
        plan, town = self.plan, self.town
        for name in plan.names("folder"):
            town.add(name, "folder", live=name in plan.live)
        for name in [*plan.names("tool"), "mallory-tools"]:
            town.add(name, live=name in plan.live)
        tokens = {name: town.office.rotate_token(caller(name)).token
                  for name in [*plan.names("tool"), "mallory-tools"]}  # fmt: skip
        addresses = {name: _free_address() for name in plan.names("peer")}
        for name, address in addresses.items():
            key = identity(plan.root / "peers", name)
            town.office.register(caller(name), carrier="key", key_id=key.id, with_token=False)
            self._trust(token_of(key.public_key, *_parts(address)), name)
        self._trust(token_of(identity(plan.root / "mallory", MALLORY).public_key), MALLORY)
        self.start()
        host, port = _parts(str(town.where["quic"]))
        for name in plan.live:
            ours = token_of(identity(town.home, name).public_key, host, port)
            for peer in plan.names("peer"):
                Peers(plan.root / "peers", identity(plan.root / "peers", peer)).add(ours, name)
        keys = {name: identity(town.home, name).id for name in plan.live}
        plan.save(url=town.where["url"], quic=town.where["quic"], tokens=tokens, keys=keys,
                  addresses=addresses, folders_home=str(town.folders))  # fmt: skip
        town.until(lambda: all(town.inbox(name).is_dir() for name in plan.everybody))

    def _trust(self, token: str, name: str) -> None:
        for local in self.plan.live:
            Peers(self.town.home, identity(self.town.home, local)).add(token, name)

    def start(self) -> None:
        self.town.start(WAYPOST_LETTERS=_LETTERS_OF_A_PAIR)

    # -- meanwhile -------------------------------------------------------------------------------

    def blow(self) -> None:
        """Let them write until all have, killing the office and peers on the way."""
        self.crowd.begin("folders", "tools", *(["sabotage"] if self.weather.spoils else []))
        kill_at = time.monotonic() + self.weather.every
        while len(self._memory) < self.weather.kills or not self._have_written(*KINDS):
            is_late = time.monotonic() > self.begun + self.weather.seconds
            if is_late or self._have_written("folder", "tool"):  # a peer's letters take longest
                self.plan.say("enough")
            self.crowd.look_after()
            if time.monotonic() >= kill_at:
                self._kill()
                kill_at = time.monotonic() + self.weather.every
            time.sleep(_LOOK_SECONDS)

    def _kill(self) -> None:
        """End the office as a loss of power would, and start it again."""
        self._memory.append(self._resident())
        self.town.end(signal.SIGKILL)
        self.start()
        said = f"{time.monotonic() - self.begun:6.0f} s: kill {len(self._memory)}"
        print(f"{said}, {self.town.office.last():,} events, {self._memory[-1]} MiB",
              file=sys.stderr, flush=True)  # fmt: skip

    def _have_written(self, *kinds: str) -> bool:
        names = (name for kind in kinds for name in self.plan.names(kind))
        return all(map(self.plan.has_written, names))

    def _resident(self) -> int:
        assert self.town.process is not None
        status = Path(f"/proc/{self.town.process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s*(\d+)", status)
        return int(found[1]) // 1024 if found else 0

    # -- after -----------------------------------------------------------------------------------

    def calm(self) -> float:
        """Let everybody take what is left; gives how many seconds it took until all was quiet."""
        begun = quiet = time.monotonic()
        self.plan.say("calm")
        last = self.town.office.last()
        while time.monotonic() < quiet + _QUIET_SECONDS or self._is_busy():
            if time.monotonic() > begun + _MOST_SETTLING_SECONDS:
                break
            self.crowd.look_after(all_stay=True)
            if self.town.office.wait(last, _LOOK_SECONDS) > last:
                last, quiet = self.town.office.last(), time.monotonic()
        self.plan.say("over")
        self.crowd.finish()
        return quiet - begun

    def _is_busy(self) -> bool:
        """Whether somebody still has to get or to take a letter."""
        files = (one for name in self.plan.names("folder") for one in self.town.files(name))
        lies = any(not one.name.startswith(SPOILED) for one in files)
        return lies or on_their_way(self.town.home, self.plan) > 0

    def reckon(self) -> Reckoning:
        """Hold what everybody noted against what the office has; prove chain and replay."""
        code = self.town.end(signal.SIGTERM)
        books = Books(self.plan, self.town.home, self.crowd.ended)
        found = Reckoning(books)
        found.wrong += office_audit.wrong(self.town.home, acknowledged(books), replay=True)
        found.wrong += [f"the office ended with {code}"] if code else []
        logs = [self.town.log, self.plan.root / "teams.err"]
        lines = [line for log in logs for line in log.read_text(errors="replace").splitlines()]
        found.wrong += [f"a fault in a log: {one}" for one in lines if _TRACE.search(one)]
        return found

    def table(self, found: Reckoning) -> list[str]:
        """What came of it, a line each."""
        seconds = time.monotonic() - self.begun
        spoiled = self.plan.root / "sabotage.out"
        told = spoiled.read_text().strip() if spoiled.exists() else "none"
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return [
            f"{len(self._memory)} kills of the office,"
            f" {len(self.crowd.ended)} ends of peers, {seconds:,.0f} s,"
            f" {used.ru_utime + used.ru_stime:,.0f} s of processor time",
            f"most memory before each kill: {min(self._memory)} to {max(self._memory)} MiB",
            f"acts of the saboteur: {told}",
            *found.rows(),
            f"{'wrong':<58}{len(found.wrong):>10,}",
        ]


def _free_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


def _parts(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


@contextmanager
def storm_in(plan: Plan, weather: Weather) -> Iterator[Storm]:
    """A storm whose processes end with it, whatever comes."""
    plan.root.mkdir(exist_ok=True)
    with town_in(plan.root) as town:
        storm = Storm(plan, town, weather)
        try:
            yield storm
        finally:
            storm.crowd.close()


def play(plan: Plan, weather: Weather) -> tuple[list[str], list[str]]:
    """The whole storm; gives the table, and what is wrong."""
    with storm_in(plan, weather) as storm:
        storm.settle()
        storm.blow()
        print(f"all is written; {storm.calm():.0f} s until it was quiet", file=sys.stderr)
        found = storm.reckon()
        return storm.table(found), found.wrong


def main(arguments: list[str] | None = None) -> int:
    """Let it blow and print the table; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(prog="scripts/campaign office_storm", description=__doc__)
    parser.add_argument("--letters", type=int, default=100_000)
    parser.add_argument("--every", type=float, default=15.0, help="seconds between two kills")
    parser.add_argument("--seconds", type=float, default=1e9, help="write at most so long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", action="store_true", help="no bad input")
    parser.add_argument("--keep", type=Path, help="an empty folder for it, which stays")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(asked.keep or Path(folder), asked.letters, seed=asked.seed)
        weather = Weather(asked.every, spoils=not asked.calm, seconds=asked.seconds)
        rows, wrong = play(plan, weather)
    print(*rows, *wrong[:60], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
