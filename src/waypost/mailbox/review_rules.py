"""What is refused in a review: the wrong person, the wrong moment, and claims that aren't true."""

from collections.abc import Iterable, Sequence

from waypost.carriers.folders.home import Project
from waypost.errors import ConflictError, NotFoundError, Problem, UsageError, WaypostError, quoted
from waypost.letters.names import did_you_mean
from waypost.letters.words import word
from waypost.mailbox.review import FEEDBACK, Ledger, Review, pr_number, same_pr
from waypost.mailbox.reviews import find_reviews, reviews

_ROLES = {"author": "the author", "reviewer": "the reviewer"}


# -- whose step it is --------------------------------------------------------------------------


def choose(project: Project, agent: str, role: str, wanted: str | None) -> Review:
    """The one review that an agent means and plays this role in.

    Raises NotFoundError, or UsageError when it is another's role or several reviews fit.
    """
    found = find_reviews(project, wanted)
    mine = [review for review in found if getattr(review, role) == agent]
    if not mine:
        raise _wrong_role(agent, role, found if wanted else [])
    chosen = [review for review in mine if not review.approved] or mine[-1:]
    if len(chosen) > 1:
        chosen = [review for review in chosen if review.turn == agent] or chosen
    if len(chosen) > 1:
        names = [f"{one.conversation} (PR {one.pr} by {one.reviewer})" for one in chosen[:10]]
        raise UsageError(f"which of {len(chosen)} reviews?", hint="say " + " or ".join(names))
    return chosen[0]


def _wrong_role(agent: str, role: str, found: Sequence[Review]) -> WaypostError:
    if not found:
        hint = "oacp review status --all shows the reviews"
        return NotFoundError(f"{agent} is {_ROLES[role]} in no review", hint=hint)
    names = sorted({str(getattr(review, role)) for review in found})
    return UsageError(
        f"{agent} is not {_ROLES[role]} here; that is {' or '.join(names)}",
        hint=f"say --from {names[0]} if that is who you are",
    )


def not_your_turn(review: Review, what: str) -> ConflictError:
    """The refusal of a step that the other one has to take first."""
    if review.approved:
        details = f"{review.reviewer} has approved {name_of(review)} already"
        return ConflictError(details, hint="oacp review request --again opens it once more")
    other = review.author if review.last.entry.type == FEEDBACK else review.reviewer
    return ConflictError(
        f"it is {other}'s turn to {what}", hint=f"oacp review status {word(review.conversation)}"
    )


def refuse_while_blocked(review: Review) -> None:
    """Raise ConflictError while anything that blocks, or may block, is open."""
    ledger = review.ledger
    if review.approved:
        raise not_your_turn(review, "merge")
    if count := len(ledger.blocking):
        ids = ", ".join(finding.id for finding in ledger.blocking[:10])
        many = "finding is" if count == 1 else "findings are"
        hint = f"it is {review.turn}'s turn; oacp review feedback --withdraw ID takes one back"
        raise ConflictError(f"{count} blocking {many} open: {ids}", hint=hint)
    if ledger.unknown:
        hint = "give the findings again: oacp review feedback --findings FILE"
        raise ConflictError(f"what blocks is not known: {ledger.notes[-1]}", hint=hint)


def refuse_second(project: Project, author: str, to: Sequence[str], pr: str) -> None:
    """Raise ConflictError when one of these is reviewing the same change already."""
    for review in reviews(project):
        same = review.author == author and pr and same_pr(review.pr, pr)
        if same and review.reviewer in to and not review.approved:
            raise ConflictError(
                f"{review.reviewer} is reviewing {name_of(review)} already",
                hint=f"oacp review request {word(review.conversation)} --again asks once more",
            )


def name_of(review: Review) -> str:
    """How people call what is under review."""
    return f"PR {pr_number(review.pr) or review.pr}" if review.pr else "this change"


# -- claims ------------------------------------------------------------------------------------


def strange_ids(field: Sequence[str], names: Iterable[str], ledger: Ledger) -> list[Problem]:
    """The problems of ids that name no open finding; of no finding at all for `reopened`."""
    reopening = field[-1] == "reopened"
    known = list(ledger.findings) if reopening else ledger.open_ids
    hint = "they are " + (", ".join(known[:20]) or "none")
    sentence = "names no finding: " if reopening else "names no open finding: "
    return [
        Problem(
            (*field, index),
            "not_one_of",
            sentence + quoted(name),
            did_you_mean(name, known) or hint,
        )
        for index, name in enumerate(names)
        if name not in known
    ]


def disagreement(field: str, said: int | None, computed: int) -> list[Problem]:
    """The problem of a number that the caller needn't have given, when it is wrong."""
    if said is None or said == computed:
        return []
    hint = "leave it out; it is computed"
    return [Problem(("body", field), "not_one_of", f"must be {computed}, not {said}", hint)]
