"""Who takes part in a storm, what its letters are called, and how each notes what it knows.

A letter carries a mark that names its writer and a number, and an answer one that names who
answers: by it a letter is found again in every dialect. It stands in the text, for subjects are
quoted. What an agent knows for sure (it was told that a letter is kept; it took one) is a line in
its ledger, synced before the agent goes on.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = "shop"
KINDS = ("folder", "tool", "peer")
LAZY = "tool-0"  # looks into its mailbox now and then only, and never at all of it
MALLORY = "mallory"  # an enrolled peer that means no good
SPOILED = "spoiled-"  # what the names of bad files begin with
LETTER, ANSWER = "begin", "begin-answer"  # lines of a ledger: what is about to be written
UNREACHED = "unreached"  # nobody got to know the letter; it counts as never begun
_MARK = re.compile(r"@([a-z]+-\d+[.=]\d+)@")


class Plan(NamedTuple):
    """One storm: how many letters, by how many agents of each kind, and chance."""

    root: Path
    letters: int
    folders: int = 7
    tools: int = 7
    peers: int = 6
    seed: int = 1

    def names(self, kind: str) -> list[str]:
        """The agents of a kind: folder, tool or peer."""
        count = {"folder": self.folders, "tool": self.tools, "peer": self.peers}[kind]
        return [f"{kind}-{number}" for number in range(count)]

    @property
    def everybody(self) -> list[str]:
        return [name for kind in KINDS for name in self.names(kind)]

    @property
    def live(self) -> list[str]:
        """The agents with a mailbox that have a key too, so that peers know them."""
        return [*self.names("folder")[:-2], *self.names("tool")[:-1]]

    def quota(self, name: str) -> int:
        """How many letters an agent has to write; a peer fewer, since each of its waits."""
        shares = {one: 1 if one.startswith("peer") else 4 for one in self.everybody}
        before = sum(shares[one] for one in self.everybody[: self.everybody.index(name)])
        total = sum(shares.values())
        return self.letters * (before + shares[name]) // total - self.letters * before // total

    def save(self, **more: Any) -> None:
        """Let the other processes know the plan, and where the office is."""
        facts = {**self._asdict(), "root": str(self.root), **more}
        (self.root / "plan.json").write_text(json.dumps(facts))

    @classmethod
    def read(cls, root: str) -> tuple["Plan", dict[str, Any]]:
        """The plan of a storm under a folder, and what else is known of it."""
        facts = json.loads(Path(root, "plan.json").read_text())
        own = {key: facts.pop(key) for key in cls._fields}
        return cls(**{**own, "root": Path(root)}), facts

    # -- signs between processes ---------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether everybody is to go home."""
        return (self.root / "over").exists()

    @property
    def is_enough(self) -> bool:
        """Whether nobody is to begin another letter."""
        return (self.root / "enough").exists()

    def say(self, sign: str) -> None:
        (self.root / sign).touch()

    def has_written(self, name: str) -> bool:
        """Whether an agent has written all its letters."""
        return (self.root / f"written-{name}").exists()


class Ledger:
    """What one agent knows for sure; goes on where a process of before ended."""

    def __init__(self, plan: Plan, name: str) -> None:
        self.name = name
        self._path = plan.root / f"ledger-{name}.jsonl"
        begun = [line for line in read_ledger(plan, name) if line["did"] in (LETTER, ANSWER)]
        self.letters = sum(line["did"] == LETTER for line in begun) - sum(
            line["did"] == UNREACHED for line in read_ledger(plan, name)
        )
        self._last = max((number_of(line["mark"]) for line in begun), default=0)
        self._file = self._path.open("ab", buffering=0)

    def note(self, did: str, mark: str, **facts: Any) -> None:
        """Write a line that survives whatever comes."""
        line = {"did": did, "mark": mark, "at": time.time(), **facts}
        self._file.write(json.dumps(line).encode() + b"\n")
        os.fdatasync(self._file.fileno())

    def begin(self, **facts: Any) -> str:
        """The mark of a new letter, which is noted before anybody gets to know it."""
        return self._begin(LETTER, ".", facts)

    def begin_answer(self, to: str) -> str:
        """The mark of an answer to a letter."""
        return self._begin(ANSWER, "=", {"answers": to})

    def _begin(self, did: str, sign: str, facts: dict[str, Any]) -> str:
        self._last += 1
        mark = f"{self.name}{sign}{self._last}"
        self.note(did, mark, **facts)
        return mark


def read_ledger(plan: Plan, name: str) -> Iterator[dict[str, Any]]:
    """The lines of an agent's ledger, one by one."""
    path = plan.root / f"ledger-{name}.jsonl"
    for line in path.read_bytes().splitlines() if path.exists() else ():
        yield json.loads(line)


def number_of(mark: str) -> int:
    return int(re.split("[.=]", mark)[1])


def mark_in(text: str) -> str | None:
    """The mark of a letter. An answer may quote the letter that it answers, never the reverse."""
    found = _MARK.findall(text)
    return next((one for one in found if "=" in one), found[0] if found else None)
