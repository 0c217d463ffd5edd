"""Looks through a project's folders for mail that is lost, doubled, torn or still on its way."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator

from waypost.carriers.folders.home import Mailbox, Project
from waypost.mailbox.items import Item, everything

Place = tuple[str, str]  # agent, and "in" or "out"


class Audit:
    """What lies in a project's folders."""

    def __init__(self, project: Project) -> None:
        self.boxes = [project.mailbox(agent) for agent in project.agents()]
        self.places: dict[str, Counter[Place]] = {}
        self.items: dict[str, Item] = {}
        self.torn: list[str] = []
        self.unequal: list[str] = []
        for box in self.boxes:
            for item in everything(box):
                self._add(box, item)

    def _add(self, box: Mailbox, item: Item) -> None:
        if not item.message.valid:
            self.torn.append(item.path)
            return
        first = self.items.setdefault(item.id, item)
        if first.message.raw != item.message.raw:
            self.unequal.append(item.path)
        way = "out" if os.path.dirname(item.path) == box.outbox else "in"
        self.places.setdefault(item.id, Counter())[box.agent, way] += 1

    def conversations(self) -> Counter[str]:
        """How many messages each conversation has."""
        return Counter(item.text("conversation_id") for item in self.items.values())

    def on_the_way(self) -> list[str]:
        """What lies in the folders for messages on their way."""
        folders = [folder for box in self.boxes for folder in (box.incoming, box.sending)]
        return [
            f"{folder}/{name}"
            for folder in folders
            if os.path.isdir(folder)
            for name in os.listdir(folder)
            if name != "counters"
        ]

    def torn_or_unequal(self) -> Iterator[str]:
        """What must never be seen, not even in the middle of things."""
        yield from (f"half-written: {path}" for path in self.torn)
        yield from (f"two contents for one id: {path}" for path in self.unequal)

    def wrong(self, reported: Iterable[str] = ()) -> list[str]:
        """Everything that must not be once nobody is sending any more."""
        said = [*self.torn_or_unequal(), *(f"left over: {path}" for path in self.on_the_way())]
        said += [f"lost: {one}" for one in reported if one not in self.items]
        for one, item in self.items.items():
            expected = Counter([(agent, "in") for agent in item.recipients])
            expected[item.text("from"), "out"] += 1
            if self.places[one] != expected:
                said.append(f"partial or doubled: {one} is at {dict(self.places[one])}")
        return said
