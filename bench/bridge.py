"""A running office between the carriers: how long a letter takes, and how many it hands over.

scripts/bench bridge              everything, with a minute under load
python bench/bridge.py --quick    ten seconds of load
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter, sleep

from mcp_server import bare_server, resident
from table import Row, show

from waypost.agent import Agent
from waypost.carriers.folders.watch import Watcher
from waypost.carriers.keyring import Peers, identity, token_of
from waypost.faces.mcp.visiting import visiting
from waypost.office import Office, open_office
from waypost.office.callers import Caller

PROJECT = "bench"
_LETTERS, _SENDERS, _BOXES = 60, 8, 10
_IDLE_SECONDS, _PATIENCE_SECONDS, _LOOK_SECONDS = 10.0, 30.0, 10.0
_FLAT = 5.0  # MiB that a server may grow from its first ten seconds under load to the last
_TICKS = os.sysconf("SC_CLK_TCK")


def caller(name: str) -> Caller:
    return Caller(name, PROJECT)


class Town:
    """A server, and one agent of each kind."""

    def __init__(self, root: Path) -> None:
        self.root, self.home, self.folders = root, root / "home", root / "oacp"
        self.office: Office = open_office(self.home)
        me = identity(self.home, "codex")
        self.office.register(caller("codex"), carrier="folder", key_id=me.id, with_token=False)
        self.token = self.office.register(caller("claude")).token or ""
        for number in range(_BOXES):
            carrier = "folder" if number % 2 else "pickup"
            self.office.register(caller(f"box-{number}"), carrier=carrier, with_token=False)
        words = ["serve", "--http", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--json"]
        code = "from waypost.commands.waypost import main; raise SystemExit(main())"
        ours = {"WAYPOST_HOME": str(self.home), "OACP_HOME": str(self.folders)}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *words], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, **ours, "WAYPOST_LETTERS": "99999999"},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.where = json.loads(self.process.stdout.readline())
        while not self.inbox("claude").is_dir():
            sleep(0.01)

    def inbox(self, name: str) -> Path:
        return self.folders / "projects" / PROJECT / "agents" / name / "inbox"

    def drop(self, sender: str, to: str, **fields: str) -> None:
        """Write a file into an inbox, as any tool would."""
        given = {"from": sender, "to": to, "type": "notification", "priority": "P2",
                 "created_at_utc": "2026-11-19T21:00:00Z", "subject": "News", "body": "News.",
                 **fields}  # fmt: skip
        staged = self.root / given["id"]
        staged.write_text("".join(f"{key}: {json.dumps(one)}\n" for key, one in given.items()))
        staged.rename(self.inbox(to) / f"{given['id']}.yaml")

    def usage(self) -> tuple[float, float]:
        """The server's processor time in seconds, and its memory in MiB."""
        folder = Path(f"/proc/{self.process.pid}")
        times = (folder / "stat").read_text().rpartition(")")[2].split()
        pages = int((folder / "statm").read_text().split()[1])
        return (int(times[11]) + int(times[12])) / _TICKS, pages * os.sysconf("SC_PAGESIZE") / 2**20


def timed(act: Callable[[int], float]) -> float:
    """The median of some letters, in milliseconds."""
    return 1000 * median(act(number) for number in range(_LETTERS))


def folder_to_tool(town: Town, number: int) -> float:
    """From the file to the recipient's waking."""
    me = caller("claude")
    before = town.office.newest_unread(me)
    begun = perf_counter()
    town.drop("codex", "claude", id=f"news-{number}")
    while town.office.newest_unread(me) == before:
        town.office.wait(town.office.last(), 0.05)
    return perf_counter() - begun


async def tool_to_folder(town: Town) -> float:
    """From the tool call to the file."""
    taken = []
    watcher = Watcher()
    watcher.add(str(town.inbox("codex")))
    async with visiting(town.where["url"], town.token) as tool:
        for number in range(_LETTERS):
            begun = perf_counter()
            await tool("send_message", to=["codex"], text=f"Number {number}")
            while len(list(town.inbox("codex").glob("*.yaml"))) <= number:
                await asyncio.to_thread(watcher.wait, 0.05)
            taken.append(perf_counter() - begun)
    watcher.close()
    for file in town.inbox("codex").glob("*.yaml"):
        file.unlink()
    return 1000 * median(taken)


