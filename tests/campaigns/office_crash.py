"""The crash campaign of the office: kill -9 under eight writers, at random moments.

`scripts/campaign office_crash --rounds 200` lets eight processes (in every other round: two, of
four threads each) send, read, acknowledge and reserve on one home, and kills one after the other.
After each round: what was reported as stored is there once and whole, nothing is double, the chain
holds; and in every tenth round a replay of the journal gives the same tables.
"""

import argparse
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from campaigns import office_audit
from campaigns.actors import Actor, Report
from waypost.errors import WaypostError
from waypost.office.callers import Caller
from waypost.office.office import Office, open_office

PROJECT = "crash"
NAMES = tuple(f"agent-{number}" for number in range(8))
_MOST_LETTERS = 400
_LONGEST_LIFE_S = 0.5
_LONGEST_PAUSE_S = 0.03


def prepare(home: Path) -> None:
    """Give every writer a mailbox."""
    with open_office(home) as office:
        for name in NAMES:
            office.register(Caller(name, PROJECT))


def work(office: Office, name: str, label: str, report: Report) -> None:
    """What a writer does, over and over; it reports a letter only once it has the receipt."""
    me, chance = Caller(name, PROJECT), Random(label)
    for number in range(_MOST_LETTERS):
        to = chance.choice(NAMES)
        message_id = f"{label}-{number}"
        text = f"{message_id} " * chance.randint(1, 50)
        report(office.send(me, to, text=text, message_id=message_id).id)
        if chance.random() < 0.2:
            assert office.send(me, to, text=text, message_id=message_id).is_repeat
        for header in office.inbox(me, limit=2).letters:
            office.acknowledge(me, header.id)
        with suppress(WaypostError):  # somebody else's lease is no accident
            office.reserve(me, [f"src/{chance.randint(0, 9)}/**"], minutes=1)


def writer(home: Path, names: tuple[str, ...], label: str) -> Callable[[Report], None]:
    """A process with one thread for each of its names."""

    def act(report: Report) -> None:
        with open_office(home) as office:
            threads = [
                threading.Thread(target=work, args=(office, name, f"{label}-{name}", report))
                for name in names
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    return act


def play(home: Path, number: int, seed: int) -> tuple[list[str], list[str]]:
    """One round: what was reported, and what is wrong afterwards."""
    chance = Random(f"{seed} {number}")
    teams = [(name,) for name in NAMES] if number % 2 == 0 else [NAMES[:4], NAMES[4:]]
    actors = [Actor(writer(home, team, f"{seed}-{number}")) for team in teams]
    signal.sigtimedwait([], chance.random() * _LONGEST_LIFE_S)
    for actor in chance.sample(actors, len(actors)):
        actor.kill()
        signal.sigtimedwait([], chance.random() * _LONGEST_PAUSE_S)
    said = [line for actor in actors for line in actor.reports()]
    failed = [line for line in said if line.startswith("failed")]
    reported = [line for line in said if line not in failed]

    def audit(report: Report) -> None:
        for line in office_audit.wrong(home, reported, replay=number % 10 == 9):
            report(line)

    return reported, [*failed, *Actor(audit).wait().reports()]


def main(arguments: list[str] | None = None) -> int:
    """Play the rounds on one home and tell what came of them; 1 when one went wrong."""
    parser = argparse.ArgumentParser(prog="scripts/campaign office_crash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    total, bad = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        prepare(home)
        for number in range(asked.rounds):
            reported, wrong = play(home, number, asked.seed)
            total += len(reported)
            bad += bool(wrong)
            for line in wrong[:5]:
                print(f"round {number}: {line}")
    print(f"{asked.rounds} rounds, {total} letters acknowledged, {bad} rounds wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
