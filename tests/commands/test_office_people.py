"""People and agents: questions, tokens, rules, and the situation."""

import pytest

from commands.office_desk import OfficeDesk, office_desk
from commands.terminal import quick
from waypost.errors import NotAllowedError
from waypost.office import open_office

__all__ = ["office_desk"]


def test_a_person_answers_what_an_agent_asks(office_desk: OfficeDesk) -> None:
    asked = office_desk.send("--type", "question", "-s", "Drop it?", to="people")
    (question,) = office_desk.tell("ada", "questions")["letters"]
    assert question["id"] == asked["id"]
    office_desk.tell("ada", "answer", asked["id"][:8], "Yes.")
    assert office_desk.tell("ada", "questions")["letters"] == []
    assert office_desk.letters("claude")[0]["from"] == "ada"


def test_an_agent_answers_for_no_person(office_desk: OfficeDesk) -> None:
    asked = office_desk.send("--type", "question", to="people")
    assert office_desk.fail("codex", "answer", asked["id"], "Yes.")[0] == 4
    assert office_desk.fail("codex", "questions")[0] == 4


def test_a_token_is_shown_once_and_works_until_it_is_revoked(office_desk: OfficeDesk) -> None:
    token = office_desk.tell("", "agents", "token", "codex", "--agent", "ada")["token"]
    with open_office(office_desk.home) as office:
        assert office.authenticate(token, "http").agent == "codex"
        assert all(token.encode() not in path.read_bytes() for path in office_desk.home.iterdir())
        office_desk.tell("", "agents", "revoke", "codex")
        with pytest.raises(NotAllowedError):
            office.authenticate(token, "http")


def test_rules_say_whose_letters_one_takes(office_desk: OfficeDesk) -> None:
    office_desk.tell("", "agents", "rules", "codex", "--allow", "ada")
    code, error = office_desk.fail("claude", "send", "codex", "-b", "x")
    assert (code, error["error"]) == (4, "not_authorized")
    office_desk.tell("", "agents", "rules", "codex")
    office_desk.send()


def test_an_agent_is_added_with_a_word_about_it(office_desk: OfficeDesk) -> None:
    words = ("agents", "add", "reviewer", "--description", "Reads every change.")
    assert office_desk.tell("", *words)["is_new"] is True
    listed = office_desk.say("claude", "agents").out
    assert "reviewer" in listed
    assert "Reads every change." in listed
    assert office_desk.fail("", "agents", "add", "Reviewer")[1]["error"] == "conflict"


def test_without_words_the_command_tells_the_situation(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    office_desk.send("--type", "task_request", "--priority", "urgent")
    office_desk.tell("claude", "reserve", "src/**")
    monkeypatch.setenv("WAYPOST_AGENT", "codex")
    (found,) = quick("waypost", "--json").objects
    unread = {one["name"]: one.get("unread") for one in found["agents"]}
    assert unread == {"people": None, "claude": None, "codex": {"urgent": 1}, "ada": None}
    assert [(one["from"], one["owing"]) for one in found["waiting"]] == [("claude", ["codex"])]
    assert found["reservations"][0]["holder"] == "claude"
    assert (found["agent"], found["next"]) == ("codex", "waypost inbox")


def test_an_agent_sees_no_letters_between_others(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    office_desk.send("--type", "question", "-s", "between us", to="ada")
    for who, seen in (("codex", False), ("claude", True), ("ada", True)):
        monkeypatch.setenv("WAYPOST_AGENT", who)
        assert ("between us" in quick("waypost").out) is seen


HERE_ONLY = (
    *(["init"], ["import", "oacp"], ["backup", "b"], ["restore", "b"], ["audit", "verify"]),
    *(["audit", "export"], ["audit", "rebuild"], ["audit", "prune", "--days", "1"]),
)


@pytest.mark.parametrize("words", HERE_ONLY, ids=" ".join)
def test_what_belongs_to_a_home_is_refused_elsewhere(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("WAYPOST_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("WAYPOST_TOKEN", "t")
    code, error = office_desk.fail("", *words)
    assert (code, error["error"]) == (4, "not_authorized")
    assert "WAYPOST_URL" in error["hint"]


def test_an_office_that_cannot_be_reached_is_told(
    office_desk: OfficeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("WAYPOST_TOKEN", "t")
    assert office_desk.fail("", "inbox")[0] == 6
    assert quick("waypost", "--json").code == 6
