"""A dashboard under measurement: its server as a process of its own, and somebody logged in."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from waypost.faces.web.passes import Passes
from waypost.office.callers import Caller


class Served(NamedTuple):
    """A running server, and what its process uses."""

    url: str
    home: Path
    pid: int

    @contextmanager
    def visit(self, who: Caller) -> Iterator[httpx.Client]:
        """A browser without scripts that followed its link."""
        with httpx.Client(base_url=self.url, timeout=60) as client:
            client.get(self.way_in(who))
            yield client

    def way_in(self, who: Caller) -> str:
        """The path that lets somebody in, once."""
        return "/enter/" + Passes(str(self.home)).link(who.agent, who.project)

    def processor_seconds(self) -> float:
        """Of all threads together, since it began."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        (line,) = (line for line in lines if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024


@contextmanager
def served(home: Path) -> Iterator[Served]:
    """The office of a home, with its HTTP doors."""
    words = ["waypost", "serve", "--home", str(home), "--json", "--http", "127.0.0.1:0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, env=os.environ)
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        yield Served(url, home, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
