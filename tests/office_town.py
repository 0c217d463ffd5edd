"""A town with a running office: agents in folders, agents that fetch, and live peers."""

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from commands.terminal import PATIENCE, Said, command, environment, say
from waypost.agent import Agent
from waypost.agent.online import Online
from waypost.carriers.keyring import Peers, identity, token_of
from waypost.office import open_office
from waypost.office.callers import Caller
from waypost.office.views import Letter

PROJECT = "shop"
_TRIES = 400  # of a twentieth of a second at most; only what hangs uses them up


def caller(name: str) -> Caller:
    return Caller(name, PROJECT, "mcp")


class Town:
    """A home, its folders, and the server over them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.folders, self.log = root / "home", root / "oacp", root / "serve.log"
        self.office = open_office(self.home)
        self.process: subprocess.Popen[bytes] | None = None
        self.where: dict[str, Any] = {}
        self._drops = -1

    # -- the server ----------------------------------------------------------------------------

    def start(self, **more: str) -> None:
        """Start the server, at the ports of before: clients and peers know them."""
        http = str(self.where.get("url", "127.0.0.1:0")).removeprefix("http://")
        quic = str(self.where.get("quic", "127.0.0.1:0"))
        known = environment(WAYPOST_HOME=str(self.home), OACP_HOME=str(self.folders), **more)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command("waypost", "serve", "--http", http, "--quic", quic, "--json"),
                stdout=subprocess.PIPE,
                stderr=log,
                env=known,
            )
        assert self.process.stdout is not None
        self.where = json.loads(self.process.stdout.readline())

    def end(self, number: int = signal.SIGKILL) -> int:
        """End the server; gives its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode

    def say(self, *words: str) -> Said:
        """Run a command over this home."""
        return say(*words, WAYPOST_HOME=str(self.home), OACP_HOME=str(self.folders))

    def metrics(self) -> str:
        """The server's numbers."""
        return httpx2.get(f"{self.where['url']}/metrics").text

    def until(self, condition: Callable[[], Any]) -> Any:
        """What a condition gives once it holds; looked at whenever something happens."""
        for _ in range(_TRIES):
            if found := condition():
                return found
            self.office.wait(self.office.last(), 0.05)
        raise AssertionError("it never came so far")

    # -- agents --------------------------------------------------------------------------------

    def add(self, name: str, carrier: str = "pickup", *, live: bool = False) -> None:
        key = identity(self.home, name).id if live else None
        self.office.register(caller(name), carrier=carrier, key_id=key, with_token=False)

    def inbox(self, name: str) -> Path:
        return self.folders / "projects" / PROJECT / "agents" / name / "inbox"

    def files(self, name: str) -> list[Path]:
        return sorted(self.inbox(name).glob("*.yaml"))

    def file(self, name: str, holding: str = "") -> Path:
        """The file in a folder that holds a text, once it is there."""
        found: Path = self.until(
            lambda: next((one for one in self.files(name) if holding in one.read_text()), None)
        )
        return found

    def drop(self, sender: str, *to: str, **fields: str) -> None:
        """What a tool that knows nothing of us does: it writes a file into each inbox."""
        number = self._drops = self._drops + 1
        given = {
            "id": f"alien-{number}",
            "from": sender,
            "to": to[0] if len(to) == 1 else to,
            "type": "notification",
            "priority": "P2",
            "created_at_utc": "2026-11-19T21:00:00Z",
            "subject": "News",
            "body": "News.",
            **fields,
        }
        staged = self.root / f"drop-{number}"
        staged.write_text("".join(f"{key}: {json.dumps(one)}\n" for key, one in given.items()))
        boxes = [self.inbox(name) for name in to]
        self.until(lambda: all(box.is_dir() for box in boxes))
        for box in boxes:
            os.link(staged, box / f"{given['id']}.yaml")

    def answer(self, file: Path, **fields: str) -> None:
        """What the owner of a folder does with a file: answer it, and remove it."""
        text = file.read_text()
        self.drop(said(text, "to"), said(text, "from"), **{
            "parent_message_id": said(text, "id"),
            "conversation_id": said(text, "conversation_id"),
            **fields,
        })  # fmt: skip
        file.unlink()

    def letter(self, name: str, holding: str = "") -> Letter:
        """The letter in a mailbox that holds a text, once it is there."""
        found: Letter = self.until(lambda: self._letter(name, holding))
        return found

    def _letter(self, name: str, holding: str) -> Letter | None:
        for header in self.office.inbox(caller(name), unread_only=False).letters:
            letter = self.office.read(caller(name), header.id, peek=True)
            if holding in letter.text:
                return letter
        return None

    def states(self, sender: str, letter: str) -> dict[str, str]:
        """How far a letter got, by recipient."""
        return dict(self.office.read(caller(sender), letter, peek=True).header.states)

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.office.close()

    # -- live peers ----------------------------------------------------------------------------

    def peer(self, agent: Agent) -> Online:
        """A live agent with a home of its own, which the town's live agents trust."""
        return agent.online("127.0.0.1:0", home=self.root / "peer")

    def befriend(self, me: Online, *names: str) -> None:
        """Have a peer and our live agents enrol each other."""
        host, port = str(self.where["quic"]).rsplit(":", 1)
        for name in names:
            ours = identity(self.home, name)
            me.peers.add(token_of(ours.public_key, host, int(port)), name)
            Peers(self.home, ours).add(me.token, me.agent.name)

    async def soon(self, act: Callable[..., Any], *given: Any) -> Any:
        """Do something that waits, beside what the loop does."""
        return await asyncio.to_thread(act, *given)


def said(text: str, field: str) -> str:
    """A field of an OACP file."""
    found = re.search(rf"^{field}: (.*)$", text, re.MULTILINE)
    return found[1].strip().strip('"') if found else ""


@contextmanager
def town_in(root: Path) -> Iterator[Town]:
    """A town without a server yet."""
    town = Town(root)
    try:
        yield town
    finally:
        town.close()
