"""Conversations: which message answers which, and who owes an answer."""

from collections.abc import Iterable, Iterator, Mapping

from waypost.carriers.folders.home import Project
from waypost.dialects.oacp.types import TYPES
from waypost.errors import NotFoundError, UsageError
from waypost.mailbox.items import Item, everything


class Thread:
    """A conversation: its messages by age, and the answers to each."""

    def __init__(self, conversation: str, items: list[Item]) -> None:
        self.conversation = conversation
        self.items = items
        self._answers: dict[str, list[Item]] = {}
        for item in items:
            self._answers.setdefault(item.text("parent_message_id"), []).append(item)

    def roots(self) -> list[Item]:
        """The messages that answer nothing in this thread."""
        known = {item.id for item in self.items}
        return [item for item in self.items if item.text("parent_message_id") not in known]

    def in_order(self) -> Iterator[tuple[int, Item]]:
        """Every message once, each below what it answers, with its depth from 1."""
        told: set[int] = set()
        for start in (*self.roots(), *self.items):  # the latter for those that answer in a circle
            waiting = [(1, start)]
            while waiting:
                depth, item = waiting.pop()
                if id(item) not in told:
                    told.add(id(item))
                    yield depth, item
                    answers = reversed(self.answers_to(item))
                    waiting += [(depth + 1, answer) for answer in answers]

    def answers_to(self, item: Item) -> list[Item]:
        """The messages that name this one as their parent."""
        return self._answers.get(item.id, []) if item.id else []

    def owed(self) -> list[tuple[Item, list[str]]]:
        """The messages that still wait for an answer, each with the agents that owe it."""
        waiting = []
        for item in self.items:
            kind = TYPES.get(item.entry.type or "")
            if kind is None or not kind.answered_by:
                continue
            answered = {other.text("from") for other in self.answers_to(item)}
            if owing := [agent for agent in item.recipients if agent not in answered]:
                waiting.append((item, owing))
        return waiting


def project_items(project: Project) -> list[Item]:
    """Every message of a project once, whoever holds a copy, by age."""
    seen: dict[tuple[str, int, int], Item] = {}
    for agent in project.agents():
        for item in everything(project.mailbox(agent)):
            if item.header is not None:
                seen.setdefault(item.identity, item)
    return sorted(
        seen.values(),
        key=lambda item: (item.text("created_at_utc"), item.entry.stamp.mtime, item.name),
    )


def threads(items: Iterable[Item]) -> list[Thread]:
    """Sort messages into conversations; one without a conversation follows its parents."""
    listed = list(items)
    by_id = {item.id: item for item in listed if item.id}
    known: dict[str, str] = {}
    groups: dict[str, list[Item]] = {}
    for item in listed:
        groups.setdefault(_conversation(item, by_id, known), []).append(item)
    return [Thread(name, group) for name, group in groups.items()]


def _conversation(item: Item, by_id: Mapping[str, Item], known: dict[str, str]) -> str:
    """What a message's conversation is called: as it says, else as its parents say, else like
    the first of them. `known` remembers it for all on the way.
    """
    way: dict[str, None] = {}
    name = ""
    while not name:
        way[item.id] = None
        parent = item.text("parent_message_id")
        above = by_id.get(parent)
        name = item.text("conversation_id") or known.get(item.id, "")
        if not name and (above is None or parent in way):  # the first, or they go in a circle
            name = parent or item.id or item.name
        item = above or item
    known.update(dict.fromkeys(filter(None, way), name))
    return name


def find_thread(project: Project, wanted: str) -> Thread:
    """Find a conversation by its id, the id of a message in it, or the beginning of either.

    Raises NotFoundError, or UsageError when several are meant.
    """
    listed = threads(project_items(project))
    for thread in listed:
        if thread.conversation == wanted or any(item.id == wanted for item in thread.items):
            return thread
    near = [thread for thread in listed if wanted and _begins(thread, wanted)]
    if len(near) == 1:
        return near[0]
    if near:
        names = ", ".join(thread.conversation for thread in near[:5])
        raise UsageError(f'"{wanted}" is in {len(near)} conversations', hint=f"say more: {names}")
    raise NotFoundError(
        f'no conversation or message "{wanted}" in {project.name}', hint="oacp inbox shows them"
    )


def _begins(thread: Thread, wanted: str) -> bool:
    names = [thread.conversation, *(item.id for item in thread.items)]
    return any(name.startswith(wanted) for name in names)
