"""More life for a project: a translated task, a review in its second round, a letter on hold."""

from typing import NamedTuple

from faces.web.story import caller
from waypost.office import Office, carrying, consigning
from waypost.office.rendering import Ends, render
from waypost.office.world import moment

CLAUDE, CODEX, GEMINI = map(caller, ("claude", "codex", "gemini"))
TASK = {
    "task_id": "bd-50", "description": "Pack the **teapots** for order 1042",
    "file_patterns": ["packing/**"],
    "specification": {"acceptance_criteria": ["every cup is whole"]},
    "estimated_duration_minutes": 30,
}  # fmt: skip
REQUEST = {"pr": "#61", "branch": "feat/keep-cart", "diff_summary": "The cart survives sign-in."}
ADDRESSED = {
    "commit_sha": "5e81f0c", "changes_summary": "Two of them are mended.", "round": 1,
    "touched_files": ["src/cart/join.ts"], "addressed_finding_ids": ["f1", "f2"],
}  # fmt: skip
_FAR_AWAY = 4_000_000_000_000  # so that nobody tries again meanwhile


class Work(NamedTuple):
    """The ids of the letters, and of threads by their first letter."""

    task: str
    review: str
    held: tuple[str, str]
    asked: str
    tried: str


def tell(office: Office) -> Work:
    """Tell it; a server that comes later has nothing to carry."""
    office.register(caller("depot"), with_token=False, carrier="folder")
    tried, held = _tried(office), (_held(office), _held(office))
    return Work(_task(office), _review(office), held, _asked(office), tried)


def translate(office: Office, letter: str, to: str = "depot") -> None:
    """Hand a letter over in OACP, as the dispatcher does."""
    found = consigning.letter_meant(office.desk, "shop", letter)
    assert found is not None
    render(office.desk, found, "oacp", Ends(found.sender, (to,)))
    (pending,) = consigning.pending(office.desk, letters=[found.position])
    handover = carrying.Handover(found.position, [pending.box])
    carrying.handed_over(office.desk, "shop", [handover])


def _task(office: Office) -> str:
    due = moment(office.desk.world.now() + 2 * 3_600_000).replace("Z", ".500Z")
    task = office.send(GEMINI, "depot", "task_assignment", {**TASK, "deadline": due})
    translate(office, task.id)
    office.acknowledge(caller("depot"), task.id, note="tomorrow at nine")
    return task.id


def _review(office: Office) -> str:
    first = office.send(CODEX, "claude", "review_request", REQUEST, subject="The cart, please")
    found = {"findings_packet": "packets/review/pr-61-round-1.yaml", "round": 1}
    one = office.reply(
        CLAUDE, first.id, type="review_feedback", content={**found, "blocking_count": 2}
    )
    two = office.reply(CODEX, one.id, type="review_addressed", content=ADDRESSED)
    again = {"findings_packet": "packets/review/pr-61-round-2.yaml", "round": 2}
    office.reply(CLAUDE, two.id, type="review_feedback", content={**again, "blocking_count": 1})
    return first.id


def _held(office: Office) -> str:
    sent = office.send(CLAUDE, "depot", text="Thank you for the thanks for the thanks!")
    (pending,) = consigning.pending(office.desk, letters=[sent.position])
    reason = "claude and depot wrote each other 12 letters in a minute"
    carrying.waits(office.desk, pending, reason, None, "too often")
    return sent.id


def _asked(office: Office) -> str:
    begun = office.send(CLAUDE, "codex", text="The old orders are exported to cold storage.")
    asked = office.send(
        CODEX, "dana", "question", text="May I drop the old orders then?",
        thread=begun.thread, acknowledge=True,
    )  # fmt: skip
    return asked.id


def _tried(office: Office) -> str:
    """A letter that was tried very often."""
    sent = office.send(CLAUDE, "depot", text="Try, and try again")
    for number in range(55):
        (pending,) = consigning.pending(office.desk, letters=[sent.position])
        carrying.waits(office.desk, pending, f"attempt {number:02}", _FAR_AWAY)
    return sent.id
