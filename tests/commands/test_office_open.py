"""`waypost open`: a link to the running server, good once, for a person."""

import httpx
import pytest

from commands.office_desk import OfficeDesk, office_desk
from faces.clients import served

__all__ = ["office_desk"]


def test_without_a_server_it_says_how_to_start_one(office_desk: OfficeDesk) -> None:
    code, error = office_desk.fail("", "open", "--as", "ada")
    assert (code, error["hint"]) == (3, "start one: waypost serve")


def test_the_link_lets_a_person_in_once(office_desk: OfficeDesk) -> None:
    with served(office_desk.home) as server:
        made = office_desk.tell("", "open", "--as", "ada")
        assert made["url"].startswith(server.url)
        assert (made["person"], made["project"]) == ("ada", "my-app")
        with httpx.Client(follow_redirects=True) as browser:
            assert browser.get(made["url"]).status_code == 200
            assert "Leave" in browser.get(server.url).text
            assert browser.get(made["url"]).status_code == 403


def test_somebody_new_gets_a_mailbox_and_an_agent_no_link(office_desk: OfficeDesk) -> None:
    with served(office_desk.home):
        office_desk.tell("", "open", "--as", "dana")
        kinds = {one["name"]: one["kind"] for one in office_desk.tell("ada", "agents")["agents"]}
        assert kinds["dana"] == "person"
        assert office_desk.fail("", "open", "--as", "codex")[1]["error"] == "conflict"


@pytest.mark.parametrize("name", ["../etc", "people", "a b"])
def test_a_name_that_cant_be_is_refused(office_desk: OfficeDesk, name: str) -> None:
    with served(office_desk.home):
        office_desk.fail("", "open", "--as", name)
