"""Addresses that are more than a name: another project, a key, and who can answer for a domain."""

import pytest

from office_scene import PROJECT, Scene, caller, refusal
from waypost.office.callers import Caller

KEY = "ed25519." + "ab" * 16


@pytest.fixture
def two(scene: Scene) -> Scene:
    """A second project, of which claude is a member, too."""
    for name in ("claude", "otto"):
        scene.office.register(caller(name, "shop"))
    return scene


def test_a_member_of_both_writes_into_the_other_project(two: Scene) -> None:
    sent = two.send("claude", "otto@shop", text="Hello")
    assert (sent.to, sent.project, sent.to_json()["project"]) == (("otto",), "shop", "shop")
    (header,) = two.office.inbox(caller("otto", "shop")).letters
    assert header.sender == "claude"
    two.office.reply(caller("otto", "shop"), sent.id, text="Hello yourself")
    assert two.office.inbox(caller("claude", "shop")).unread == 1
    assert two.office.inbox(caller("claude")).unread == 0


def test_ones_own_project_can_be_named(two: Scene) -> None:
    sent = two.send("claude", f"codex@{PROJECT}", text="Hello")
    assert (sent.to, sent.project) == (("codex",), None)


def test_who_is_not_in_a_project_does_not_learn_of_it(two: Scene) -> None:
    refused = refusal(lambda: two.send("codex", "otto@shop"))
    unknown = refusal(lambda: two.send("codex", "otto@shoes"))
    assert refused["error"] == unknown["error"] == "unknown_recipient"
    assert refused["hint"] == unknown["hint"]


def test_a_bare_name_stays_in_its_project(two: Scene) -> None:
    refused = refusal(lambda: two.send("claude", "otto"))
    assert refused["hint"] == 'did you mean "otto@shop"?'
    assert refusal(lambda: two.send("codex", "otto"))["error"] == "unknown_recipient"


def test_a_letter_belongs_to_one_project(two: Scene) -> None:
    refused = refusal(lambda: two.send("claude", ["codex", "otto@shop"]))
    assert refused["error"] == "usage"


def test_a_token_speaks_in_one_project_alone(two: Scene) -> None:
    proven = Caller("claude", PROJECT, "http", "proven")
    refused = refusal(lambda: two.office.send(proven, "otto@shop", text="Hello"))
    assert (refused["error"], "token" in refused["details"]) == ("not_authorized", True)


def test_the_same_key_in_both_projects_is_the_same_agent(two: Scene) -> None:
    for project in (PROJECT, "shop"):
        two.office.register(caller("claude", project), key_id=KEY)
    proven = Caller("claude", PROJECT, "http", "proven")
    two.office.send(proven, "otto@shop", text="Hello")
    (header,) = two.office.inbox(caller("otto", "shop")).letters
    assert header.proof == "proven"


def test_the_same_letter_twice_is_one_across_projects(two: Scene) -> None:
    first = two.send("claude", "otto@shop", text="Hello", message_id="hello-1")
    again = two.send("claude", "otto@shop", text="Hello", message_id="hello-1")
    assert (again.is_repeat, again.id) == (True, first.id)


def test_a_key_is_an_address(scene: Scene) -> None:
    scene.office.register(caller("ada"), key_id=KEY, carrier="key")
    for address in (KEY, KEY.removeprefix("ed25519.")):
        assert scene.send("claude", address, text=f"Hello {address}").to == ("ada",)
    assert refusal(lambda: scene.send("claude", "ed25519." + "cd" * 16))["error"] == (
        "unknown_recipient"
    )


def test_who_can_answer_for_a_domain_is_listed_the_closest_first(scene: Scene) -> None:
    scene.office.register(caller("codex"), domains=["family.calendar"])
    scene.office.register(caller("gemini"), domains=["family.*", "work"])
    found = scene.office.agents(caller("claude"), domain="family.calendar.swim")
    assert [one.name for one in found] == ["codex", "gemini"]
    assert scene.office.agents(caller("claude"), domain="garden") == ()
    assert refusal(lambda: scene.office.register(caller("codex"), domains=["a b"]))["hint"]
