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
from waypost.errors import ConflictError, NotFoundError, Problem, UsageError, quoted
from waypost.letters.names import did_you_mean
from waypost.mailbox import packets
from waypost.mailbox.items import Item, read_item
from waypost.mailbox.review import (
    ADDRESSED,
    FEEDBACK,
    LGTM,
    REQUEST,
    Ledger,
    Review,
    build,
    find_reviews,
    pr_number,
    reviews,
    same_pr,
)  # fmt: skip
from waypost.mailbox.sending import Receipt, send

_ROLES = {"author": "the author", "reviewer": "the reviewer"}


class Step(NamedTuple):
    """A step that was taken: the message that went out, and the review as it stands now."""

    receipt: Receipt
    reviews: list[Review]


class Caller(NamedTuple):
    """Who takes a step, in which project, and how the message should look."""

    project: Project
    agent: str
    wanted: str | None = None  # which review; the only fitting one if not said
    subject: str | None = None
    priority: str | None = None
    allow_secrets: bool = False


class Request(NamedTuple):
    """What an author asks for."""

    to: list[str]
    body: Fields
    again: bool = False  # a further request in a review that is there


class Feedback(NamedTuple):
    """What a reviewer gives; the rest is computed."""

    findings: Sequence[Fields] = ()
    reopened: Sequence[str] = ()
    withdrawn: Sequence[str] = ()
    round: int | None = None
    blocking_count: int | None = None
    may_be_empty: bool = False


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


# -- the four steps ----------------------------------------------------------------------------


def request(caller: Caller, asked: Request) -> Step:
    """Ask for a review, or once more in one that is there."""
    with _alone(caller.project):
        body = dict(asked.body)
        if not asked.again:
            _refuse_second(caller, asked)
            draft = _draft(caller, REQUEST, asked.to, body, _title(body))
            return _started(caller, draft, asked.to)
        review = _choose(caller, "author")
        for name in ("pr", "branch"):
            if (known := review.asked(name)) is not None:
                body.setdefault(name, known)
        to = asked.to or [review.reviewer]
        draft = _draft(caller, REQUEST, to, body, _title(body))
        draft.setdefault("priority", review.last.text("priority") or None)
        if to != [review.reviewer]:
            return _started(caller, _continuing(draft, review), to, review.last)
        return _continued(caller, review, draft, review.last)


def feedback(caller: Caller, given: Feedback) -> Step:
    """Give findings: what is open already and what is new, together in a packet."""
    with _alone(caller.project):
        review = _choose(caller, "reviewer")
        if review.last.entry.type == FEEDBACK and review.unsettled:
            raise _not_your_turn(review, "address the last round")
        number = review.ledger.round + 1
        listed = _findings(review.ledger, given, number)
        if not listed and not given.withdrawn and not given.may_be_empty:
            raise UsageError("no findings were given", hint=(
                'say --finding "P1! src/a.ts:12 what is wrong", or approve: oacp review lgtm'
            ))  # fmt: skip
        blocking = sum(finding.get("blocking") is True for finding in listed)
        _check_claims(given, number, blocking, review.ledger)
        packet = {
            "conversation_id": review.conversation,
            "pr": review.pr,
            "author": review.author,
            "reviewer": review.reviewer,
            "round": number,
            "findings": listed,
            "withdrawn": list(given.withdrawn),
        }
        data = packets.compose(packet, allow_secrets=caller.allow_secrets)
        return _send_feedback(caller, review, data, {"round": number, "blocking_count": blocking})


def address(caller: Caller, done: Addressed) -> Step:
    """Tell the reviewer what was settled: everything open, but for what the caller leaves out."""
    with _alone(caller.project):
        review = _choose(caller, "author")
        if review.last.entry.type != FEEDBACK:
            raise _not_your_turn(review, "review")
        number = max(review.ledger.round, 1)
        found = _wrong_ids(review.ledger, done)
        if done.round not in (None, number):
            found.append(_contradiction("round", f"must be {number}, the round that was given"))
        packets.refuse(finish(found, None))
        left = set(done.besides)
        ids = review.ledger.open_ids if done.ids is None else done.ids
        body = {
            "commit_sha": done.commit,
            "changes_summary": done.changes,
            "round": number,
            "touched_files": list(done.files),
            "addressed_finding_ids": [one for one in dict.fromkeys(ids) if one not in left],
        }
        title = _numbered(f"Addressed: {_topic(review)}", review, number)
        draft = _draft(caller, ADDRESSED, [review.reviewer], body, title)
        return _continued(caller, review, draft, review.last)


