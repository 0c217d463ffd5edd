"""Rounds: one decides for all who came meanwhile, and nobody is left behind."""

import threading
from collections.abc import Callable
from typing import Any

from office_scene import Scene, at_once, caller
from waypost.errors import NotFoundError
from waypost.office.deciding import event_of
from waypost.office.events import Entry, Event
from waypost.office.tables import Tables

Decision = Callable[[Tables], Any]


class Interrupted(BaseException):
    """What comes from outside in the middle of anything, like Ctrl-C."""


class Gate:
    """A decision that is under way until it is let go; whoever leads a round waits in it."""

    def __init__(self, end: BaseException | None = None) -> None:
        self.entered, self.opened, self.end = threading.Event(), threading.Event(), end

    def __call__(self, tables: Tables) -> str:
        self.entered.set()
        assert self.opened.wait(20)
        if self.end is not None:
            raise self.end
        return "let go"


def changed(scene: Scene) -> Decision:
    """A decision with an event."""
    event = event_of(caller("claude"), "agent.changed", scene.clock.now, {"name": "claude"})
    return lambda tables: event


def behind(scene: Scene, gate: Gate, *wishes: tuple[list[str], Decision]) -> list[Any]:
    """What becomes of a decision at a gate, and of wishes that all come while it is under way."""
    rounds = scene.office.desk.rounds

    def first() -> Any:
        try:
            return rounds.settle([], gate)
        except Interrupted:
            return "interrupted"

    def wished(scopes: list[str], decision: Decision) -> Any:
        assert gate.entered.wait(20)
        return rounds.settle(scopes, decision)

    def let_go() -> None:
        while len(rounds._waiting) < len(wishes):
            pass
        gate.opened.set()

    others = [lambda wish=wish: wished(*wish) for wish in wishes]
    led, _, *found = at_once(first, let_go, *others)
    return [led, *found]


def test_who_comes_meanwhile_shares_a_round(scene: Scene) -> None:
    before = scene.office.last()
    first, *others = behind(scene, Gate(), *[([], changed(scene))] * 8)
    assert first == "let go"
    assert sorted(entry.position - before for entry in others) == list(range(1, 9))


def test_what_a_decision_raises_is_raised_by_its_owner_alone(scene: Scene) -> None:
    def refusing(tables: Tables) -> Event:
        raise NotFoundError("not here")

    wishes: list[tuple[list[str], Decision]] = [([], changed(scene)), ([], refusing)]
    _, *others = behind(scene, Gate(), *wishes * 3)
    assert [isinstance(one, Entry) for one in others] == [True, False] * 3
    assert [str(one) for one in others[1::2]] == ["not here"] * 3


def test_decisions_on_one_scope_see_what_the_others_did(scene: Scene) -> None:
    def looking(tables: Tables) -> Any:
        seen.append(tables.position_of("shared"))
        return changed(scene)(tables)

    seen: list[int] = []
    _, *others = behind(scene, Gate(), *[(["shared"], looking)] * 5)
    positions = sorted(entry.position for entry in others)
    assert seen == [0, *positions[:-1]]


def test_whoever_is_interrupted_while_leading_leaves_nobody_behind(scene: Scene) -> None:
    first, *others = behind(scene, Gate(Interrupted()), *[([], changed(scene))] * 3)
    assert first == "interrupted"
    assert all(isinstance(one, Entry) for one in others)
    assert isinstance(scene.office.desk.rounds.settle([], changed(scene)), Entry)
