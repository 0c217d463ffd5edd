"""Mailboxes: names that stay, tokens, projects apart, and whose letters one takes."""

from functools import partial

import pytest

from office_scene import Scene, caller, refusal
from waypost.office.callers import Caller


def test_a_name_is_kept_and_registering_again_changes_nothing(scene: Scene) -> None:
    again = scene.office.register(caller("claude"))
    assert (again.is_new, again.token) == (False, None)
    before = scene.office.last()
    scene.office.register(caller("claude"))
    assert scene.office.last() == before


def test_what_is_said_of_an_agent_can_change(scene: Scene) -> None:
    scene.office.register(caller("claude"), description="writes tests", model="opus")
    scene.office.register(caller("claude"), description="reviews")
    (claude,) = [one for one in scene.office.agents(caller("codex")) if one.name == "claude"]
    assert claude.about == {"description": "reviews", "model": "opus"}


@pytest.mark.parametrize("name", ["Claude", "CODEX", "people", "Everyone"])
def test_names_that_differ_only_in_case_or_are_kept_are_refused(scene: Scene, name: str) -> None:
    assert refusal(lambda: scene.office.register(caller(name)))["error"] == "conflict"


@pytest.mark.parametrize("name", ["", "../etc", "a b", "x\x1b[31m", "n" * 65, "a..b"])
def test_what_is_no_name_is_refused(scene: Scene, name: str) -> None:
    assert refusal(lambda: scene.office.register(caller(name)))["error"] == "usage"
    assert refusal(lambda: scene.office.register(caller("x", name)))["error"] == "usage"


def test_a_token_says_who_calls(scene: Scene) -> None:
    token = scene.office.register(caller("zed")).token
    assert token is not None
    assert scene.office.authenticate(token, "http") == Caller("zed", "my-app", "http", "proven")


def test_a_rotated_token_is_worth_nothing(scene: Scene) -> None:
    old = scene.office.register(caller("zed")).token or ""
    new = scene.office.rotate_token(caller("zed")).token or ""
    assert refusal(lambda: scene.office.authenticate(old, "http"))["error"] == "not_authorized"
    assert scene.office.authenticate(new, "http").agent == "zed"


def test_a_revoked_token_is_worth_nothing(scene: Scene) -> None:
    token = scene.office.register(caller("zed")).token or ""
    scene.office.revoke_token(caller("dana"), "zed")
    for worthless in (token, "", "wp_x", "\udc80"):
        error = refusal(partial(scene.office.authenticate, worthless, "http"))
        assert error["error"] == "not_authorized"


def test_a_token_is_stored_nowhere(scene: Scene) -> None:
    token = scene.office.register(caller("zed")).token or ""
    scene.office.rotate_token(caller("zed"))
    scene.office.close()
    files = [file.read_bytes() for file in scene.home.iterdir()]
    assert not any(token.encode() in data for data in files)


def test_with_a_token_one_changes_only_ones_own_mailbox(scene: Scene) -> None:
    codex = caller("codex")._replace(proof="proven", door="http")
    error = refusal(lambda: scene.office.revoke_token(codex, "claude"))
    assert error["error"] == "not_authorized"


def test_projects_keep_their_mail_apart(scene: Scene) -> None:
    scene.office.register(caller("zed", "other"))
    assert refusal(lambda: scene.send(to="zed"))["error"] == "unknown_recipient"
    receipt = scene.send(text="secret plan")
    zed = caller("zed", "other")
    assert refusal(lambda: scene.office.read(zed, receipt.id))["error"] == "not_found"
    assert scene.office.search(zed, "plan").letters == ()
    assert [one.name for one in scene.office.agents(zed)] == ["people", "zed"]


def test_a_project_that_differs_only_in_case_is_refused(scene: Scene) -> None:
    error = refusal(lambda: scene.office.register(caller("zed", "My-App")))
    assert (error["error"], "my-app" in error["details"]) == ("conflict", True)


def test_who_has_no_mailbox_is_told_whose_name_is_near(scene: Scene) -> None:
    error = refusal(lambda: scene.inbox("claud"))
    assert (error["error"], error["hint"]) == ("not_found", 'did you mean "claude"?')
    error = refusal(lambda: scene.office.inbox(caller("claude", "my-ap")))
    assert error["hint"] == 'did you mean "my-app"?'


def test_an_agent_takes_letters_only_from_whom_it_allows(scene: Scene) -> None:
    scene.office.set_rules(caller("codex"), allow=["gemini"])
    assert refusal(lambda: scene.send("claude"))["error"] == "not_authorized"
    scene.send("gemini")
    scene.office.set_rules(caller("codex"), deny=["gemini"])
    scene.send("claude")
    assert refusal(lambda: scene.send("gemini"))["error"] == "not_authorized"


def test_one_recipient_who_refuses_stops_a_broadcast(scene: Scene) -> None:
    scene.office.set_rules(caller("gemini"), deny=["claude"])
    assert refusal(lambda: scene.send(to="*"))["error"] == "not_authorized"
    assert scene.inbox("codex") == []


def test_the_home_is_for_its_owner_only(scene: Scene) -> None:
    assert scene.home.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in scene.home.iterdir()} == {0o600}