def approve(caller: Caller, verdict: Verdict) -> Step:
    """Approve the change; refused while anything that blocks is open."""
    with _alone(caller.project):
        review = _choose(caller, "reviewer")
        _refuse_while_blocked(review)
        ready = verdict.gate == "pass" if verdict.merge_ready is None else verdict.merge_ready
        body: Fields = {"quality_gate_result": verdict.gate, "merge_ready": ready}
        if nits := [*map(str, review.ledger.open), *verdict.nits]:
            body["nits"] = nits
        title = f"LGTM: {_topic(review)}"
        draft = _draft(caller, LGTM, [review.author], body, title)
        return _continued(caller, review, draft, review.last_by_author)


# -- whose step it is --------------------------------------------------------------------------


def _choose(caller: Caller, role: str) -> Review:
    """The one review that the caller means and plays this role in."""
    found = find_reviews(caller.project, caller.wanted)
    mine = [review for review in found if getattr(review, role) == caller.agent]
    if not mine:
        raise _wrong_role(caller, role, found)
    chosen = [review for review in mine if not review.approved] or mine[-1:]
    if len(chosen) > 1:
        chosen = [review for review in chosen if review.turn == caller.agent] or chosen
    if len(chosen) > 1:
        names = [f"{one.conversation} (PR {one.pr}, {one.reviewer})" for one in chosen[:10]]
        raise UsageError(f"which of {len(chosen)} reviews?", hint="say " + " or ".join(names))
    return chosen[0]


def _wrong_role(caller: Caller, role: str, found: Sequence[Review]) -> Exception:
    if not found or caller.wanted is None:
        hint = "oacp review status --all shows the reviews"
        return NotFoundError(f"{caller.agent} is {_ROLES[role]} in no review", hint=hint)
    names = sorted({getattr(review, role) for review in found})
    return UsageError(
        f"{caller.agent} is not {_ROLES[role]} here; that is {' or '.join(names)}",
        hint=f"say --from {names[0]} if that is who you are",
    )


def _not_your_turn(review: Review, what: str) -> ConflictError:
    if review.approved:
        details = f"{review.reviewer} has approved {_name(review)} already"
        return ConflictError(details, hint="oacp review request --again opens it once more")
    other = review.author if review.last.entry.type == FEEDBACK else review.reviewer
    return ConflictError(
        f"it is {other}'s turn to {what}", hint=f"oacp review status {review.conversation}"
    )


def _refuse_while_blocked(review: Review) -> None:
    ledger = review.ledger
    if review.approved:
        raise _not_your_turn(review, "merge")
    hint = "wait for review_addressed, or take findings back: oacp review feedback --withdraw ID"
    if count := len(ledger.blocking):
        ids = ", ".join(finding.id for finding in ledger.blocking[:10])
        many = "finding is" if count == 1 else "findings are"
        raise ConflictError(f"{count} blocking {many} open: {ids}", hint=hint)
    if ledger.unknown:
        hint = "give the findings again, or none: oacp review feedback --findings FILE"
        raise ConflictError(f"what blocks is not known: {ledger.notes[-1]}", hint=hint)


def _refuse_second(caller: Caller, asked: Request) -> None:
    pr = str(asked.body.get("pr") or "")
    for review in reviews(caller.project):
        same = review.author == caller.agent and pr and same_pr(review.pr, pr)
        if same and review.reviewer in asked.to and not review.approved:
            raise ConflictError(
                f"{review.reviewer} is reviewing {_name(review)} already in {review.conversation}",
                hint=f"oacp review request {review.conversation} --again asks once more",
            )


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


# -- what is computed, and what contradicts it -------------------------------------------------


def _findings(ledger: Ledger, given: Feedback, number: int) -> list[Fields]:
    """All that is open after a round: carried over, reopened, and new with fresh ids."""
    found = [
        _unknown_id(("reopened", index), name, ledger.findings)
        for index, name in enumerate(given.reopened)
        if name not in ledger.findings
    ]
    found += [
        _unknown_id(("withdrawn", index), name, ledger.open_ids)
        for index, name in enumerate(given.withdrawn)
        if name not in ledger.open_ids
    ]
    packets.refuse(finish(found, None))
    kept = [one for one in ledger.open_ids if one not in given.withdrawn]
    listed = {one: ledger.findings[one].fields for one in (*kept, *given.reopened)}
    taken = {*ledger.findings, *(str(finding.get("id")) for finding in given.findings)}
    count = 0
    for finding in given.findings:
        name = finding.get("id")
        while name is None:
            count += 1
            name = None if f"finding-{count:03d}" in taken else f"finding-{count:03d}"
        taken.add(name)
        listed[name] = {"id": name, **finding, "round": finding.get("round", number)}
    return list(listed.values())


