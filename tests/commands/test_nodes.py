"""Nodes of one office: each carries for who lives there, and another when it is gone."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from commands.desk import leave_home
from commands.terminal import PATIENCE, Said, command, environment, quick, say
from stream_servers import Servers
from waypost.office import Office, open_office
from waypost.office.callers import Caller

PROJECT = "shop"
_TRIES = 1200  # of a twentieth of a second at most; only what hangs uses them up


class Nodes:
    """An office whose nodes are processes, and one more home that watches it."""

    def __init__(self, root: Path, address: str) -> None:
        self.root, self.address = root, address
        self.office: Office = open_office(root / "watcher", journal=address)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.urls: dict[str, str] = {}
        self.sent = 0

    def start(self, name: str, folders: str | None = None) -> None:
        words = ("serve", "--node", name, "--http", "127.0.0.1:0", "--quic", "127.0.0.1:0")
        self.processes[name] = subprocess.Popen(
            command("waypost", *words, "--home", str(self.root / name), "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(OACP_HOME=str(self.root / (folders or f"{name}-oacp"))),
        )
        out = self.processes[name].stdout
        assert out is not None
        self.urls[name] = json.loads(out.readline())["url"]

    def end(self, name: str, number: int) -> None:
        self.processes[name].send_signal(number)
        self.processes[name].communicate(timeout=PATIENCE)

    def say(self, node: str, *words: str) -> Said:
        """Run a command over a node's home, whether it is served or not."""
        return say("waypost", *words, "--home", str(self.root / node), "--project", PROJECT)

    def add(self, name: str, node: str | None = None, *how: str) -> None:
        """Give somebody a mailbox: in a folder of a node, or fetching anywhere."""
        words = ("agents", "add", name, *(how or (("--folder",) if node else ())))
        assert self.say(node or "watcher", *words).code == 0

    def send(self, text: str, to: str = "codex") -> str:
        sent = self.office.send(Caller("claude", PROJECT), to, text=text, subject=text)
        return sent.id

    def copies(self, text: str, folders: str, name: str = "codex") -> int:
        """How often a text lies in an inbox."""
        inbox = self.root / folders / "projects" / PROJECT / "agents" / name / "inbox"
        return sum(text in one.read_text() for one in inbox.glob("*.yaml"))

    def state(self, letter: str) -> str:
        header = self.office.read(Caller("claude", PROJECT), letter, peek=True).header
        return dict(header.states)["codex"]

    def cluster(self) -> dict[str, Any]:
        return self.office.cluster(Caller("claude", PROJECT)).to_json()

    def node(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = next(one for one in self.cluster()["nodes"] if one["name"] == name)
        return found

    def carrier(self) -> str | None:
        """Who carries for those who live nowhere."""
        carries = [one["name"] for one in self.cluster()["nodes"] if one["carries_rest"]]
        assert len(carries) <= 1
        return carries[0] if carries else None

    def until(self, condition: Callable[[], Any]) -> Any:
        """What a condition gives once it holds."""
        for _ in range(_TRIES):
            if found := condition():
                return found
            self.office.wait(self.office.last(), 0.05)
        raise AssertionError(f"it never came so far: {self.cluster()}")

    def until_there(self, letter: str) -> None:
        self.until(lambda: self.state(letter) == "handed_over")

    def close(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.communicate()
        self.office.close()


@pytest.fixture
def nodes(servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    """A new office, in which claude fetches its mail, and no node yet."""
    leave_home(monkeypatch, tmp_path)
    address = servers.address()
    monkeypatch.setenv("WAYPOST_JOURNAL", address)
    made = Nodes(tmp_path, address)
    made.office.register(Caller("claude", PROJECT), with_token=False)
    yield made
    made.close()


def test_each_node_carries_to_its_own_folders_and_takes_what_is_dropped(nodes: Nodes) -> None:
    nodes.start("east")
    nodes.start("west")
    nodes.add("codex", "east")
    nodes.add("gemini", "west")
    nodes.until_there(nodes.send("for codex"))
    nodes.send("for gemini", "gemini")
    nodes.until(lambda: nodes.copies("for gemini", "west-oacp", "gemini"))
    assert nodes.copies("for codex", "east-oacp") == 1
    assert nodes.copies("for codex", "west-oacp") == 0
    assert nodes.copies("for gemini", "east-oacp", "gemini") == 0
    given = {
        "id": "alien-1", "from": "codex", "to": "gemini", "type": "notification",
        "priority": "P2", "created_at_utc": "2026-11-19T21:00:00Z", "subject": "Over", "body": "x",
    }  # fmt: skip
    inbox = nodes.root / "east-oacp" / "projects" / PROJECT / "agents" / "gemini" / "inbox"
    staged = nodes.root / "staged"
    staged.write_text("".join(f"{key}: {json.dumps(one)}\n" for key, one in given.items()))
    nodes.until(inbox.is_dir)
    os.link(staged, inbox / "alien-1.yaml")
    nodes.until(lambda: nodes.copies("alien-1", "west-oacp", "gemini"))
    nodes.until(lambda: not nodes.copies("alien-1", "east-oacp", "gemini"))


@pytest.mark.parametrize("is_shared", [True, False], ids=["shared folders", "folders apart"])
def test_a_killed_node_is_replaced_after_its_lease(nodes: Nodes, is_shared: bool) -> None:
    folders = ["oacp", "oacp"] if is_shared else ["east-oacp", "west-oacp"]
    nodes.start("east", folders[0])
    nodes.start("west", folders[1])
    nodes.add("codex", "east")
    first = nodes.send("the first")
    nodes.until_there(first)
    nodes.end("east", signal.SIGKILL)
    second = nodes.send("the second")
    nodes.until_there(second)
    assert (nodes.carrier(), nodes.node("east")["is_there"]) == ("west", False)
    assert nodes.cluster()["agents"] == [{"name": "codex", "node": "east", "carried_by": "west"}]
    nodes.start("east", folders[0])
    texts = ["the first", "the second"]
    while len(texts) == 2 or not nodes.copies(texts[-1], folders[0]):  # till east has its own again
        texts.append(f"number <{len(texts)}>")
        nodes.until_there(nodes.send(texts[-1]))
    assert nodes.state(first) == nodes.state(second) == "handed_over"  # nothing counts as removed
    for text in texts:
        assert sum(nodes.copies(text, one) for one in set(folders)) == 1


def test_who_was_stopped_beyond_its_lease_does_not_carry_what_others_did(nodes: Nodes) -> None:
    nodes.start("east")
    nodes.start("west")
    nodes.add("codex", "east")
    nodes.until_there(nodes.send("before"))
    nodes.processes["east"].send_signal(signal.SIGSTOP)
    meanwhile = nodes.send("meanwhile")
    nodes.until_there(meanwhile)
    nodes.processes["east"].send_signal(signal.SIGCONT)
    nodes.until(lambda: nodes.node("east")["is_there"])
    after = nodes.send("after")
    nodes.until_there(after)
    assert (nodes.carrier(), nodes.copies("meanwhile", "west-oacp")) == ("west", 1)
    assert nodes.copies("meanwhile", "east-oacp") == 0
    assert sum(nodes.copies("after", one) for one in ("east-oacp", "west-oacp")) == 1


def test_an_orderly_stop_hands_over_at_once(nodes: Nodes) -> None:
    nodes.start("east")
    nodes.until(lambda: nodes.carrier() == "east")
    nodes.start("west")
    nodes.add("codex", "east")
    nodes.end("east", signal.SIGTERM)
    # Gone the moment it has ended, not a lease later.
    assert not nodes.node("east")["is_there"]
    assert nodes.node("east")["age"] < 10
    nodes.until_there(nodes.send("to the other"))
    assert (nodes.carrier(), nodes.copies("to the other", "west-oacp")) == ("west", 1)


def test_an_agent_moves_with_its_name_token_and_mail(nodes: Nodes) -> None:
    nodes.start("east")
    nodes.start("west")
    nodes.add("codex", "east")
    said = nodes.say("east", "agents", "token", "codex", "--json")
    proof = {"Authorization": f"Bearer {said.objects[0]['token']}"}
    nodes.until_there(nodes.send("at home"))
    missed = nodes.say("west", "agents", "move", "codex", "--to", "wset", "--json")
    assert (missed.code, "west" in missed.objects[0]["hint"]) == (3, True)
    assert nodes.say("west", "agents", "move", "codex", "--to", "west").code == 0
    nodes.until_there(nodes.send("away"))
    assert (nodes.copies("away", "west-oacp"), nodes.copies("away", "east-oacp")) == (1, 0)
    for url in nodes.urls.values():

        def subjects(url: str = url) -> list[str]:
            found = httpx2.post(f"{url}/api/call/inbox", json={}, headers=proof).json()
            return sorted(one["subject"] for one in found["letters"])

        nodes.until(lambda: subjects() == ["at home", "away"])


def test_the_cluster_is_shown_by_any_node_and_in_any_home(nodes: Nodes) -> None:
    nodes.start("east")
    nodes.start("west")
    nodes.add("codex", "east", "--mcp", "--live")
    nodes.until(lambda: nodes.node("east")["online"] == ["codex"])
    said = nodes.say("east", "agents", "token", "codex", "--json").objects[0]["token"]
    over = {"WAYPOST_URL": nodes.urls["west"], "WAYPOST_TOKEN": said}
    nodes.until(lambda: say("waypost", "status", "--cluster", **over).code == 0)
    told = say("waypost", "status", "--cluster", "--json", **over).objects[0]
    assert [one["name"] for one in told["nodes"]] == ["east", "west"]
    assert [one["is_there"] for one in told["nodes"]] == [True, True]
    assert [one["leads"] for one in told["servers"]] == [True]
    assert told["agents"] == [{"name": "codex", "node": "east", "carried_by": "east"}]
    shown = nodes.say("watcher", "status", "--cluster").out
    assert "codex            lives at east" in shown
    assert "online: codex" in shown
    page = httpx2.get(
        f"{nodes.urls['west']}/api/cluster", headers={"Authorization": f"Bearer {said}"}
    )
    assert page.json()["node"] == "west"


def test_a_name_belongs_to_one_node_at_a_time(nodes: Nodes, tmp_path: Path) -> None:
    nodes.start("east")
    words = ("serve", "--node", "east", "--home", str(tmp_path / "other"), "--http", "127.0.0.1:0")
    said = quick("waypost", *words, "--json")
    assert (said.code, said.objects[0]["error"]) == (1, "conflict")
    odd = quick("waypost", *words[:2], "no name", *words[3:], "--json")
    assert (odd.code, odd.objects[0]["error"]) == (2, "usage")