def answer_at_once(town: Town, stop: threading.Event) -> None:
    """What an agent in a folder does that answers as soon as it is asked."""
    watcher, inbox, count = Watcher(), town.inbox("codex"), 0
    watcher.add(str(inbox))
    while not stop.is_set():
        for file in inbox.glob("*.yaml"):
            fields = dict(line.split(": ", 1) for line in file.read_text().splitlines()
                          if ": " in line)  # fmt: skip
            count += 1
            parent = json.loads(fields["id"])
            town.drop("codex", "ada", id=f"answer-{count}", parent_message_id=parent)
            file.unlink()
        watcher.wait(0.2)
    watcher.close()


async def query_to_folder(town: Town) -> float:
    """From a live peer's question to the folder's answer."""
    stop = threading.Event()
    host, port = town.where["quic"].rsplit(":", 1)
    ours, taken = identity(town.home, "codex"), []
    async with Agent("ada").online("127.0.0.1:0", home=town.root / "peer") as me:
        me.peers.add(token_of(ours.public_key, host, int(port)), "codex")
        Peers(town.home, ours).add(me.token, "ada")
        town.office.register(caller("ada"), carrier="key", key_id=me.id, with_token=False)
        while not town.inbox("ada").is_dir():
            await asyncio.sleep(0.01)
        answering = asyncio.create_task(asyncio.to_thread(answer_at_once, town, stop))
        for number in range(_LETTERS):
            begun = perf_counter()
            await me.ask("codex", f"Which port, for the {number}th time?")
            taken.append(perf_counter() - begun)
        stop.set()
        await answering
    return 1000 * median(taken)


def sustained(town: Town, seconds: float) -> tuple[float, list[float]]:
    """Letters a second from eight senders until all are handed over, and the server's memory in
    MiB at each tenth second of it and at the end."""
    end, counts, memory = monotonic() + seconds, [0] * _SENDERS, []

    def send(number: int) -> None:
        while monotonic() < end:
            to = f"box-{(counts[number] + number) % _BOXES}"
            town.office.send(caller("claude"), to, text=f"Letter {counts[number]} of {number}")
            counts[number] += 1

    begun = monotonic()
    threads = [threading.Thread(target=send, args=(number,)) for number in range(_SENDERS)]
    for thread in threads:
        thread.start()
    while (left := end - monotonic()) > 0:
        sleep(min(left, _LOOK_SECONDS))
        memory.append(town.usage()[1])
    for thread in threads:
        thread.join()
    while (behind := pending(town)) and monotonic() < end + _PATIENCE_SECONDS:
        sleep(0.05)
    rate = (sum(counts) - behind) / (monotonic() - begun)
    return rate, [*memory, town.usage()[1]]


def pending(town: Town) -> int:
    """How many letters still have to be handed over."""
    found = re.search(r"^waypost_pending_deliveries (\d+)$", metrics(town), re.MULTILINE)
    return int(found[1]) if found else 0


def metrics(town: Town) -> str:
    from urllib.request import urlopen

    text: str = urlopen(f"{town.where['url']}/metrics").read().decode()
    return text


def main() -> int:
    seconds = 10.0 if "--quick" in sys.argv else 60.0
    with TemporaryDirectory() as root:
        town = Town(Path(root))
        try:
            waking = timed(lambda number: folder_to_tool(town, number))
            visible = asyncio.run(tool_to_folder(town))
            asking = asyncio.run(query_to_folder(town))
            busy, memory = town.usage()
            sleep(_IDLE_SECONDS)
            idle = 100 * (town.usage()[0] - busy) / _IDLE_SECONDS
            with bare_server() as (_, bare):
                sleep(1)
                theirs = resident(bare)
            rate, under_load = sustained(town, seconds)
        finally:
            town.process.kill()
            town.process.communicate()
            town.office.close()
    good = show("A letter's way, in ms (median)", [
        Row("folder to the waking of its reader", waking, target="<= 30", met=waking <= 30),
        Row("MCP call to the file", visible, target="<= 30", met=visible <= 30),
        Row("query to the folder's own answer", asking, target="<= 60", met=asking <= 60),
    ])  # fmt: skip
    good &= show("Under load, and at rest", [
        Row("letters handed over, a second", rate, target=">= 1000", met=rate >= 1000),
        Row("memory after ten seconds of it, MiB", under_load[0]),
        Row("memory grown from there to the end, MiB", under_load[-1] - under_load[0],
            target="<= 5", met=under_load[-1] - under_load[0] <= _FLAT),
        Row("memory at rest, MiB", memory, theirs, target="<= 60 more", met=memory - theirs <= 60),
        Row("a core's percent at rest", idle, target="< 1", met=idle < 1),
    ])  # fmt: skip
    print("memory at each tenth second, MiB:", *(round(one, 1) for one in under_load))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
