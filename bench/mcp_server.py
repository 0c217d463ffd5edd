"""The MCP server beside one of the bare SDK with an empty tool, called in turn in one run.

scripts/bench mcp_server       the office on the disk of the current folder
BENCH_HOME=/dev/shm …          the office in memory: what is left without the disk
"""

import asyncio
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from table import Row, show

from waypost.office.callers import Caller
from waypost.office.office import open_office

BARE = str(Path(__file__).with_name("bare_mcp.py"))
WAYPOST = str(Path(sys.executable).with_name("waypost"))
PROJECT = "bench"
_TURNS, _CALLS = 50, 10  # short turns, so that a busy moment of the machine hits all alike
_ROUNDS, _CLIENTS, _EACH, _STARTS = 7, 8, 60, 7
LETTER = {
    "to": ["codex"],
    "text": "The failing test is in tests/test_cart.py; look at the rounding.",
}


class Subject(NamedTuple):
    """A tool of a server, at one door."""

    tool: str
    arguments: dict[str, Any]


EMPTY, SEND, INBOX = (
    Subject("empty", {}),
    Subject("send_message", LETTER),
    Subject("fetch_inbox", {}),
)


def ours(home: str, agent: str) -> list[str]:
    return [WAYPOST, "mcp", "--agent", agent, "--project", PROJECT, "--home", home]


def bare(_home: str, _agent: str) -> list[str]:
    return [sys.executable, BARE, "stdio"]


def program(words: list[str], pid_file: str) -> StdioServerParameters:
    """A program over streams that leaves its process id in a file."""
    return StdioServerParameters(
        command="/bin/sh", args=["-c", f'echo $$ > {pid_file}; exec "$@"', "sh", *words]
    )


@contextmanager
def bare_server() -> Iterator[tuple[str, int]]:
    """A bare server over HTTP: its address, and its process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, BARE, str(port)], stderr=subprocess.DEVNULL) as process:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid
        process.kill()


@contextmanager
def our_server(home: str) -> Iterator[tuple[str, int]]:
    """Ours over HTTP."""
    words = [WAYPOST, "serve", "--http", "127.0.0.1:0", "--home", home, "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, **pipes) as process:  # type: ignore[call-overload]
        yield json.loads(process.stdout.readline())["url"], process.pid
        process.kill()


def token(home: str, agent: str) -> str:
    with open_office(home) as office:
        found = office.register(Caller(agent, PROJECT)).token
    assert found
    return found


@asynccontextmanager
async def over_http(url: str, proof: str = "") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {proof}"} if proof else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


async def call(client: Client, subject: Subject) -> None:
    result = await client.call_tool(subject.tool, subject.arguments)
    assert not result.is_error, result


async def p50(clients: dict[str, tuple[Client, Subject]], home: str) -> dict[str, float]:
    """Milliseconds a call, one after another, the servers and the bare disk taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in (*clients, "commit")}
    with closing(sqlite3.connect(f"{home}/bare.db", isolation_level=None)) as db:
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                          "CREATE TABLE IF NOT EXISTS letters (letter)"):  # fmt: skip
            db.execute(statement)
        for _ in range(_TURNS):
            for name, (client, subject) in clients.items():
                for _ in range(_CALLS):
                    start = time.perf_counter()
                    await call(client, subject)
                    taken[name].append((time.perf_counter() - start) * 1000)
            for _ in range(_CALLS):
                start = time.perf_counter()
                db.execute("INSERT INTO letters VALUES (?)", (LETTER["text"],))
                taken["commit"].append((time.perf_counter() - start) * 1000)
    return {name: median(times) for name, times in taken.items()}


async def throughput(clients: dict[str, list[tuple[Client, Subject]]]) -> dict[str, float]:
    """Calls a second with all clients of a server at once, the servers taking turns."""
    taken: dict[str, list[float]] = {name: [] for name in clients}

    async def work(client: Client, subject: Subject) -> None:
        for _ in range(_EACH):
            await call(client, subject)

    for _ in range(_ROUNDS):
        for name, members in clients.items():
            start = time.perf_counter()
            await asyncio.gather(*(work(*member) for member in members))
            taken[name].append(len(members) * _EACH / (time.perf_counter() - start))
    return {name: median(rates) for name, rates in taken.items()}


