"""How the work in a conversation stands: its reviews and its tasks, as the letters tell it. Pure.

Nothing is stored of it: whoever reads the same letters comes to the same answer.

    review_request     the reviewer's turn; a further one opens the review again
    review_feedback    the author's turn; so many findings block
    review_addressed   the reviewer's turn; so many findings are settled
    review_lgtm        approved; the author merges

A task is offered until its recipient takes or refuses it, and ends with what answers it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from waypost.office.events import Json
from waypost.office.views import Header, filled, when
from waypost.office.world import milliseconds

REQUEST, FEEDBACK, ADDRESSED, LGTM = (
    "review_request", "review_feedback", "review_addressed", "review_lgtm",
)  # fmt: skip
REVIEWING = (REQUEST, FEEDBACK, ADDRESSED, LGTM)
TASKS = ("task_request", "handoff", "delegate", "task_assignment")
# Those whose content says how a task ends, or by when it must.
TELLING = ("delegate", "task_assignment", "result", "task_completion", "error", "ack")
_OPENINGS = {
    "accepted": "taken", "done": "done", "partly done": "done in part", "failed": "failed",
    "blocked": "failed", "refused": "refused", "cancelled": "cancelled",
}  # fmt: skip
_OPENING = re.compile(rf"({'|'.join(_OPENINGS)})\b", re.IGNORECASE)
_RESULTS = {"completed": "done", "partial": "done in part", "failed": "failed"}
_COMPLETIONS = {"complete": "done", "partial": "done in part", "blocked": "failed"}
ENDED = frozenset(("done", "done in part", "failed", "refused", "cancelled", "answered"))
_MOST_ROUNDS = 10_000  # what a stranger claims beyond that is no round
_LOST = {"bounced": "not delivered", "withdrawn": "taken back", "expired": "timed out"}


class Said(NamedTuple):
    """A letter of the conversation: its header, what it says, who took it (or won't)."""

    header: Header
    fields: Mapping[str, Any]
    accepted: Mapping[str, bool]


class Review(NamedTuple):
    """The review of one author's change by one reviewer.

    The turn is that of whoever has to act next; nobody's is known to be after a merge.
    """

    author: str
    reviewer: str
    pr: str
    letter: str  # the request
    rounds: int = 0
    blocking: int | None = None  # open ones of the last round, as far as letters tell
    settled: int = 0
    packet: str = ""  # where the findings of the last round are
    approved: bool = False
    merge_ready: bool = False
    turn: str = ""
    turn_for: str = ""

    def to_json(self) -> Json:
        return filled(self._asdict())


class Task(NamedTuple):
    """A task for one agent: how it stands, by when it is due, and who waits for what."""

    header: Header
    agent: str
    state: str
    due_at: int | None
    waits: str = ""
    ended_by: str | None = None

    @property
    def id(self) -> str:
        """The letter that gave the task."""
        return self.header.id

    def to_json(self) -> Json:
        shown = {"id": self.id, "from": self.header.sender, "agent": self.agent}
        how = {"subject": self.header.subject, "state": self.state, "waits": self.waits}
        return filled({**shown, **how, "due_at": when(self.due_at), "ended_by": self.ended_by})


def reviews_in(letters: Sequence[Said]) -> Iterator[Review]:
    """The reviews of a conversation, the oldest first."""
    found: dict[tuple[str, str], Review] = {}
    for one in letters:
        kind, sender = one.header.type, one.header.sender
        if kind == REQUEST:
            for reviewer in one.header.to:
                found[sender, reviewer] = _requested(found.get((sender, reviewer)), one, reviewer)
        elif kind in REVIEWING:
            by_reviewer = kind != ADDRESSED
            for pair, review in found.items():
                mine = pair[1] if by_reviewer else pair[0]
                other = pair[0] if by_reviewer else pair[1]
                if mine == sender and other in one.header.to:
                    found[pair] = _STEPS[kind](review, _body(one))
    for review in found.values():
        yield _asked_between(review, letters)


def _requested(before: Review | None, one: Said, reviewer: str) -> Review:
    body = _body(one)
    pr = str(body.get("pr") or (before.pr if before else ""))
    review = before or Review(one.header.sender, reviewer, pr, one.header.id)
    return review._replace(pr=pr, approved=False, merge_ready=False, turn=reviewer,
                           turn_for="give findings, or approve")  # fmt: skip


def _found(review: Review, body: Mapping[str, Any]) -> Review:
    claimed = _count(body.get("round")) or 0
    rounds = claimed if 0 < claimed < _MOST_ROUNDS else review.rounds + 1
    return review._replace(
        rounds=rounds, blocking=_count(body.get("blocking_count")), settled=0,
        packet=str(body.get("findings_packet") or ""), approved=False,
        turn=review.author, turn_for="address the findings",
    )  # fmt: skip


def _addressed(review: Review, body: Mapping[str, Any]) -> Review:
    listed = body.get("addressed_finding_ids")
    settled = len(listed) if isinstance(listed, list) else 0
    return review._replace(settled=review.settled + settled, turn=review.reviewer,
                           turn_for="look again")  # fmt: skip


def _approved(review: Review, body: Mapping[str, Any]) -> Review:
    ready = body.get("merge_ready") is True
    return review._replace(approved=True, merge_ready=ready, blocking=0, turn=review.author,
                           turn_for="merge" if ready else "see what is missing")  # fmt: skip


_STEPS = {FEEDBACK: _found, ADDRESSED: _addressed, LGTM: _approved}


def _asked_between(review: Review, letters: Sequence[Said]) -> Review:
    """A question between the two comes first, until it is answered."""
    if review.approved:
        return review
    pair = {review.author, review.reviewer}
    answered = {one.header.reply_to for one in letters}
    for one in letters:
        to = [name for name in one.header.to if name in pair and name != one.header.sender]
        is_question = one.header.type == "question" and one.header.sender in pair and to
        if is_question and one.header.id not in answered:
            return review._replace(turn=to[0], turn_for="answer a question")
    return review


def tasks_in(letters: Sequence[Said], now: int) -> Iterator[Task]:
    """The tasks of a conversation, each for each of its recipients, the oldest first."""
    for one in letters:
        if one.header.type in TASKS:
            replies = [other for other in letters if other.header.reply_to == one.header.id]
            for agent in one.header.to:
                yield _task(one, agent, replies, now)


def _task(one: Said, agent: str, replies: Sequence[Said], now: int) -> Task:
    header, state, ended_by = one.header, "offered", None
    if one.accepted.get(agent) is not None:
        state = "taken" if one.accepted[agent] else "refused"
    for reply in replies:
        if reply.header.sender == agent:
            state = _told(reply, state)
        elif reply.header.sender == header.sender and _opens(reply) == "cancelled":
            state = "cancelled"
        if state in ENDED:
            ended_by = reply.header.id
            break
    due_at = _due(one)
    delivery = header.states.get(agent, "")
    is_late = due_at is not None and due_at <= now
    if state == "offered" and delivery in _LOST:
        state = "timed out" if is_late and delivery == "withdrawn" else _LOST[delivery]
    elif state == "offered" and delivery == "done":
        state = "put away"
    elif state in ("offered", "taken") and is_late:
        state = "timed out"
    return Task(header, agent, state, due_at, _waits(header.sender, agent, state), ended_by)


def _waits(sender: str, agent: str, state: str) -> str:
    wanted = {"offered": "take it", "taken": "finish it"}.get(state)
    return f"{sender} waits for {agent} to {wanted}" if wanted else ""


def _told(reply: Said, before: str) -> str:
    """What an answer makes of the state of a task."""
    kind, said = reply.header.type, reply.fields
    payload = _mapping(said.get("payload"))
    if kind == "ack":
        return "taken" if payload.get("accepted") is True else "refused"
    if kind == "result":
        return _RESULTS.get(str(payload.get("status")), "done")
    if kind == "task_completion":
        return _COMPLETIONS.get(str(said.get("status")), "done")
    if kind == "error":
        return "timed out" if payload.get("code") == "timeout" else "failed"
    if kind in ("handoff_complete", "error_report", "cancel"):
        return {"handoff_complete": "done", "error_report": "failed"}.get(kind, "cancelled")
    opened = _opens(reply)
    if opened:
        return opened
    return "answered" if kind in ("notification", "follow_up") else before


def _opens(reply: Said) -> str:
    """The state that a letter's first word tells, as the bridge reads it too."""
    if reply.header.type == "cancel":
        return "cancelled"
    found = _OPENING.match(reply.header.subject.lstrip())
    return _OPENINGS[found[1].lower()] if found else ""


def _due(one: Said) -> int | None:
    """By when a task must be done, or at least taken."""
    if one.header.type == "delegate":
        length = _count(_mapping(one.fields.get("payload")).get("deadline_ms"))
        return None if length is None else one.header.sent_at + length
    deadline = milliseconds(one.fields.get("deadline"))
    return deadline or one.header.ack_by or one.header.expires_at


def _body(one: Said) -> Mapping[str, Any]:
    return _mapping(one.fields.get("body"))


def _count(value: object) -> int | None:
    """A number of things, if it is one."""
    is_one = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_one and isinstance(value, int) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
