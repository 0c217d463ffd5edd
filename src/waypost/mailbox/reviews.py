"""Finds the reviews of a project in its conversations, and reads the packets that they name."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from waypost.carriers.folders.home import Project
from waypost.errors import NotFoundError
from waypost.letters.names import did_you_mean
from waypost.mailbox.items import Item
from waypost.mailbox.packets import read_packet
from waypost.mailbox.review import (
    ADDRESSED,
    BY_REVIEWER,
    FEEDBACK,
    REQUEST,
    Ledger,
    Review,
    body_of,
    pr_of,
    same_pr,
)
from waypost.mailbox.threads import Thread, project_items, threads

Lane = tuple[str, str, list[Item]]  # an author, a reviewer, and the messages of their review
_TRIES = 3


def reviews(project: Project) -> list[Review]:
    """All reviews of a project, the oldest first."""
    for _ in range(_TRIES):
        with suppress(NotFoundError):  # a message was put away while we read; look again
            return _reviews(project)
    return _reviews(project)


def _reviews(project: Project) -> list[Review]:
    listed = threads(project_items(project))
    return [review for thread in listed for review in reviews_in(project, thread)]


def find_reviews(project: Project, wanted: str | None) -> list[Review]:
    """The reviews that a conversation, a message id, a pull request, or a beginning means.

    Raises NotFoundError.
    """
    known = reviews(project)
    if wanted is None:
        return known
    for way in _WAYS:
        if found := [review for review in known if way(review, wanted)]:
            return found
    names = [name for one in known for name in (one.conversation, one.pr) if name]
    hint = did_you_mean(wanted, names) or "oacp review status --all lists the reviews"
    raise NotFoundError(f'no review "{wanted}" in {project.name}', hint=hint)


def _begins(review: Review, wanted: str) -> bool:
    names = [review.conversation, *(item.id for item in review.messages)]
    return any(name.startswith(wanted) for name in names)


_WAYS: tuple[Callable[[Review, str], bool], ...] = (
    lambda review, wanted: review.conversation == wanted,
    lambda review, wanted: any(item.id == wanted for item in review.messages),
    lambda review, wanted: same_pr(review.pr, wanted),
    _begins,
)


def reviews_in(project: Project, thread: Thread) -> Iterator[Review]:
    """The reviews of one conversation: one for every author, reviewer and pull request."""
    lanes: list[Lane] = []
    for item in _parents_first(thread.items):
        if item.entry.type == REQUEST:
            for reviewer in item.recipients:
                _lane_of_request(lanes, item, reviewer).append(item)
        elif item.entry.type in (*BY_REVIEWER, ADDRESSED):
            for messages in _lanes_of_answer(lanes, item):
                messages.append(item)
    owed = [(item, who) for item, who in thread.owed() if item.entry.type == "question"]
    for lane in lanes:
        yield _build(project, thread.conversation, lane, owed)


def _parents_first(items: Iterable[Item]) -> list[Item]:
    """The review's messages by age, but no answer before what it answers: clocks differ."""
    by_id: dict[str, Item] = {}
    for item in items:
        by_id.setdefault(item.id, item)
    ordered: dict[str, Item] = {}
    for item in by_id.values():
        chain: dict[str, Item] = {}
        step: Item | None = item
        while step is not None and step.id not in ordered and step.id not in chain:
            chain[step.id] = step
            step = by_id.get(step.text("parent_message_id"))
        ordered.update(reversed(chain.items()))
    return list(ordered.values())


def _lane_of_request(lanes: list[Lane], item: Item, reviewer: str) -> list[Item]:
    author, pr = item.text("from"), pr_of(item)
    for lane in lanes:
        of_the_change = not pr or any(same_pr(pr, pr_of(one)) for one in lane[2])
        if lane[:2] == (author, reviewer) and of_the_change:
            return lane[2]
    lanes.append((author, reviewer, []))
    return lanes[-1][2]


def _lanes_of_answer(lanes: list[Lane], item: Item) -> list[list[Item]]:
    """Where an answer belongs: to its parent's review, else to the latest between the two."""
    sender, others = item.text("from"), item.recipients
    if item.entry.type in BY_REVIEWER:
        mine = [lane for lane in lanes if lane[1] == sender]
        pairs = {(lane[0], lane[1]) for lane in mine if lane[0] in others} or {
            (lane[0], lane[1]) for lane in mine[-1:]
        }
    else:
        pairs = {(lane[0], lane[1]) for lane in lanes if lane[0] == sender and lane[1] in others}
    chosen = []
    for pair in pairs:
        candidates = [lane[2] for lane in lanes if lane[:2] == pair]
        parent = item.text("parent_message_id")
        exact = [lane for lane in candidates if any(one.id == parent for one in lane)]
        chosen.append((exact or candidates)[-1])
    return chosen


def _build(
    project: Project, conversation: str, lane: Lane, owed: Iterable[tuple[Item, list[str]]]
) -> Review:
    """Make a review of its messages, reading the packets that they name."""
    author, reviewer, messages = lane
    ledger = Ledger()
    for item in messages:
        if item.entry.type == FEEDBACK:
            _enter_feedback(project, ledger, body_of(item))
        elif item.entry.type == ADDRESSED:
            ledger.take_addressed(body_of(item))
    pair = {author, reviewer}
    questions = [
        (item, who)
        for item, owing in owed
        for who in owing
        if item.text("from") in pair and who in pair
    ]
    return Review(conversation, author, reviewer, messages, ledger, questions)


def _enter_feedback(project: Project, ledger: Ledger, body: dict[str, Any]) -> None:
    reference = body.get("findings_packet")
    if not isinstance(reference, str):
        ledger.take_feedback(body, None, "no packet is named")
        return
    reading = read_packet(project, reference)
    errors = [problem.message for problem in reading.problems if problem.is_error]
    ledger.take_feedback(body, reading.packet, f"{reference}: {'; '.join(errors[:3])}")
