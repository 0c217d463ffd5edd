"""Who trusts whom, from the command line."""

import os
import stat
import sys

import pytest

from commands.town import Town, town

__all__ = ["town"]


def test_a_key_is_made_on_first_use_and_for_its_owner_only(town: Town) -> None:
    token = town.say("peers", "token").out
    assert token.startswith("waypost://")
    assert town.say("peers", "token").out == token
    assert town.tell("peers", "token")["token"] + "\n" == token
    mode = os.stat(town.home / "keys" / "kit.key").st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_who_only_asks_needs_a_key_already(town: Town) -> None:
    town.tell("peers", "token")
    said = town.say("ask", "family", "?", "--as", "kitt")
    assert (said.code, 'did you mean "kit"?' in said.err) == (3, True)
    assert not (town.home / "keys" / "kitt.key").exists()


def test_the_only_agent_acts_when_none_is_named(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYPOST_AGENT")
    assert town.fail("peers") == (2, "usage")
    town.tell("peers", "token", "--as", "ada")
    assert town.tell("peers", "token")["agent"] == "ada"
    town.tell("peers", "token", "--as", "bob")
    assert "ada, bob" in town.say("peers").err


def test_enrolling_names_a_peer_and_twice_is_harmless(town: Town) -> None:
    token = town.tell("peers", "token", "--as", "family")["token"]
    said = town.say("peers", "add", token, "--name", "fam")
    assert said.out.startswith("kit trusts fam, ed25519.")
    assert town.tell("peers", "token")["token"] in said.err
    assert town.tell("peers", "add", token)["peer"] == "fam"
    assert len(town.tell("peers", "--timeout", "0.1")["peers"]) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["add"],
        ["add", "nonsense"],
        ["remove"],
        ["token", "x"],
        ["--name", "x"],
        ["token", "--as", "../x"],
        ["token", "--as", "x" * 65],
    ],
)
def test_what_makes_no_sense_is_refused(town: Town, words: list[str]) -> None:
    assert town.fail("peers", *words) == (2, "usage")


def test_our_own_token_and_a_taken_name_are_refused(town: Town) -> None:
    one, other = (town.tell("peers", "token", "--as", name)["token"] for name in ("ada", "bob"))
    assert town.fail("peers", "add", town.tell("peers", "token")["token"])[1] == "usage"
    town.tell("peers", "add", one, "--name", "ada")
    assert town.fail("peers", "add", other, "--name", "Ada") == (1, "conflict")


def test_the_list_shows_how_each_peer_is(town: Town) -> None:
    town.family("--exec", "cat")
    nowhere = town.tell("peers", "token", "--as", "away")["token"]
    town.tell("peers", "add", nowhere, "--name", "away")
    town.tell("peers", "add", _without_address(town, "guest"), "--name", "guest")
    listed = {one["peer"]: one for one in town.tell("peers")["peers"]}
    assert {name: one["state"] for name, one in listed.items()} == {
        "away": "away",
        "family": "idle",
        "guest": "dials us",
    }
    assert listed["away"]["error"]["error"] == "unreachable"
    assert listed["family"]["round_trip_ms"] > 0
    assert listed["family"]["last_seen"].endswith("Z")
    assert listed["guest"]["last_seen"] is None
    lines = town.say("peers").out.splitlines()
    assert [line.split()[0] for line in lines] == ["away", "family", "guest"]


def _without_address(town: Town, name: str) -> str:
    token: str = town.tell("peers", "token", "--as", name)["token"]
    return token.partition("@")[0]


def test_a_stranger_is_refused_and_its_knock_is_shown(town: Town) -> None:
    family = town.listen("family")
    town.tell("peers", "add", family.token, "--name", "family")
    assert town.fail("ask", "family", "?") == (4, "not_trusted")
    assert town.tell("peers")["peers"][0]["state"] == "refuses us"
    family.end()
    (knock,) = town.tell("peers", "--as", "family")["knocks"]
    assert knock["id"] == town.tell("peers", "token")["id"]
    assert (knock["host"], knock["times"] >= 2) == ("127.0.0.1", True)
    shown = town.say("peers", "--as", "family").out
    assert f"someone knocked: {knock['id']} from 127.0.0.1" in shown
    town.tell("peers", "add", knock["token"], "--name", "kit", "--as", "family")
    assert town.tell("peers", "--as", "family")["knocks"] == []


def test_revoking_ends_what_was_trusted(town: Town) -> None:
    town.family("--exec", "cat")
    assert town.say("ping", "family").code == 0
    assert town.say("peers", "remove", "kit", "--as", "family").out == "family trusts kit no more\n"
    assert town.fail("ping", "family") == (4, "not_trusted")
    assert town.fail("peers", "remove", "nobody") == (3, "not_found")


def test_nobody_is_trusted_at_first(town: Town) -> None:
    assert town.tell("peers")["peers"] == []
    assert "kit trusts nobody yet" in town.say("peers").err


def test_without_the_extra_the_local_network_is_left_to_the_hint(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    said = town.say("peers", "--lan")
    assert said.code == 2
    assert "pip install 'waypost[lan]'" in said.err