def _check_claims(given: Feedback, number: int, blocking: int, ledger: Ledger) -> None:
    found = []
    if given.round not in (None, number):
        found.append(_contradiction("round", f"must be {number}, which comes after {ledger.round}"))
    if given.blocking_count not in (None, blocking):
        sentence = f"must be {blocking}: so many findings of the packet block"
        found.append(_contradiction("blocking_count", sentence))
    packets.refuse(finish(found, None))


def _wrong_ids(ledger: Ledger, done: Addressed) -> list[Problem]:
    given = {"addressed_finding_ids": done.ids or (), "besides": done.besides}
    return [
        _unknown_id(("body", field, index), name, ledger.open_ids)
        for field, names in given.items()
        for index, name in enumerate(names)
        if name not in ledger.open_ids
    ]


def _unknown_id(at: tuple[str | int, ...], name: str, known: Any) -> Problem:
    listed = list(known)
    hint = did_you_mean(name, listed) or "they are " + (", ".join(listed[:20]) or "none")
    return Problem(at, "not_one_of", f"names no open finding: {quoted(name)}", hint)


def _contradiction(field: str, sentence: str) -> Problem:
    return Problem(("body", field), "not_one_of", sentence, "leave it out; it is computed")


# -- messages ----------------------------------------------------------------------------------


def _draft(caller: Caller, kind: str, to: Sequence[str], body: Fields, title: str) -> Fields:
    draft = {
        "from": caller.agent,
        "to": to[0] if len(to) == 1 else list(to),
        "type": kind,
        "priority": caller.priority,
        "subject": caller.subject or title,
        "body": body,
        "related_pr": body.get("pr"),
    }
    return {name: value for name, value in draft.items() if value is not None}


def _continuing(draft: Fields, review: Review) -> Fields:
    return {
        **draft,
        "conversation_id": review.conversation,
        **({"related_pr": review.pr} if review.pr else {}),
    }


def _started(caller: Caller, draft: Fields, to: Sequence[str], parent: Item | None = None) -> Step:
    receipt = _send(caller, draft, parent)
    sent = _sent(receipt)
    conversation = sent.text("conversation_id")
    return Step(
        receipt, [build(caller.project, conversation, caller.agent, name, [sent]) for name in to]
    )


def _continued(caller: Caller, review: Review, draft: Fields, parent: Item) -> Step:
    receipt = _send(caller, _continuing(draft, review), parent)
    messages = [*review.messages, _sent(receipt)]
    pair = (review.author, review.reviewer)
    after = build(caller.project, review.conversation, *pair, messages)
    return Step(receipt, [after._replace(questions=review.questions)])


def _send_feedback(caller: Caller, review: Review, data: bytes, counts: Fields) -> Step:
    """Write the packet, then send the message that names it; without a message there is none."""
    folder = packets.folder_of(caller.project)
    stem = packets.usual_name(pr_number(review.pr) or review.pr, counts["round"])
    title = _numbered(f"Review feedback: {_topic(review)}", review, counts["round"])
    is_kept = False
    while not is_kept:
        name = packets.free_name(folder, stem)
        reference = f"{packets.FOLDER}/{name}"
        body = {"findings_packet": reference, **counts}
        draft = _draft(caller, FEEDBACK, [review.author], body, title)
        draft["related_packet"] = reference
        _send(caller, _continuing(draft, review), review.last_by_author, dry_run=True)
        with suppress(FileExistsError):
            packets.keep(folder, name, data)
            is_kept = True
    try:
        return _continued(caller, review, draft, review.last_by_author)
    except BaseException:
        with suppress(OSError):
            os.unlink(f"{folder}/{name}")
        raise


def _send(caller: Caller, draft: Fields, parent: Item | None, *, dry_run: bool = False) -> Receipt:
    return send(
        caller.project,
        draft,
        answering=parent,
        allow_secrets=caller.allow_secrets,
        dry_run=dry_run,
    )


def _sent(receipt: Receipt) -> Item:
    item = read_item(receipt.outbox_path)
    if item is None:
        raise NotFoundError(f"{receipt.outbox_path} is gone", hint="it was sent all the same")
    return item


def _name(review: Review) -> str:
    return f"PR {pr_number(review.pr) or review.pr}" if review.pr else "this change"


def _title(body: Fields) -> str:
    lines = str(body.get("diff_summary") or "").strip().splitlines()
    pr = str(body.get("pr") or "")
    return f"Review: {(lines or [''])[0][:140]} ({'#' + pr if pr.isdigit() else pr[:50]})"


def _topic(review: Review) -> str:
    return review.messages[0].text("subject").removeprefix("Review: ")[:150]


def _numbered(title: str, review: Review, number: int) -> str:
    most = review.asked("max_turns_reviewer")
    return f"{title} (round {number}" + (f" of {most})" if most else ")")
