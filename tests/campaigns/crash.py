"""The crash campaign: kill -9 at every kind of moment, and what must hold after it.

`scripts/campaign crash --rounds 300` goes through six kinds of accident in turn, point-to-point and
broadcast. In every round: what was reported as sent is there once and whole; nothing half-written
was ever to be seen; after the next command a message is with everyone or with no one; and nothing
is left on its way. `scripts/campaign crash --every-pair` lets a first sender stop before each of
its steps, and a second one die before each of its own; `--seconds` bounds it, and it says with
which `--begin` it goes on.
"""

import argparse
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from time import monotonic
from typing import NamedTuple

from campaigns.actors import Actor, Report, steps_of
from campaigns.audit import Audit
from waypost.carriers.folders.home import Home, Project
from waypost.mailbox.sending import recover_project, send

TO = {"point-to-point": ["bob"], "broadcast": ["bob", "cat", "dan"]}
_MOST_SENDS = 200
_TRIALS = 8  # half of all sends cut the counters
_TOLD_AFTER = 100  # rounds
_MOST_STEPS_OF_A_RECOVERY = 60


class Scene(NamedTuple):
    """One round: a project of its own, whom to write to, and chance."""

    project: Project
    to: list[str]
    chance: Random

    def sender(self, messages: int = 1) -> Callable[[Report], None]:
        """An act that sends, and reports each message once it is sent."""

        def act(report: Report) -> None:
            for number in range(messages):
                draft = {"from": "ann", "to": self.to if len(self.to) > 1 else self.to[0]}
                draft |= {"type": "question", "subject": f"number {number}", "body": "word " * 500}
                report(str((send(self.project, draft).message.fields or {})["id"]))

        return act

    def recoverer(self, report: Report) -> None:
        """The act of the next command: it finishes what others left."""
        recover_project(self.project)

    def step(self) -> int:
        """Any step of a send."""
        return self.chance.randint(1, len(steps(len(self.to))) + 1)

    def step_of_delivery(self) -> int:
        """A step of a send at which it holds nobody up: after the counters."""
        return self.chance.randint(delivery_begins(len(self.to)), len(steps(len(self.to))))


@cache
def steps(recipients: int) -> tuple[str, ...]:
    """The steps of a send whose usual name is taken, as are most in these rounds.

    By chance the counters are cut or not: we go by the sends that cut them, which let go of their
    lock a step later. Whoever stops while it holds that lock would hold up everybody.
    """
    return max((_steps(recipients) for _ in range(_TRIALS)), key=len)


def _steps(recipients: int) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(new_project(folder), TO["broadcast"][:recipients], Random(0))
        Actor(scene.sender()).wait()
        return tuple(steps_of(scene.sender()))


def delivery_begins(recipients: int) -> int:
    """The number of the first step after the counters were let go."""
    taken = steps(recipients)
    opened = max(number for number, step in enumerate(taken) if "counters" in step)
    closed = next(number for number in range(opened, len(taken)) if taken[number][:5] == "close")
    return closed + 2  # on from the close, and steps are counted from 1


def new_project(folder: str) -> Project:
    """A project with one who writes and three who get mail."""
    project = Home(folder).create_project("crash")
    for agent in ("ann", *TO["broadcast"]):
        project.add_agent(agent)
    return project


# -- the accidents: each gives the actors that may have reported something ------------------------


def at_a_random_moment(scene: Scene) -> list[Actor]:
    """A sender is killed up to 40 ms after its start."""
    sender = Actor(scene.sender(_MOST_SENDS))
    signal.sigtimedwait([], scene.chance.random() * 0.04)
    return [sender.kill()]


def at_a_step(scene: Scene) -> list[Actor]:
    """A sender dies before one of its steps."""
    return [Actor(scene.sender(2), scene.step(), signal.SIGKILL).wait()]


def beside_a_slow_sender(scene: Scene) -> list[Actor]:
    """One sender stops, another dies, a third recovers; then the first goes on."""
    return _beside(scene, scene.step_of_delivery(), scene.step())


def _beside(scene: Scene, slow_at: int, dies_at: int) -> list[Actor]:
    first = Actor(scene.sender()).wait()  # whose steps are more than those of all later ones
    slow = Actor(scene.sender(), slow_at, signal.SIGSTOP).wait()
    dead = Actor(scene.sender(), dies_at, signal.SIGKILL).wait()
    Actor(scene.recoverer).wait()
    return [first, slow.go_on(), dead]


def while_recovering(scene: Scene) -> list[Actor]:
    """A sender dies, and so does the next command while it recovers."""
    dead = Actor(scene.sender(), scene.step_of_delivery(), signal.SIGKILL).wait()
    step = scene.chance.randint(1, _MOST_STEPS_OF_A_RECOVERY)
    return [dead, Actor(scene.recoverer, step, signal.SIGKILL).wait()]


def with_a_slow_recoverer(scene: Scene) -> list[Actor]:
    """A sender dies; a recoverer stops in its work, others send and recover, and it goes on."""
    dead = Actor(scene.sender(), scene.step_of_delivery(), signal.SIGKILL).wait()
    step = scene.chance.randint(1, _MOST_STEPS_OF_A_RECOVERY)
    slow = Actor(scene.recoverer, step, signal.SIGSTOP).wait()
    other = Actor(scene.sender(), scene.step_of_delivery(), signal.SIGSTOP).wait()
    return [dead, slow.go_on(), other.go_on()]


