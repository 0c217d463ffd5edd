"""Taking part in a review: asking for one, giving findings, settling them, approving.

Each step checks that it is the caller's to take, computes what can be computed (the round, what
blocks, what was addressed) from the packets, and sends one message that continues the thread. What
a caller says all the same must agree with what was computed.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from waypost.carriers.folders.home import Project
from waypost.dialects.message import Fields
from waypost.dialects.text import finish
from waypost.errors import UsageError
from waypost.mailbox import packets
from waypost.mailbox.items import Item
from waypost.mailbox.review import ADDRESSED, FEEDBACK, LGTM, REQUEST, Ledger, Review, pr_number
from waypost.mailbox.review_rules import (
    choose,
    disagreement,
    not_your_turn,
    refuse_second,
    refuse_while_blocked,
    strange_ids,
)
from waypost.mailbox.reviews import reviews
from waypost.mailbox.sending import Receipt, send

_LONGEST_SUBJECT = 200


class Caller(NamedTuple):
    """Who takes a step, in which project, and how the message should look."""

    project: Project
    agent: str
    wanted: str | None = None  # which review; the only fitting one if not said
    subject: str | None = None
    priority: str | None = None
    allow_secrets: bool = False


class Step(NamedTuple):
    """A step that was taken: the message that went out, and the reviews as they stand now."""

    receipt: Receipt
    reviews: list[Review]


class Feedback(NamedTuple):
    """What a reviewer gives; the rest is computed."""

    findings: Sequence[Fields] = ()
    reopened: Sequence[str] = ()
    withdrawn: Sequence[str] = ()
    round: int | None = None
    blocking_count: int | None = None
    may_be_empty: bool = False

    @property
    def only_withdraws(self) -> bool:
        """Whether this takes something back and adds nothing, which is never out of turn."""
        return bool(self.withdrawn) and not self.findings and not self.reopened


class Addressed(NamedTuple):
    """What an author has done."""

    commit: str
    changes: str
    files: Sequence[str] = ()
    ids: Sequence[str] | None = None  # every open finding if not said
    besides: Sequence[str] = ()  # these stay open
    round: int | None = None


class Verdict(NamedTuple):
    """What a reviewer approves."""

    gate: str = "pass"
    merge_ready: bool | None = None  # as the gate says if not said
    nits: Sequence[str] = ()


# -- the steps ---------------------------------------------------------------------------------


def request(caller: Caller, to: Sequence[str], body: Fields) -> Step:
    """Ask for a review of a change."""
    with _alone(caller.project):
        refuse_second(caller.project, caller.agent, to, str(body.get("pr") or ""))
        return _send(caller, _draft(caller, REQUEST, to, body, _title(body)), None)


def request_again(caller: Caller, to: Sequence[str], body: Fields) -> Step:
    """Ask once more in a review that is there; its change and reviewer hold if not said."""
    with _alone(caller.project):
        review = choose(caller.project, caller.agent, "author", caller.wanted)
        known = {name: review.asked(name) for name in ("pr", "branch") if review.asked(name)}
        body = {**known, **body}
        draft = _draft(caller, REQUEST, to or [review.reviewer], body, _title(body))
        priority = {"priority": review.last.text("priority")} if caller.priority is None else {}
        return _send(caller, {**_continuing(draft, review), **priority}, review.last)


def feedback(caller: Caller, given: Feedback) -> Step:
    """Give findings: what is open already and what is new, together in a packet."""
    with _alone(caller.project):
        review = choose(caller.project, caller.agent, "reviewer", caller.wanted)
        if review.approved or (_waits_for_author(review) and not given.only_withdraws):
            raise not_your_turn(review, "address the last round")
        number = review.ledger.round + 1
        _check_feedback(given, review.ledger, number)
        listed = _findings(review.ledger, given, number)
        blocking = sum(finding.get("blocking") is True for finding in listed)
        wrong = disagreement("blocking_count", given.blocking_count, blocking)
        packets.refuse(finish(wrong, None))
        packet = {
            "conversation_id": review.conversation,
            "pr": review.pr,
            "author": review.author,
            "reviewer": review.reviewer,
            "round": number,
            "findings": listed,
            "withdrawn": list(given.withdrawn),
        }
        packet = {name: value for name, value in packet.items() if value or name == "findings"}
        data = packets.compose(packet, allow_secrets=caller.allow_secrets)
        return _send_feedback(caller, review, data, {"round": number, "blocking_count": blocking})


def address(caller: Caller, done: Addressed) -> Step:
    """Tell the reviewer what was settled: everything open, but for what the caller leaves out."""
    with _alone(caller.project):
        review = choose(caller.project, caller.agent, "author", caller.wanted)
        if review.last.entry.type != FEEDBACK:
            raise not_your_turn(review, "review")
        ledger, number = review.ledger, review.ledger.round
        field = "addressed_finding_ids"
        found = strange_ids(("body", field), done.ids or (), ledger)
        found += strange_ids(("besides",), done.besides, ledger)
        packets.refuse(finish(found + disagreement("round", done.round, number), None))
        ids = ledger.open_ids if done.ids is None else done.ids
        body = {
            "commit_sha": done.commit,
            "changes_summary": done.changes,
            "round": number,
            "touched_files": list(done.files),
            field: [one for one in dict.fromkeys(ids) if one not in done.besides],
        }
        title = _numbered(f"Addressed: {_topic(review)}", review, number)
        draft = _draft(caller, ADDRESSED, [review.reviewer], body, title)
        return _send(caller, _continuing(draft, review), review.last)


def approve(caller: Caller, verdict: Verdict) -> Step:
    """Approve the change; refused while anything that blocks is open."""
    with _alone(caller.project):
        review = choose(caller.project, caller.agent, "reviewer", caller.wanted)
        refuse_while_blocked(review)
        ready = verdict.gate == "pass" if verdict.merge_ready is None else verdict.merge_ready
        body: Fields = {"quality_gate_result": verdict.gate, "merge_ready": ready}
        if nits := [*map(str, review.ledger.open), *verdict.nits]:
            body["nits"] = nits
        draft = _draft(caller, LGTM, [review.author], body, f"LGTM: {_topic(review)}")
        return _send(caller, _continuing(draft, review), review.last)


@contextmanager
def _alone(project: Project) -> Iterator[None]:
    """Let one step at a time be taken in a project, so that no round is given twice."""
    import fcntl

    descriptor = os.open(packets.folder_of(project), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # some network disks lock no folders; a round may then come twice
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _waits_for_author(review: Review) -> bool:
    return review.last.entry.type == FEEDBACK and review.unsettled


# -- findings ----------------------------------------------------------------------------------


def _check_feedback(given: Feedback, ledger: Ledger, number: int) -> None:
    found = strange_ids(("reopened",), given.reopened, ledger)
    found += strange_ids(("withdrawn",), given.withdrawn, ledger)
    packets.refuse(finish(found + disagreement("round", given.round, number), None))
    something = (given.findings, given.reopened, given.withdrawn, ledger.open_ids)
    if not any(something) and not given.may_be_empty:
        hint = 'say --finding "P1! src/a.ts:12 what is wrong", or approve: oacp review lgtm'
        raise UsageError("no findings were given", hint=hint)


def _findings(ledger: Ledger, given: Feedback, number: int) -> list[Fields]:
    """All that is open after a round: carried over, reopened, and new with fresh ids."""
    kept = [one for one in ledger.open_ids if one not in given.withdrawn]
    listed = {one: ledger.findings[one].fields for one in (*kept, *given.reopened)}
    taken = {*ledger.findings, *(finding.get("id") for finding in given.findings)}
    fresh = (f"finding-{count:03d}" for count in range(1, len(taken) + len(given.findings) + 1))
    free = (name for name in fresh if name not in taken)
    for finding in given.findings:
        name = finding.get("id") or next(free)
        listed[name] = {"id": name, "round": number, **finding}
    return list(listed.values())


def _send_feedback(caller: Caller, review: Review, data: bytes, counts: Fields) -> Step:
    """Keep the packet, then send the message that names it; nothing is kept of a bad message."""
    folder = packets.folder_of(caller.project)
    stem = packets.usual_name(pr_number(review.pr) or review.pr, counts["round"])
    title = _numbered(f"Review feedback: {_topic(review)}", review, counts["round"])
    while True:
        name = packets.free_name(folder, stem)
        reference = f"{packets.FOLDER}/{name}"
        body = {"findings_packet": reference, **counts}
        draft = _continuing(_draft(caller, FEEDBACK, [review.author], body, title), review)
        draft["related_packet"] = reference
        _deliver(caller, draft, review.last, dry_run=True)
        with suppress(FileExistsError):
            packets.keep(folder, name, data)
            return _send(caller, draft, review.last)


# -- messages ----------------------------------------------------------------------------------


def _draft(caller: Caller, kind: str, to: Sequence[str], body: Fields, title: str) -> Fields:
    draft: dict[str, Any] = {
        "from": caller.agent,
        "to": to[0] if len(to) == 1 else list(to),
        "type": kind,
        "priority": caller.priority,
        "subject": caller.subject or title[:_LONGEST_SUBJECT],
        "body": body,
        "related_pr": body.get("pr"),
    }
    return {name: value for name, value in draft.items() if value is not None}


def _continuing(draft: Fields, review: Review) -> Fields:
    related = {"related_pr": review.pr} if review.pr else {}
    return {**draft, "conversation_id": review.conversation, **related}


def _send(caller: Caller, draft: Fields, parent: Item | None) -> Step:
    receipt = _deliver(caller, draft, parent)
    sent = (receipt.message.fields or {})["id"]
    after = reviews(caller.project)
    return Step(receipt, [one for one in after if any(item.id == sent for item in one.messages)])


def _deliver(
    caller: Caller, draft: Fields, parent: Item | None, *, dry_run: bool = False
) -> Receipt:
    return send(
        caller.project,
        draft,
        answering=parent,
        allow_secrets=caller.allow_secrets,
        dry_run=dry_run,
    )


def _title(body: Fields) -> str:
    lines = str(body.get("diff_summary") or "").strip().splitlines()
    pr = " ".join(str(body.get("pr") or "").split())
    return f"Review: {(lines or [''])[0][:130]} ({'#' + pr if pr.isdigit() else pr[:50]})"


def _topic(review: Review) -> str:
    return review.messages[0].text("subject").removeprefix("Review: ")[:150]


def _numbered(title: str, review: Review, number: int) -> str:
    most = review.asked("max_turns_reviewer")
    return f"{title} (round {number} of {most})" if most else f"{title} (round {number})"
