"""Reviews as their messages tell them: whose turn it is, which round, and what is open.

A review is the work of one reviewer on one author's change, inside one conversation. Nothing is
stored of it but the messages and the packets that they name; whoever reads those comes to the same
answer:

    review_request     the reviewer's turn; a further one opens the review again
    review_feedback    the author's turn; its packet's findings are open, those it withdraws are not
    review_addressed   the reviewer's turn; the findings that it names are no longer open
    review_lgtm        approved; the author merges
"""

import re
from datetime import datetime
from typing import Any, NamedTuple

from waypost.mailbox.items import Item
from waypost.mailbox.packets import Finding, Packet

REQUEST, FEEDBACK, ADDRESSED, LGTM = (
    "review_request", "review_feedback", "review_addressed", "review_lgtm",
)  # fmt: skip
BY_REVIEWER = (FEEDBACK, LGTM)
_NUMBERED = re.compile(r"(?i)(?:(?:pr|pull request|mr)?[ ]?[#!]?|[a-z]+://.*/)0*([0-9]{1,18})/?")
_LARGEST_ROUND = 9999  # what a stranger claims beyond that is no round


class Ledger:
    """What is open, kept up message by message."""

    def __init__(self) -> None:
        self.findings: dict[str, Finding] = {}
        self._open: set[str] = set()
        self.unknown = 0  # blocking findings that stand in a packet which can't be read
        self.rounds = 0  # how often the reviewer gave findings
        self.round = 0  # the number of the last round
        self.notes: list[str] = []

    def take_feedback(self, body: dict[str, Any], packet: Packet | None, why: str) -> None:
        """Enter a round of findings."""
        claimed = _number(body.get("round"))
        self.rounds += 1
        self.round = claimed if 0 < claimed <= _LARGEST_ROUND else self.round + 1
        if packet is None:
            count = body.get("blocking_count")
            self.unknown = count if isinstance(count, int) else 1
            self.notes.append(f"the findings of round {self.round} can't be read: {why}")
            return
        self.unknown = 0
        self.findings |= {finding.id: finding for finding in packet.findings}
        self._open -= set(packet.withdrawn)
        self._open |= {finding.id for finding in packet.findings}
        counted = sum(finding.blocking for finding in packet.findings)
        if "blocking_count" in body and _number(body["blocking_count"]) != counted:
            said = f"round {self.round} speaks of {body['blocking_count']} blocking findings"
            self.notes.append(f"{said}; its packet holds {counted}")

    def take_addressed(self, body: dict[str, Any]) -> None:
        """Enter what the author has settled."""
        listed = body.get("addressed_finding_ids")
        ids = {one for one in listed if isinstance(one, str)} if isinstance(listed, list) else set()
        strangers = ids - set(self.findings)
        self.unknown = max(0, self.unknown - len(strangers)) if body else 0
        self._open -= ids

    @property
    def open_ids(self) -> list[str]:
        """The ids of the findings that nobody has settled yet, the oldest first."""
        return [name for name in self.findings if name in self._open]

    @property
    def open(self) -> list[Finding]:
        """The findings that nobody has settled yet, the oldest first."""
        return [self.findings[one] for one in self.open_ids]

    @property
    def blocking(self) -> list[Finding]:
        """The open findings that stand in the way of a merge."""
        return [finding for finding in self.open if finding.blocking]


class Review(NamedTuple):
    """The review of one change by one reviewer."""

    conversation: str
    author: str
    reviewer: str
    messages: list[Item]
    ledger: Ledger
    questions: list[tuple[Item, str]]  # unanswered ones between the two, and who owes the answer

    @property
    def last(self) -> Item:
        return self.messages[-1]

    @property
    def pr(self) -> str:
        """The pull request, as the first message that names it does."""
        return next(filter(None, map(pr_of, self.messages)), "")

    def asked(self, field: str) -> Any:
        """What the latest request that says anything of a field says."""
        requests = [one for one in self.messages if one.entry.type == REQUEST]
        return next(filter(None, (body_of(one).get(field) for one in reversed(requests))), None)

    @property
    def approved(self) -> bool:
        return self.last.entry.type == LGTM

    @property
    def merge_ready(self) -> bool:
        return self.approved and body_of(self.last).get("merge_ready") is not False

    @property
    def turn(self) -> str:
        """Who has to act: on a question first, then on the review itself."""
        if self.approved:
            return self.author
        if self.questions:
            return self.questions[0][1]
        is_authors = self.last.entry.type == FEEDBACK and self.unsettled
        return self.author if is_authors else self.reviewer

    @property
    def unsettled(self) -> bool:
        """Whether anything is open, blocking or not."""
        return bool(self.ledger.open_ids or self.ledger.unknown)

    def seconds_used(self, now: str) -> int:
        """How long it has been the reviewer's turn, all rounds together."""
        total, since = 0.0, None
        for item in self.messages:
            moment = _moment(item.text("created_at_utc"))
            if item.entry.type in BY_REVIEWER and since is not None:
                total, since = total + max(0.0, moment - since), None
            elif item.entry.type not in BY_REVIEWER and since is None:
                since = moment
        return int(total + (max(0.0, _moment(now) - since) if since is not None else 0.0))

    def escalations(self, now: str) -> list[str]:
        """Which of the reviewer's budgets are used up: then a person should step in."""
        turns, seconds = self.asked("max_turns_reviewer"), self.asked("max_runtime_s_reviewer")
        used, told = self.seconds_used(now), []
        if self.approved:
            return []
        if 0 < _number(turns) <= self.ledger.rounds:
            told.append(f"{self.ledger.rounds} of {turns} rounds are used")
        if 0 < _number(seconds) <= used:
            told.append(f"{used} of {seconds} seconds are used")
        return told


def body_of(item: Item) -> dict[str, Any]:
    """The fields of a message's body; none when it is prose."""
    body = (item.message.fields or {}).get("body")
    return body if isinstance(body, dict) else {}


def pr_of(item: Item) -> str:
    """The pull request that a message names."""
    return str(body_of(item).get("pr") or (item.header or {}).get("related_pr") or "").strip()


def same_pr(one: str, other: str) -> bool:
    """Tell whether two ways to name a pull request mean the same: 42, #42, a link that ends in it.

    Two links must be equal, since two repositories may both have a number 42.
    """
    if one == other or ("://" in one and "://" in other):
        return one == other
    return pr_number(one) == pr_number(other) != ""


def pr_number(text: str) -> str:
    """The number at the end of a pull request's name, or ""."""
    match = _NUMBERED.fullmatch(text)
    return match[1] if match else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return 0.0
