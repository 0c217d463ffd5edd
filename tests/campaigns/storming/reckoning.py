"""The reckoning after a storm: what every ledger says is held against what the office has.

A letter is found by its mark, in whatever dialect. Of each that somebody was told to be kept, every
recipient's state is counted; and what a state says must agree with what the recipient noted.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from campaigns.storming.plan import ANSWER, LAZY, LETTER, UNREACHED, Plan, mark_in, read_ledger
from waypost.office.members import POSTMASTER
from waypost.office.states import State

_LETTERS = (
    "SELECT letters.position, id, sender, message FROM letters LEFT JOIN contents USING (position)"
)
_DELIVERIES = (
    "SELECT letter, agents.name, state, changed_at, next_at, guard, waiting.letter IS NOT NULL"
    " FROM deliveries JOIN agents ON agents.id = deliveries.agent"
    " LEFT JOIN waiting USING (letter, agent)"
)
_ON_THEIR_WAY = (
    "SELECT count(*) FROM deliveries JOIN agents ON agents.id = deliveries.agent"
    " LEFT JOIN waiting USING (letter, agent) WHERE state = 0"
    " AND (waiting.letter IS NULL OR next_at IS NOT NULL)"
    " AND agents.name IN (SELECT value FROM json_each(?))"
)
_SEEMS_ALIVE_SECONDS = 60.0  # that a line lasts whose other end is gone
_KILL_SECONDS = 6.0  # from handing over to a peer to its end, in which it may lose what it got
_REACHED = (State.HANDED_OVER, State.READ, State.ACKNOWLEDGED, State.DONE)
_NOT_REACHED = (State.STORED, State.BOUNCED, State.EXPIRED)


class Taken(NamedTuple):
    """One time that a recipient took a letter."""

    id: str
    at: float


class Reached(NamedTuple):
    """How far a letter got with one recipient, since when, and whether a person holds it."""

    state: State
    at: float
    is_held: bool


class Books:
    """What the office has, and what everybody noted."""

    def __init__(self, plan: Plan, home: Path, killed: list[tuple[str, float, float]]) -> None:
        self.plan, self.killed = plan, killed
        self.letters: dict[str, list[int]] = defaultdict(list)  # by mark
        self.states: dict[int, dict[str, Reached]] = defaultdict(dict)  # by letter and name
        self.bounced = 0
        with closing(sqlite3.connect(home / "office.db")) as db:
            for position, _, sender, message in db.execute(_LETTERS):
                mark = mark_in(_text(message))
                if sender == POSTMASTER:
                    self.bounced += 1
                elif mark is not None:
                    self.letters[mark].append(position)
            for letter, name, state, at, next_at, _, waits in db.execute(_DELIVERIES):
                held = bool(waits) and next_at is None
                self.states[letter][name] = Reached(State(state), at / 1000, held)
        self.lines = {name: list(read_ledger(plan, name)) for name in plan.everybody}
        self.taken = {name: self._taken(name) for name in plan.everybody}

    def _taken(self, name: str) -> dict[str, list[Taken]]:
        """What a recipient took, by mark; an answer to its own letter is taken, too."""
        taken: dict[str, list[Taken]] = defaultdict(list)
        for line in self.lines[name]:
            if line["did"] == "take":
                taken[line["mark"]].append(Taken(line["id"], line["at"]))
            elif line["did"] in ("answered", "ended") and line["by"]:
                taken[line["by"]].append(Taken(line["id"], line["at"]))
        return taken

    def died_between(self, name: str, first: float, last: float) -> bool:
        """Whether a peer was ended in a time; an end in good order takes a while."""
        return any(one == name and first <= at and begun <= last for one, begun, at in self.killed)

    def told(self, *did: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Everything of a kind that anybody was told, and who."""
        for name, lines in self.lines.items():
            yield from ((name, line) for line in lines if line["did"] in did)


def _text(message: bytes | None) -> str:
    """A message as text; what JSON escapes stays ASCII, and marks are."""
    return (message or b"").decode(errors="replace")


