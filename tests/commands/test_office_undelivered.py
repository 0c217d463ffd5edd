"""`waypost undelivered` and `waypost flow`: what a person does from the command line."""

import pytest

from commands.office_desk import OfficeDesk, office_desk
from waypost.office import open_office
from waypost.office.callers import Caller

__all__ = ["office_desk"]


def lost(office_desk: OfficeDesk) -> str:
    """A letter to codex that came back."""
    sent = str(office_desk.send()["id"])
    with open_office(office_desk.home) as office:
        codex = Caller("codex", "my-app")
        office.settle(codex, sent, "bounced", "the folder is gone")
    return sent


def test_what_doesnt_arrive_is_listed_with_the_reason_and_the_next_step(
    office_desk: OfficeDesk,
) -> None:
    assert office_desk.tell("ada", "undelivered") == {"failures": []}
    sent = lost(office_desk)
    said = office_desk.say("ada", "undelivered")
    assert "the folder is gone" in said.out
    assert f"waypost undelivered retry {sent[:8]}" in said.err


def test_it_is_tried_again_given_to_another_or_discarded(office_desk: OfficeDesk) -> None:
    office_desk.tell("ada", "undelivered", "retry", lost(office_desk))
    assert len(office_desk.letters("codex")) == 1
    moved = office_desk.say("ada", "undelivered", "redirect", lost(office_desk), "--to", "ada")
    assert "for codex to ada" in moved.out
    given = ("--reason", "done by hand")
    office_desk.tell("ada", "undelivered", "discard", lost(office_desk), lost(office_desk), *given)
    assert office_desk.tell("ada", "undelivered") == {"failures": []}


@pytest.mark.parametrize(
    "words",
    [
        ("undelivered", "retry"),
        ("undelivered", "discard", "8e4a"),
        ("undelivered", "redirect", "8e4a"),
        ("undelivered", "retry", "8e4a", "--to", "codex"),
        ("undelivered", "list", "8e4a"),
        ("flow", "hold", "claude"),
        ("flow", "hold", "claude", "codex"),
        ("flow", "release", "claude", "codex", "--reason", "why"),
    ],
)
def test_words_that_dont_fit_are_refused_with_a_hint(
    office_desk: OfficeDesk, words: tuple[str, ...]
) -> None:
    code, error = office_desk.fail("ada", *words)
    assert (code, bool(error["hint"])) == (2, True)


def test_two_are_kept_apart_and_let_go(office_desk: OfficeDesk) -> None:
    office_desk.send()
    why = ("--reason", "they only thank each other")
    held = office_desk.tell("ada", "flow", "hold", "claude", "codex", *why)
    assert [(one["from"], one["to"]) for one in held["pairs"]] == [
        ("claude", "codex"), ("codex", "claude"),
    ]  # fmt: skip
    office_desk.send(body="Thank you!")
    shown = office_desk.say("ada", "flow").out
    assert "claude to codex  (held)" in shown
    assert "they only thank each other (1 letter held)" in shown
    office_desk.tell("ada", "flow", "release", "claude", "codex")
    assert len(office_desk.letters("codex")) == 2
    assert office_desk.fail("ada", "flow", "release", "claude", "codex")[0] == 3


def test_agents_decide_none_of_it(office_desk: OfficeDesk) -> None:
    sent = lost(office_desk)
    assert office_desk.fail("codex", "undelivered", "retry", sent)[0] == 4
    assert office_desk.fail("codex", "flow", "hold", "claude", "codex", "--reason", "x")[0] == 4
