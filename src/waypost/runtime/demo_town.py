"""A small town on a temporary home: real programs, real files, real keys, for the demo."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from waypost.carriers.keyring import Identity, Peers, identity, read_token, token_of
from waypost.errors import WaypostError
from waypost.office import open_office
from waypost.office.callers import Caller

PROJECT = "demo"
_PATIENCE_SECONDS = 30.0  # for a machine that has much else to do
_ANSWER = "echo 'Port 8443, with TLS.'"


class DemoError(WaypostError):
    """The demo is not as it should be; the sentence says what isn't."""


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


class Town:
    """An office with codex in a folder, claude at its tools, and ada, who lives elsewhere."""

    def __init__(self, root: Path) -> None:
        self.root, self.home, self.folders = root, root / "office", root / "oacp"
        self.url, self.token = "", ""
        self.office = open_office(self.home)
        self._quic = "127.0.0.1:0"
        self._served: asyncio.subprocess.Process | None = None
        self._programs: list[asyncio.subprocess.Process] = []

    # -- programs ------------------------------------------------------------------------------

    async def run(self, *words: str, **more: str) -> Ran:
        """Run a command as a program of its own."""
        process = await self._begin(words, asyncio.subprocess.PIPE, more)
        try:
            out, err = await asyncio.wait_for(process.communicate(), _PATIENCE_SECONDS)
        except TimeoutError:
            raise DemoError(f"this did not end: {' '.join(words[:2])}") from None
        return Ran(process.returncode or 0, out.decode(), err.decode())

    async def _begin(
        self, words: tuple[str, ...], err: int, more: dict[str, str]
    ) -> asyncio.subprocess.Process:
        ours = {"WAYPOST_HOME": str(self.home), "OACP_HOME": str(self.folders), "NO_COLOR": "1"}
        code = f"from waypost.commands.{words[0]} import main; raise SystemExit(main())"
        kept = {key: one for key, one in os.environ.items() if not key.startswith("WAYPOST_")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", code, *words[1:]),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=err,
            env={**kept, **ours, **more},
            cwd=self.root,
        )
        self._programs.append(process)
        return process

    async def start(self) -> None:
        """Start the office, at the ports of before."""
        http = self.url.rpartition("/")[2] or "127.0.0.1:0"
        words = ("waypost", "serve", "--json", "--http", http, "--quic", self._quic)
        self._served = await self._begin(words, asyncio.subprocess.DEVNULL, {})
        said = await self._first_line(self._served)
        self.url, self._quic = said["url"], said["quic"]

    async def kill(self) -> None:
        """End the office as a loss of power would."""
        assert self._served is not None
        self._served.kill()
        await self._served.wait()

    async def _first_line(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        assert process.stdout is not None
        try:
            line = await asyncio.wait_for(process.stdout.readline(), _PATIENCE_SECONDS)
            said: dict[str, Any] = json.loads(line)
        except (ValueError, TimeoutError):
            raise DemoError("a program of the demo did not start") from None
        if "error" in said:
            raise DemoError(f"a program of the demo did not start: {said.get('details')}")
        return said

    # -- who lives here ------------------------------------------------------------------------

    async def settle(self) -> None:
        """Give everybody a mailbox and a key, start the office and ada, and introduce them."""
        codex = identity(self.home, "codex")
        ada = identity(self.root / "ada", "ada")
        self.office.register(
            Caller("codex", PROJECT), carrier="folder", key_id=codex.id, with_token=False
        )
        self.office.register(Caller("ada", PROJECT), carrier="key", key_id=ada.id, with_token=False)
        self.token = self.office.register(Caller("claude", PROJECT)).token or ""
        listening, _ = await asyncio.gather(self._listen(), self.start())
        self._introduce(codex, ada, listening)

    async def _listen(self) -> str:
        """Have ada listen, in a process and a home of its own; gives its token."""
        words = ("waypost", "listen", "--as", "ada", "--on", "127.0.0.1:0", "--exec", _ANSWER)
        home = {"WAYPOST_HOME": str(self.root / "ada")}
        ada = await self._begin((*words, "--json"), asyncio.subprocess.DEVNULL, home)
        return str((await self._first_line(ada))["token"])

    def _introduce(self, codex: Identity, ada: Identity, token: str) -> None:
        host, _, port = self._quic.rpartition(":")
        assert read_token(token).id == ada.id
        Peers(self.home, codex).add(token, "ada")
        address = token_of(codex.public_key, host, int(port))
        Peers(self.root / "ada", ada).add(address, "codex")
        Peers(self.root / "stranger", identity(self.root / "stranger", "stranger")).add(
            address, "codex"
        )

    # -- looking -------------------------------------------------------------------------------

    async def until(self, what: str, condition: Callable[[], Any]) -> Any:
        """What a condition gives once it holds. Raises DemoError when it never does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_SECONDS):
                while not (found := condition()):
                    await asyncio.to_thread(self.office.wait, self.office.last(), 0.03)
                return found
        raise DemoError(f"this did not happen: {what}")

    async def file(self, name: str, holding: str) -> Path:
        """The file in a folder that holds a text, once it is there."""
        inbox = self.folders / "projects" / PROJECT / "agents" / name / "inbox"

        def look() -> Path | None:
            files = inbox.glob("*.yaml")
            return next((one for one in files if holding in one.read_text()), None)

        found: Path = await self.until(f"a file with {holding!r} for {name}", look)
        return found

    async def close(self) -> None:
        """End every program, and let go."""
        for process in self._programs:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
        for process in self._programs:
            await process.wait()
        self.office.close()