def with_two_recoverers(scene: Scene) -> list[Actor]:
    """Several senders die at once, and two commands recover side by side."""
    dead = [Actor(scene.sender(3), scene.step_of_delivery(), signal.SIGKILL) for _ in range(3)]
    for one in dead:
        one.wait()
    for one in [Actor(scene.recoverer), Actor(scene.recoverer)]:
        dead.append(one.wait())
    return dead


ACCIDENTS = (
    at_a_random_moment,
    at_a_step,
    beside_a_slow_sender,
    while_recovering,
    with_a_slow_recoverer,
    with_two_recoverers,
)


class Round(NamedTuple):
    """What came of one round."""

    title: str
    killed: int
    reported: int
    wrong: list[str]


def play(number: int, seed: int) -> Round:
    """Play one round, which follows from its number and the seed."""
    accident = ACCIDENTS[number % len(ACCIDENTS)]
    kind = list(TO)[number // len(ACCIDENTS) % 2]
    return _play(f"{accident.__name__}, {kind}", TO[kind], Random(f"{seed} {number}"), accident)


def _play(
    title: str, to: list[str], chance: Random, accident: Callable[[Scene], list[Actor]]
) -> Round:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(new_project(folder), to, chance)
        actors = accident(scene)
        said = [line for actor in actors for line in actor.reports()]
        failed = [line for line in said if line.startswith("failed")]
        reported = [line for line in said if line not in failed]
        wrong = [*failed, *Audit(scene.project).torn_or_unequal()]
        wrong += Actor(scene.recoverer).wait().reports()
        wrong += Audit(scene.project).wrong(reported)
        return Round(title, sum(actor.was_killed for actor in actors), len(reported), wrong)


def every_pair(recipients: int, stride: int = 1, begin: int = 0) -> Iterator[Round]:
    """Every step at which a first sender can stop, with every step at which a second can die."""
    to = TO["broadcast"][:recipients]
    slow_steps = range(delivery_begins(recipients), len(steps(recipients)) + 1)
    pairs = [(slow, dies) for slow in slow_steps for dies in range(1, len(steps(recipients)) + 2)]
    print(f"{len(pairs)} pairs", file=sys.stderr)
    for slow, dies in pairs[begin::stride]:

        def accident(scene: Scene, slow: int = slow, dies: int = dies) -> list[Actor]:
            return _beside(scene, slow, dies)

        yield _play(f"stops at {slow}, dies at {dies}", to, Random(0), accident)


def in_time(rounds: Iterator[Round], begin: int, seconds: float) -> Iterator[Round]:
    """As many rounds as fit into a time; tells how far they are."""
    end = monotonic() + seconds
    for number, one in enumerate(rounds, begin + 1):
        yield one
        if number % _TOLD_AFTER == 0 or monotonic() > end:
            print(f"{number} rounds are played; on with --begin {number}", file=sys.stderr)
        if monotonic() > end:
            return


def table(rounds: Iterator[Round]) -> tuple[list[str], int]:
    """The rows by title, and how many rounds went wrong."""
    count: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    reported: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    shown: list[str] = []
    for number, one in enumerate(rounds):
        count[one.title] += 1
        killed[one.title] += one.killed
        reported[one.title] += one.reported
        wrong[one.title] += bool(one.wrong)
        shown += [f"round {number}, {one.title}: {what}" for what in one.wrong[:3]]
    rows = [f"{'':<42}{'rounds':>8}{'killed':>8}{'reported':>10}{'wrong':>8}"]
    for title in count if len(count) < 50 else ():
        cells = f"{count[title]:>8}{killed[title]:>8}{reported[title]:>10}{wrong[title]:>8}"
        rows.append(f"{title.replace('_', ' '):<42}{cells}")
    totals = [sum(one.values()) for one in (count, killed, reported, wrong)]
    rows.append(f"{'all':<42}{totals[0]:>8}{totals[1]:>8}{totals[2]:>10}{totals[3]:>8}")
    return [*rows, *shown[:50]], totals[3]


def main(arguments: list[str] | None = None) -> int:
    """Run the rounds and print the table; 1 when one went wrong."""
    parser = argparse.ArgumentParser(prog="scripts/campaign crash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the one round with this number")
    parser.add_argument("--every-pair", action="store_true")
    parser.add_argument("--begin", type=int, default=0, help="the number of the first pair")
    parser.add_argument("--seconds", type=float, default=1e9, help="for pairs, at most so many")
    asked = parser.parse_args(arguments)
    if asked.every_pair:
        pairs = every_pair(1, begin=asked.begin)
        rounds: Iterator[Round] = in_time(pairs, asked.begin, asked.seconds)
    elif asked.only is not None:
        rounds = iter([play(asked.only, asked.seed)])
    else:
        rounds = (play(number, asked.seed) for number in range(asked.rounds))
    rows, wrong = table(rounds)
    print(*rows, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