def resident(pid: int) -> float:
    """Memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def http_rows(home: str) -> list[Row]:
    token(home, "codex")
    proofs = [token(home, f"agent-{number}") for number in range(_CLIENTS)]
    with bare_server() as (bare_url, bare_pid), our_server(home) as (our_url, our_pid):
        async with AsyncExitStack() as stack:
            enter = stack.enter_async_context
            bares = [(await enter(over_http(bare_url)), EMPTY) for _ in range(_CLIENTS)]
            letters = [(await enter(over_http(our_url, proof)), SEND) for proof in proofs]
            alone = await p50({"bare": bares[0], "ours": letters[0]}, home)
            many = await throughput({"bare": bares, "ours": letters})
            reading = await p50({"bare": bares[0], "ours": (letters[0][0], INBOX)}, home)
        memory = resident(our_pid), resident(bare_pid)
    return [*rows("HTTP", alone, many, reading), memory_row("HTTP", *memory)]


async def stream_rows(home: str) -> list[Row]:
    token(home, "codex")
    async with AsyncExitStack() as stack:
        both: dict[str, list[tuple[Client, Subject]]] = {"bare": [], "ours": []}
        for name, words, subject in (("bare", bare, EMPTY), ("ours", ours, SEND)):
            for number in range(_CLIENTS):
                pid_file = f"{home}/{name}-{number}.pid"
                asked = program(words(home, f"agent-{number}"), pid_file)
                both[name].append((await stack.enter_async_context(Client(asked)), subject))
        alone = await p50({name: members[0] for name, members in both.items()}, home)
        many = await throughput(both)
        reading = await p50({"bare": both["bare"][0], "ours": (both["ours"][0][0], INBOX)}, home)
        pids = [int(Path(f"{home}/{name}-0.pid").read_text()) for name in ("ours", "bare")]
        memory = [resident(pid) for pid in pids]
    return [*rows("stdio", alone, many, reading), memory_row("stdio", *memory)]


def rows(
    door: str, alone: dict[str, float], many: dict[str, float], reading: dict[str, float]
) -> list[Row]:
    ratio, share = alone["ours"] / alone["bare"], many["ours"] / many["bare"]
    return [
        Row(f"{door}: send_message, ms, p50", alone["ours"], alone["bare"], alone["commit"],
            "<= 2.2 x", ratio <= 2.2),
        Row(f"{door}: fetch_inbox, ms, p50", reading["ours"], reading["bare"]),
        Row(f"{door}: sends a second, {_CLIENTS} clients", many["ours"], many["bare"], None,
            ">= 0.45 x", share >= 0.45),
    ]  # fmt: skip


def memory_row(door: str, mine: float, theirs: float) -> Row:
    return Row(f"{door}: memory, MB", mine, theirs, None, "<= 60 more", mine - theirs <= 60)


async def first_answers(home: str) -> list[Row]:
    """Milliseconds from the start of a program to the answer of its first call."""
    token(home, "codex")
    subjects = {"bare": (bare, EMPTY), "inbox": (ours, INBOX), "send": (ours, SEND)}
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(_STARTS):
        for name, (words, subject) in subjects.items():
            start = time.perf_counter()
            async with Client(program(words(home, "claude"), f"{home}/pid")) as client:
                await call(client, subject)
                taken[name].append((time.perf_counter() - start) * 1000)
    ms = {name: median(times) for name, times in taken.items()}
    return [
        Row(f"first call: {SUBJECTS[name]}, ms", ms[name], ms["bare"], None, "<= 1.3 x",
            ms[name] / ms["bare"] <= 1.3)
        for name in ("inbox", "send")
    ]  # fmt: skip


SUBJECTS = {"inbox": "fetch_inbox", "send": "send_message"}


def main() -> int:
    """Print the table; 1 when a target is missed."""
    found: list[Row] = []
    for measure in (http_rows, stream_rows, first_answers):
        with TemporaryDirectory(dir=os.environ.get("BENCH_HOME", os.getcwd())) as folder:
            found += asyncio.run(measure(folder))
    return (
        0
        if show(
            "The MCP server; the peer: the bare SDK's empty tool; the limit: a bare FULL commit",
            found,
        )
        else 1
    )


if __name__ == "__main__":
    sys.exit(main())
