"""A mailbox with a dialect, letters into another project, and who can answer for a domain."""

import pytest

from commands.office_desk import OfficeDesk
from commands.office_desk import office_desk as desk  # noqa: F401 - a fixture
from commands.terminal import quick


@pytest.fixture
def office(desk: OfficeDesk) -> OfficeDesk:  # noqa: F811
    """Codex reads Agent Mail, and knows calendars."""
    words = ("--mcp", "--dialect", "agentmail", "--domain", "family.calendar,work")
    desk.tell("claude", "agents", "add", "codex", *words)
    return desk


def test_a_letter_is_shown_in_the_readers_dialect_with_what_is_lost(office: OfficeDesk) -> None:
    sent = office.send("--type", "question", "--priority", "urgent")
    (header,) = office.letters()
    assert (header["id"], header["type"]) == (sent["id"], "coordination_request")
    shown = office.say("codex", "read", sent["id"])
    assert '"coordination_topic":"Hello' in shown.out
    assert "written as a question (oacp), which --raw prints\nlost: priority: " in shown.err


def test_raw_prints_what_was_written(office: OfficeDesk) -> None:
    sent = office.send("--type", "question")
    assert "type: question\n" in office.say("codex", "read", sent["id"], "--raw").out


def test_an_unknown_dialect_is_a_slip(office: OfficeDesk) -> None:
    code, _ = office.fail("claude", "agents", "add", "codex", "--dialect", "acp")
    assert code == 2


def test_a_letter_goes_into_another_project(office: OfficeDesk) -> None:
    for name in ("claude", "otto"):
        quick("waypost", "agents", "add", name, "--project", "shop", "--agent", name)
    said = office.say("claude", "send", "otto@shop", "-b", "Hello", "--project", "my-app")
    assert said.out.endswith(" to otto in shop\n")
    code, error = office.fail("claude", "send", "otto", "-b", "Hello", "--project", "my-app")
    assert (code, error["hint"]) == (3, 'did you mean "otto@shop"?')


def test_who_knows_the_members(office: OfficeDesk) -> None:
    (found,) = quick("waypost", "who", "family.calendar.swim", "--as", "claude", "--json").objects
    assert found == [
        {"agent": "codex", "project": "my-app", "domains": ["family.calendar", "work"]}
    ]
    said = quick("waypost", "who", "work", "--as", "claude")
    assert (said.code, said.out) == (0, "codex: family.calendar, work  by mail in my-app\n")
    none = quick("waypost", "who", "garden", "--as", "claude", "--json")
    assert none.objects == [[]]
