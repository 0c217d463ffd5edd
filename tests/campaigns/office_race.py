"""The race for files: many processes ask at one moment for leases that overlap; one gets its own.

`scripts/campaign office_race --processes 64 --rounds 100`
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from campaigns.actors import Actor, Report
from waypost.errors import FilesHeldError
from waypost.office.callers import Caller
from waypost.office.office import open_office

PROJECT = "race"
_SHAPES = ("src/{}/**", "src/{}/*.py", "src/{}/main.*", "src/{}/[a-z]*.py", "src/{}/{{main,x}}.py")


class Race:
    """Processes that wait for the start of each round, on one home."""

    def __init__(self, home: Path, processes: int) -> None:
        self.names = [f"runner-{number}" for number in range(processes)]
        with open_office(home) as office:
            for name in self.names:
                office.register(Caller(name, PROJECT), with_token=False)
        self._home = home

    def run(self, rounds: int) -> list[int]:
        """How many won, in each round."""
        start, gate = os.pipe()
        runners = [Actor(self._runner(number, start, gate, rounds))
                   for number in range(len(self.names))]  # fmt: skip
        os.close(start)
        os.close(gate)  # the last writing end that is open: everybody is off
        won = [int(line) for runner in runners for line in runner.wait().reports()]
        return [won.count(number) for number in range(rounds)]

    def _runner(self, number: int, start: int, gate: int, rounds: int) -> Callable[[Report], None]:
        def act(report: Report) -> None:
            os.close(gate)
            me = Caller(self.names[number], PROJECT)
            with open_office(self._home, patience=50) as office:
                os.read(start, 1)  # returns when nobody can write any more
                for turn in range(rounds):
                    pattern = _SHAPES[(number + turn) % len(_SHAPES)].format(turn)
                    try:
                        office.reserve(me, [pattern])
                    except FilesHeldError:
                        continue
                    report(str(turn))

        return act


def main(arguments: list[str] | None = None) -> int:
    """Run the race and tell in how many rounds exactly one won."""
    parser = argparse.ArgumentParser(prog="scripts/campaign office_race", description=__doc__)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=100)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        winners = Race(Path(folder, "home"), asked.processes).run(asked.rounds)
    fair = sum(count == 1 for count in winners)
    print(f"{asked.processes} processes, {asked.rounds} rounds: exactly one won in {fair}")
    return 0 if fair == asked.rounds else 1


if __name__ == "__main__":
    sys.exit(main())
