"""A person steps in while the office runs: carriers act at once on what was decided elsewhere."""

import json
from typing import Any

import httpx2

from faces.clients import story
from office_town import PROJECT, Town, caller, said
from waypost.agent import Agent
from waypost.office import carrying, consigning

HOUR = 3_600_000


def peopled(town: Town) -> None:
    """Claude at its tools, codex in a folder, and dana, who decides."""
    town.add("claude")
    town.add("codex", "folder")
    town.office.register(caller("dana"), kind="person", with_token=False)


def does(town: Town, *words: str) -> dict[str, Any]:
    """What a command of dana's gives."""
    told = town.say("waypost", *words, "--project", PROJECT, "--agent", "dana", "--json")
    assert told.code == 0, told
    found: dict[str, Any] = json.loads(told.out)
    return found


def test_what_would_wait_an_hour_goes_when_a_person_says_so(town: Town) -> None:
    peopled(town)
    sent = town.office.send(caller("claude"), "codex", text="Which port?")
    (pending,) = consigning.pending(town.office.desk, letters=[sent.position])
    later = town.office.desk.world.now() + HOUR
    carrying.waits(town.office.desk, pending, "no space left on device", later)
    town.start()
    (failure,) = does(town, "undelivered")["failures"]
    assert (failure["state"], failure["reason"]) == ("waiting", "no space left on device")
    assert does(town, "undelivered", "retry", sent.id[:8])["letters"][0]["recipient"] == "codex"
    assert town.until(lambda: town.files("codex"))


def test_a_held_pair_keeps_folders_empty_until_it_is_released(town: Town) -> None:
    peopled(town)
    town.start()
    does(town, "flow", "hold", "claude", "codex", "--reason", "they go round")
    sent = town.office.send(caller("claude"), "codex", text="Thank you!")
    (held,) = json.loads(town.say("waypost", "held", "--project", PROJECT, "--json").out)["held"]
    assert (held["id"], held["guard"]) == (sent.id, "held pair")
    assert "they go round" in held["reason"]
    assert does(town, "flow")["held"][0]["letters"] == 1
    assert town.files("codex") == []
    does(town, "flow", "release", "codex", "claude")
    assert town.until(lambda: town.files("codex"))


def test_a_redirected_letter_leaves_the_folder_and_appears_in_the_other(town: Town) -> None:
    peopled(town)
    town.add("gemini", "folder")
    town.start()
    sent = town.office.send(caller("claude"), "codex", text="Which port?")
    town.until(lambda: town.files("codex"))
    does(town, "undelivered", "redirect", sent.id, "--to", "gemini", "--reason", "codex is away")
    (file,) = town.until(lambda: town.files("gemini"))
    town.until(lambda: not town.files("codex"))
    thread = said(file.read_text(), "conversation_id")
    town.drop("gemini", "claude", parent_message_id=sent.id, conversation_id=thread, body="8080")
    assert town.letter("claude", "8080").header.sender == "gemini"
    states = town.states("claude", sent.id)
    assert (states["codex"], states["gemini"]) == ("withdrawn", "done")


@story
async def test_a_peer_is_pinged_by_the_running_server_and_revoked(town: Town) -> None:
    town.add("claude", live=True)
    registered = town.office.register(caller("dana"), kind="person")
    proof = {"Authorization": f"Bearer {registered.token}"}
    town.start()
    async with (
        town.peer(Agent("ada")) as me,
        httpx2.AsyncClient(base_url=town.where["url"], headers=proof, timeout=30) as http,
    ):
        town.befriend(me, "claude")
        about = {"agent": "claude", "peer": "ada"}
        told = (await http.post("/api/peers/ping", json=about)).json()
        assert told["state"] == "idle"
        assert told["round_trip_ms"] > 0
        (ours,) = (await http.get("/api/peers")).json()["agents"]
        (peer,) = ours["peers"]
        assert (ours["online"], peer["linked"], "since" in peer) == (True, True, True)
        assert (await http.post("/api/peers/revoke", json=about)).json()["peer"] == "ada"
        gone = await http.post("/api/peers/ping", json=about)
        assert (gone.status_code, gone.json()["error"]) == (404, "not_found")
        assert (await http.post("/api/peers/ping", json={"agent": 1})).status_code == 400


def test_what_peers_says_on_the_command_line_stands_in_the_journal(town: Town) -> None:
    town.add("claude", live=True)
    friend = town.say("waypost", "peers", "token", "--as", "family", "--home", f"{town.root}/far")
    for words in (("add", friend.out.strip(), "--name", "family"), ("remove", "family")):
        assert town.say("waypost", "peers", *words, "--as", "claude").code == 0
    town.office.register(caller("dana"), kind="person", with_token=False)
    kinds = [one.kind for one in town.office.log(caller("dana"), actor="claude")]
    assert kinds[:2] == ["peer.revoked", "peer.enrolled"]