class Reckoning:
    """What came of a storm: counts by what they count, and everything that is wrong."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._letters()
        self._kept()
        self._peers()
        self._twice()
        self._strange()

    def rows(self) -> list[str]:
        return [f"{what:<58}{self.counts[what]:>10,}" for what in self.counts]

    def _letters(self) -> None:
        begun = sum(1 for _ in self.books.told(LETTER))
        begun -= sum(1 for _ in self.books.told(UNREACHED))
        self.counts["letters begun"] = begun
        self.counts["answers begun"] = sum(1 for _ in self.books.told(ANSWER))
        self.counts["told to be kept"] = sum(1 for _ in self.books.told("kept"))
        for _, line in self.books.told("refused"):
            self.counts[f"refused: {line['code']}"] += 1
            if line["mark"].count("."):
                self.wrong.append(f"{line['mark']} was refused: {line['details']}")

    # -- what was told to be kept ----------------------------------------------------------------

    def _kept(self) -> None:
        """Every letter that somebody knows to be kept, by recipient."""
        for _, line in self.books.told("kept"):
            found = self.books.letters.get(line["mark"], [])
            states = self.books.states[found[0]] if found else {}
            for name in line["to"]:
                self.counts["deliveries of those"] += 1
                if name in states:
                    self._state(line["mark"], name, states[name])
                elif line["way"] != "tool" and line["mark"] in self._taken_by(name):
                    self.counts["  taken from a folder before the office looked"] += 1
                else:
                    self.wrong.append(f"lost: {line['mark']} to {name}")

    def _taken_by(self, name: str) -> dict[str, list[Taken]]:
        return self.books.taken.get(name, {})

    def _state(self, mark: str, name: str, reached: Reached) -> None:
        """Count a delivery, and hold it against what its recipient noted."""
        word = "held for a person" if reached.is_held else reached.state.word
        word = "waiting" if word == "stored" else word.replace("_", " ")
        self.counts[f"  {word}"] += 1
        if name not in self.books.taken:
            return  # a stranger of the saboteur, who keeps no ledger
        has = mark in self.books.taken[name]
        kind = name.partition("-")[0]
        if has and reached.state in _NOT_REACHED:
            self._contrary(f"{word}, though taken by a {kind}", mark, name, kind != "peer")
        elif not has and kind == "folder" and reached.state in _REACHED:
            self._contrary(f"{word}, though not taken", mark, name, True)
        elif not has and kind == "peer" and reached.state in _REACHED:
            before = _SEEMS_ALIVE_SECONDS if "=" in mark else 1  # an answer on the line
            died = self.books.died_between(name, reached.at - before, reached.at + _KILL_SECONDS)
            what = "lost by a peer that was killed" if died else "though not taken by a peer"
            self._contrary(f"{word}, {what}", mark, name, not died)
        elif kind == "tool" and has and reached.state < State.READ:
            self._contrary(f"{word}, though read", mark, name, True)
        elif reached.state is State.STORED and not reached.is_held and name != LAZY:
            self._contrary("stored for ever", mark, name, True)

    def _contrary(self, what: str, mark: str, name: str, is_wrong: bool) -> None:
        self.counts[f"    {what}"] += 1
        if is_wrong:
            self.wrong.append(f"{what}: {mark} to {name}")

    # -- what peers were told ----------------------------------------------------------------------

    def _peers(self) -> None:
        """A peer that got an answer asked somebody who has the letter, and has dealt with it."""
        least = {"answered": State.DONE, "accepted": State.ACKNOWLEDGED}
        for _, line in self.books.told("answered", "accepted", "told"):
            self.counts[f"peers' letters {line['did']}"] += 1
            found = self.books.letters.get(line["mark"], [])
            reached = self.books.states[found[0]].get(line["to"][0]) if found else None
            if line["did"] == "told":
                self.counts["  that arrived"] += bool(found)
            elif reached is None or not least[line["did"]] <= reached.state <= State.DONE:
                self.wrong.append(f"{line['mark']} was {line['did']}, and is {reached}")
        for _, line in self.books.told("failed"):
            self.counts[f"peers' letters failed: {line['code']}"] += 1

    # -- nothing twice -----------------------------------------------------------------------------

    def _twice(self) -> None:
        for mark, found in self.books.letters.items():
            if len(found) > 1:
                self.wrong.append(f"twice in the office: {mark} at {found}")
        for name, taken in self.books.taken.items():
            for mark, times in taken.items():
                if len(times) < 2:
                    continue
                died = self.books.died_between(name, times[0].at, times[-1].at)
                if died and len({one.id for one in times}) == 1:
                    self.counts["again, under its id, to a peer that had been ended"] += 1
                else:
                    self.wrong.append(f"twice: {name} took {mark}: {times}")

    def _strange(self) -> None:
        """Nobody has what nobody wrote."""
        begun = {line["mark"] for _, line in self.books.told(LETTER, ANSWER)}
        for mark in self.books.letters:
            if mark not in begun:
                self.wrong.append(f"nobody wrote {mark}")
        self.counts["bounces told to their senders"] = self.books.bounced
        kept = sum(1 for mark in self.books.letters if "." in mark)
        self.counts["letters in the office"] = kept
        self.counts["answers in the office"] = len(self.books.letters) - kept


def acknowledged(books: Books) -> list[str]:
    """The ids of the letters that tools were told to be kept."""
    return [line["id"] for _, line in books.told("kept") if line["way"] == "tool"]


def on_their_way(home: Path, plan: Plan) -> int:
    """How many letters somebody who takes part, and isn't lazy, still has to get."""
    names = [name for name in plan.everybody if name != LAZY]
    with closing(sqlite3.connect(home / "office.db")) as db:
        return int(db.execute(_ON_THEIR_WAY, (json.dumps(names),)).fetchone()[0])
