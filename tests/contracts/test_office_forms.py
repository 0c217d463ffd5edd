"""The JSON of the office's commands: the keys that programs read."""

import pytest

from commands.office_desk import OfficeDesk, office_desk

__all__ = ["office_desk"]
HEADER = {"id", "from", "type", "subject", "thread", "sent_at", "state"}


def test_a_receipt(office_desk: OfficeDesk) -> None:
    sent = office_desk.send()
    assert set(sent) == {"id", "to", "type", "thread", "state"}
    assert sent["state"] == "stored"


def test_an_inbox(office_desk: OfficeDesk) -> None:
    empty = {"letters": [], "unread": 0}
    assert office_desk.tell("codex", "inbox") == empty
    office_desk.send()
    page = office_desk.tell("codex", "inbox")
    assert set(page) == {"letters", "unread"}
    assert set(page["letters"][0]) == HEADER


def test_a_letter(office_desk: OfficeDesk) -> None:
    sent = office_desk.send("--priority", "high", "--ack-within", "1h")
    letter = office_desk.tell("codex", "read", sent["id"])
    origin = {"door", "proof", "dialect", "message"}
    assert set(letter) == HEADER | origin | {"to", "priority", "wants_ack", "ack_by"}


def test_a_reservation_and_its_refusal(office_desk: OfficeDesk) -> None:
    held = office_desk.tell("codex", "reserve", "src/**", "--reason", "r", "--task", "t")
    assert set(held) == {"id", "holder", "mode", "patterns", "until", "reason", "task_id"}
    code, error = office_desk.fail("claude", "reserve", "src/a", "docs")
    keys = {"error", "details", "hint", "retryable", "conflicts", "alternatives"}
    assert (code, set(error)) == (7, keys)
    conflict = {"holder", "pattern", "mode", "path", "until", "reason", "id"}
    assert set(error["conflicts"][0]) == conflict
    assert set(error["alternatives"][0]) == {"pattern", "mode", "note"}


SMALL = {
    "agents": (["agents"], {"agents"}),
    "reservations": (["reservations"], {"reservations"}),
    "release": (["release"], {"released"}),
    "questions": (["questions"], {"letters", "unread"}),
    "search": (["search", "nothing"], {"letters"}),
    "status": (["status"], {"office", "agents", "settings"}),
    "log": (["audit", "log"], {"events"}),
    "undelivered": (["undelivered"], {"failures"}),
    "flow": (["flow"], {"quarter", "day", "held"}),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_other_forms(office_desk: OfficeDesk, name: str) -> None:
    words, keys = SMALL[name]
    assert set(office_desk.tell("", *words, "--agent", "ada")) == keys


def test_the_situation(office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_AGENT", "ada")
    from commands.terminal import quick

    (found,) = quick("waypost", "--json").objects
    assert set(found) == {"project", "agents", "waiting", "reservations", "agent", "next"}
