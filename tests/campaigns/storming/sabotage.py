"""The saboteur of a storm: bad input at every door, for as long as the storm lasts.

Files into inboxes, bytes and requests at the HTTP port, datagrams, strangers and an enrolled peer
at the QUIC port. It looks at nothing that comes back: that nobody else notices is seen elsewhere.
"""

import asyncio
import json
import os
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

from campaigns.storming.plan import MALLORY, SPOILED, Plan
from live.mallory import Mallory
from live.raw import Raw
from waypost.carriers.keyring import identity

_PAUSE_SECONDS = 0.25  # between two acts of one kind
_KEPT_FILES = 12  # bad files that lie in the inboxes at once
_PATIENCE_SECONDS = 3.0
_BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{one}: &{one} [{','.join(['*' + before] * 9)}]\n"
    for before, one in zip("abcdefgh", "bcdefghi", strict=True)
)
_VALUES: tuple[Any, ...] = (
    *(None, True, -1, 2**70, "\ud800", "\0", "x" * 100_000),
    *([], {}, [[["a"]]]),
)
_GOOD_FORM = (
    "id: {id}\nfrom: {sender}\nto: {to}\ntype: {kind}\npriority: P2\n"
    "created_at_utc: 2026-11-19T21:00:00Z\nsubject: {subject}\nbody: {body}\n"
)


