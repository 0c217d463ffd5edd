"""What an office of 10, 1,000 or 100,000 agents asks of one stream: a small simulation.

python bench/scale.py                          with the figures of docs/figures/cluster.md
python bench/scale.py --events-a-second 5000   with those of other machines

Agents write by chance; every letter is an event, and so is each step of its recipient. The stream
takes so many events a second and none while a new leader is chosen; what comes meanwhile waits.
"""

import argparse
from random import Random
from typing import NamedTuple

AGENTS = (10, 1_000, 100_000)
_SECONDS = 600
_FAILS_AT = 60
_HOURS_A_DAY = 8


class Habits(NamedTuple):
    """How agents write, and what their office can take."""

    letters_an_hour: float
    events_a_letter: float  # sent, handed over, read, acknowledged; a listing takes many at once
    bytes_an_event: int
    events_a_second: int
    fail_over: float


class Outcome(NamedTuple):
    """What comes of it, on the busiest minute of a working day."""

    events_a_second: float
    gigabytes_a_month: float
    longest_wait: float
    drained_after: float | None


def simulate(agents: int, habits: Habits) -> Outcome:
    """Ten minutes with the loss of a leader in them, second by second."""
    chance = Random(agents)
    rate = agents * habits.letters_an_hour * habits.events_a_letter / 3600
    waiting, longest, drained = 0.0, 0.0, None
    for second in range(_SECONDS):
        waiting += max(0.0, chance.gauss(rate, rate**0.5))
        is_led = not _FAILS_AT <= second < _FAILS_AT + habits.fail_over
        waiting = max(0.0, waiting - (habits.events_a_second if is_led else 0))
        pause = 0.0 if is_led else _FAILS_AT + habits.fail_over - second
        longest = max(longest, pause + waiting / habits.events_a_second)
        if drained is None and second > _FAILS_AT + habits.fail_over and waiting < rate:
            drained = second - _FAILS_AT
    monthly = rate * 3600 * _HOURS_A_DAY * 21 * habits.bytes_an_event / 1e9
    return Outcome(rate, monthly, longest, drained)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--letters-an-hour", type=float, default=20)
    parser.add_argument("--events-a-letter", type=float, default=3.5)
    parser.add_argument("--bytes-an-event", type=int, default=1_000)
    parser.add_argument("--events-a-second", type=int, default=1_000)
    parser.add_argument("--fail-over", type=float, default=8)
    habits = Habits(**vars(parser.parse_args()))
    print("agents   events/s  stream GB/month/copy  longest wait s  drained after s  of the stream")
    for agents in AGENTS:
        found = simulate(agents, habits)
        share = found.events_a_second / habits.events_a_second
        drained = "never" if found.drained_after is None else f"{found.drained_after:.0f}"
        print(f"{agents:>7,} {found.events_a_second:>9,.1f} {found.gigabytes_a_month:>21,.2f}"
              f" {found.longest_wait:>15,.1f} {drained:>16} {share:>20.1%}")  # fmt: skip


if __name__ == "__main__":
    main()
