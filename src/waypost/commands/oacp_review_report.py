"""How reviews are shown: in one line each, and as JSON; and `oacp review status`."""

from collections.abc import Sequence

from waypost.commands.console import Console, Parser
from waypost.commands.oacp_items import now
from waypost.commands.oacp_place import add_options, find_project
from waypost.errors import visible
from waypost.mailbox.review import FEEDBACK, Review, pr_number
from waypost.mailbox.reviews import find_reviews
from waypost.mailbox.sending import recover_project

_EXAMPLES = """\
  oacp review status               whose turn it is, in every open review
  oacp review status 42 --findings
  oacp review status conv-20260313-claude-001 --json
"""
_MOST_IDS = 10


def status(console: Console, argv: Sequence[str]) -> int:
    """Say in one line for each review whose turn it is and what is open."""
    parser = Parser("oacp review status", "Say whose turn it is and what is open.", _EXAMPLES)
    parser.add_argument(
        "review", nargs="?", metavar="CONV|ID|PR", help="which review; all open ones if absent"
    )
    parser.add_argument("--all", action="store_true", help="approved reviews too")
    parser.add_argument("--findings", action="store_true", help="list the open findings below")
    add_options(parser)
    arguments = parser.parse_args(argv)
    project = find_project(arguments)
    recover_project(project)
    found = find_reviews(project, arguments.review)
    shown = [one for one in found if arguments.review or arguments.all or not one.approved]
    if console.as_json:
        console.json([review_json(one) for one in shown])
        return 0
    for review in shown:
        show_review(console, review, findings=arguments.findings)
    if not shown:
        approved = f"; {len(found)} approved, --all shows them" if found else ""
        console.talk(f"no review is open{approved}")
    return 0


def show_review(console: Console, review: Review, *, findings: bool) -> None:
    """Print the line of a review, and its open findings if wanted."""
    console.data(visible(line(review)))
    for finding in review.ledger.open if findings else ():
        console.data(visible(f"  {finding}"))
    for note in review.ledger.notes:
        console.talk(visible(f"note: {note}"))


def line(review: Review) -> str:
    """A review in one line: whose turn, what is open, the budgets, and whether to escalate."""
    name = f"PR {pr_number(review.pr) or review.pr}" if review.pr else "review"
    parts = [f"{name} ({review.conversation}): {_turn(review)}", _open(review)]
    if budgets := _budgets(review):
        parts.append(budgets)
    if reasons := review.escalations(now()):
        parts.append(escalation(reasons))
    return "; ".join(parts)


def escalation(reasons: Sequence[str]) -> str:
    """What is said when a budget of the reviewer is used up."""
    return f"escalate to a person: {' and '.join(reasons)}"


def _turn(review: Review) -> str:
    if review.approved:
        ready = f"{review.author}'s turn to merge" if review.merge_ready else "not ready to merge"
        return f"approved by {review.reviewer}, {ready}"
    if review.questions:
        return f"{review.turn}'s turn to answer {review.questions[0][0].id}"
    if review.turn == review.author and review.last.entry.type == FEEDBACK:
        return f"{review.author}'s turn to address round {review.ledger.round}"
    what = "review" if review.ledger.blocking or not review.ledger.rounds else "review or approve"
    what = "approve" if review.last.entry.type == FEEDBACK else what
    return f"{review.turn}'s turn to {what} (round {review.ledger.round + 1})"


def _open(review: Review) -> str:
    ledger = review.ledger
    found = ledger.open
    parts = []
    if ledger.unknown:
        parts.append(f"{ledger.unknown} blocking in a packet that can't be read")
    if found:
        ids = [one.id + ("!" if one.blocking else "") for one in found[:_MOST_IDS]]
        more = f" and {len(found) - _MOST_IDS} more" if len(found) > _MOST_IDS else ""
        parts.append(f"{len(found)} open, {len(ledger.blocking)} blocking: {', '.join(ids)}{more}")
    return ", ".join(parts) or "nothing is open"


def _budgets(review: Review) -> str:
    turns, seconds = review.asked("max_turns_reviewer"), review.asked("max_runtime_s_reviewer")
    parts = [f"round budget {review.ledger.rounds} of {turns}"] if turns else []
    if seconds:
        parts.append(f"time budget {review.seconds_used(now())} of {seconds} s")
    return ", ".join(parts)


def review_json(review: Review) -> dict[str, object]:
    """A review for programs."""
    ledger = review.ledger
    shown: dict[str, object] = {
        "conversation_id": review.conversation,
        "pr": review.pr or None,
        "branch": review.asked("branch"),
        "author": review.author,
        "reviewer": review.reviewer,
        "state": review.last.entry.type,
        "turn": review.turn,
        "round": ledger.round,
        "blocking_count": len(ledger.blocking) + ledger.unknown,
        "open": [finding.fields for finding in ledger.open],
        "approved": review.approved,
        "merge_ready": review.merge_ready,
        "rounds_used": ledger.rounds,
        "max_turns_reviewer": review.asked("max_turns_reviewer"),
        "seconds_used": review.seconds_used(now()),
        "max_runtime_s_reviewer": review.asked("max_runtime_s_reviewer"),
        "escalate": review.escalations(now()),
        "questions": [{"id": item.id, "owing": who} for item, who in review.questions],
        "notes": ledger.notes,
        "last_message_id": review.last.id,
        "status": line(review),
    }
    return shown