class Saboteur:
    """One who spoils; `counts` says how often it did what."""

    def __init__(self, plan: Plan, facts: dict[str, Any]) -> None:
        self.plan, self.facts = plan, facts
        self.chance = Random(f"{plan.seed} saboteur")
        self.counts: Counter[str] = Counter()
        self._agents = Path(facts["folders_home"], "projects", "shop", "agents")
        self._files: list[Path] = []
        where = urlsplit(facts["url"])
        self._http = (str(where.hostname), int(where.port or 0))
        host, _, port = facts["quic"].rpartition(":")
        self._quic = (host, int(port))
        self._me = identity(plan.root / "mallory", MALLORY)
        self._stranger = identity(plan.root / "mallory", "stranger")

    async def run(self) -> None:
        """Do everything over and over until the storm is over."""
        doors = (self.spoil_folders, self.spoil_http, self.shower, self.dial, self.be_unruly)
        async with asyncio.TaskGroup() as group:
            for door in doors:
                group.create_task(self._keep_on(door))
        for file in self._files:
            self._remove(file)

    async def _keep_on(self, act: Callable[[], Awaitable[None]]) -> None:
        while not (self.plan.is_over or (self.plan.root / "calm").exists()):
            with suppress(OSError, TimeoutError, EOFError, ConnectionError, AssertionError):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await act()
            self.counts[act.__name__] += 1
            await asyncio.sleep(_PAUSE_SECONDS)

    # -- folders -------------------------------------------------------------------------------

    async def spoil_folders(self) -> None:
        """Put something into somebody's inbox that is no letter, or a strange one."""
        name = self.chance.choice(self.plan.everybody)
        path = self._agents / name / "inbox" / f"{SPOILED}{self.counts['spoil_folders']}.yaml"
        if not path.parent.is_dir():
            return
        getattr(self, self.chance.choice(_FILES))(path)
        self._files.append(path)
        while len(self._files) > _KEPT_FILES:
            self._remove(self._files.pop(0))

    def _remove(self, path: Path) -> None:
        with suppress(OSError):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    def broken(self, path: Path) -> None:
        path.write_bytes(self.chance.choice((b"a: [\n", b"\xff\xfe\0", b"{", b"- - -\n\t: x", b"")))

    def bomb(self, path: Path) -> None:
        path.write_text(_BOMB + self._letter(body="*i"))

    def huge(self, path: Path) -> None:
        path.write_bytes(b"body: " + b"x" * (2 << 20))

    def folder(self, path: Path) -> None:
        path.mkdir()

    def pipe(self, path: Path) -> None:
        os.mkfifo(path)

    def link_out(self, path: Path) -> None:
        path.symlink_to(self.chance.choice(("/etc/passwd", "/nowhere", "/dev/zero", path.name)))

    def shut(self, path: Path) -> None:
        path.write_text(self._letter())
        path.chmod(0)

    def evil_name(self, path: Path) -> None:
        path.write_text(self._letter(sender=self.chance.choice(
            ("../../evil", "''", "postmaster", "people", "[a, b]", "'\\e[31m'", "TOOL-1"))
        ))  # fmt: skip

    def strange(self, path: Path) -> None:
        path.write_text(self._letter(kind=self.chance.choice(("gossip", "[]", "'a\\nb'", "~"))))

    def half(self, path: Path) -> None:
        """A file that is written in two goes, as by a careless program."""
        text = self._letter()
        with path.open("w") as file:
            file.write(text[: len(text) // 2])
            file.flush()
            file.write(text[len(text) // 2 :])

    def _letter(self, **fields: str) -> str:
        number = self.counts["spoil_folders"]
        given = {"id": f"bad-{number}", "sender": "vandal", "to": "tool-1", "kind": "notification",
                 "subject": "Bad", "body": "bad", **fields}  # fmt: skip
        return _GOOD_FORM.format(**given)

    # -- HTTP ----------------------------------------------------------------------------------

    async def spoil_http(self) -> None:
        """Write something to the HTTP port; half of the time, don't wait for what it says."""
        data = self.chance.choice(self._requests())()
        reader, writer = await asyncio.open_connection(*self._http)
        try:
            writer.write(data)
            await writer.drain()
            if self.chance.random() < 0.5:
                await reader.read(1000)
        finally:
            writer.transport.abort()

    def _requests(self) -> list[Callable[[], bytes]]:
        token = self.facts["tokens"]["mallory-tools"]
        good, bad = f"Bearer {token}", "Bearer wrong"
        deep = b"[" * 50_000
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        return [
            lambda: os.urandom(2000),
            lambda: b"GET / HTTP/1.1\r\nHost: " + b"a" * 100_000,
            lambda: b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{",
            lambda: b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\nx",
            lambda: _post("/mcp", b"{}", bad),
            lambda: _post("/mcp", b"{}", f"Bearer {'x' * 5000}"),
            lambda: _post("/mcp", b'{"jsonrpc": "2.0"', good),
            lambda: _post("/mcp", deep, good),
            lambda: _post("/mcp", b'{"a":' * 20_000, good),
            lambda: _post("/mcp", b"\xff" * 1000, good),
            lambda: _post("/mcp", b"x" * (13 << 20), good),
            lambda: _post("/mcp", json.dumps([call] * 500).encode(), good),
            lambda: _post("/mcp", json.dumps({**call, "params": self._nonsense()}).encode(), good),
            lambda: _post("/mcp", json.dumps({**call, "params": self._order()}).encode(), good),
            lambda: _post("/api/call/send", json.dumps(self._nonsense()).encode(), good),
            lambda: _post("/api/call/../../etc/passwd", b"{}", good),
            lambda: _post("/api/call/inbox", b'{"limit": 1e999}', good),
            lambda: _post("/login", b"token=%00%ff&" * 1000, bad),
        ]

    def _nonsense(self) -> dict[str, Any]:
        keys = ("to", "text", "type", "content", "message_id", "limit", "id", "name", "arguments")
        return {key: self.chance.choice(_VALUES) for key in keys}

    def _order(self) -> dict[str, Any]:
        """A call of a tool, with arguments that it can't take."""
        tools = ("send_message", "read_message", "fetch_inbox", "reserve_files", "reply_message")
        return {"name": self.chance.choice(tools), "arguments": self._nonsense()}

    # -- QUIC ----------------------------------------------------------------------------------

    async def shower(self) -> None:
        """Datagrams that mean nothing."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.setblocking(False)
            for size in (0, 1, 20, 1199, 1200, 1500, 9000):
                for head in (b"", b"\xc0\0\0\0\x01\x08", b"\xff", b"\x40"):
                    with suppress(BlockingIOError):
                        sender.sendto(head + os.urandom(size), self._quic)

    async def dial(self) -> None:
        """Knock as a stranger, without a certificate, for another name, or in another protocol."""
        ours = self.facts["keys"][self.chance.choice(self.plan.live)]
        raw = self.chance.choice((
            lambda: Raw(self._stranger, ours),
            lambda: Raw(None, ours),
            lambda: Raw(self._me, self._stranger.id),
            lambda: Raw(self._me, ours, "h3"),
        ))()  # fmt: skip
        try:
            await raw.dial(self._quic)
        finally:
            raw.close()

    async def be_unruly(self) -> None:
        """Come in as a peer that is enrolled, and say what nobody should."""
        ours = self.facts["keys"][self.plan.live[0]]
        raw = Raw(self._me, ours)
        try:
            await raw.dial(self._quic)
            mallory = Mallory(raw, self._me.id, ours)
            if self.chance.random() < 0.8:
                await mallory.hello()
            for _ in range(20):
                self._say_badly(mallory)
            await asyncio.sleep(_PAUSE_SECONDS)
        finally:
            raw.close()

    def _say_badly(self, mallory: Mallory) -> None:
        whole = mallory.envelope("query", {"question": "?", "deadline_ms": 100})
        bad = self.chance.choice((
            {**whole, "from": "ed25519." + "0" * 32}, {**whole, "to": "x"}, {**whole, "v": 2},
            {**whole, "kind": "gossip"}, {**whole, "payload": {}}, {**whole, "id": "1"},
            {**whole, "ts": -1}, {**whole, "ref": "nothing"}, [whole], whole,
            mallory.envelope("result", {"status": "completed", "outcome": "?"}, ref=whole["id"]),
            mallory.envelope("cancel", {}, ref=whole["id"]),
            mallory.envelope("delegate", {"task": "\0\u202e", "deadline_ms": 100}),
        ))  # fmt: skip
        data = json.dumps(bad).encode()
        self.chance.choice((
            lambda: mallory.raw.send(data),
            lambda: mallory.raw.send(data, pushes=True),
            lambda: mallory.raw.send(data[: len(data) // 2], ends=False),
            lambda: mallory.raw.send(data * 2),
            lambda: mallory.raw.send(b"x" * 70_000, pushes=True),
            lambda: mallory.raw.send(b"[" * 60_000),
            lambda: mallory.raw.quic.reset_stream(mallory.raw.send(b"{", ends=False), 7),
        ))()  # fmt: skip


_FILES = ("broken", "bomb", "huge", "folder", "pipe", "link_out", "shut", "evil_name", "strange",
          "half")  # fmt: skip


def _post(path: str, body: bytes, proof: str) -> bytes:
    """A request as a client writes it."""
    head = (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {proof}\r\n"
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")  # fmt: skip
    return head.encode() + body


async def spoil(plan: Plan, facts: dict[str, Any]) -> None:
    saboteur = Saboteur(plan, facts)
    await saboteur.run()
    print(json.dumps(saboteur.counts))


if __name__ == "__main__":
    asyncio.run(spoil(*Plan.read(sys.argv[1])))
