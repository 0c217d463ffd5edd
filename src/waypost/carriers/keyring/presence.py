"""Where an agent listens, decided once so that its token stays good, and whether it does so now.

`NAME.address.json` remembers the address. Whoever listens holds a shared lock on `NAME.listening`,
which the system lets go when its process ends, however it ends.
"""

import fcntl
import json
import os
import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from waypost.carriers.keyring import files
from waypost.carriers.keyring.keys import local_names
from waypost.carriers.keyring.tokens import DEFAULT_PORT
from waypost.errors import UsageError, quoted

_MOST_BYTES = 4096


class Address(NamedTuple):
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def for_others(self) -> "Address":
        """The address that a peer can dial: one of this machine in the place of "any"."""
        try:
            is_any = ip_address(self.host).is_unspecified
        except ValueError:
            is_any = False
        return Address(_own_host(), self.port) if is_any else self


class Presence:
    """One local agent's address."""

    def __init__(self, home: Path, name: str) -> None:
        self._home, self._name = home, name
        self._folder = home / "keys"
        self._lock: int | None = None

    def address(self) -> Address | None:
        """Where it listens, or listened last; None when that was never decided."""
        return _read(self._folder / f"{self._name}.address.json")

    def decide(self) -> Address:
        """Where it listens; if nobody said, here, at the first port no other agent here has."""
        if (known := self.address()) is not None:
            return known
        others = {Presence(self._home, other).address() for other in local_names(self._home)}
        taken = {other.port for other in others if other is not None}
        port = next(port for port in range(DEFAULT_PORT, 65536) if port not in taken)
        return self.remember(Address("127.0.0.1", port))

    def remember(self, address: Address) -> Address:
        """Note an address for the next time."""
        if address != self.address():
            data = json.dumps({"host": address.host, "port": address.port}).encode()
            files.replace(files.folder_of(self._home) / f"{self._name}.address.json", data)
        return address

    def begin(self, address: tuple[str, int]) -> None:
        """Say that this process listens, until `end`."""
        self.remember(Address(*address))
        self._lock = self._open()
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def end(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_listening(self) -> bool:
        """Whether some process listens as this agent."""
        try:
            lock = self._open(create=False)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(lock)
        return False

    def _open(self, *, create: bool = True) -> int:
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        return os.open(self._folder / f"{self._name}.listening", flags, files.FILE_MODE)


def host_and_port(text: str) -> Address:
    """Read HOST:PORT. Raises UsageError."""
    host, colon, port = text.rpartition(":")
    is_number = port.isascii() and port.isdecimal()
    if not colon or not host or not is_number or int(port) > 65535:
        raise UsageError(
            f"{quoted(text)} is no address", hint="write HOST:PORT, like 127.0.0.1:7100"
        )
    return Address(host.strip("[]"), int(port))


def _read(path: Path) -> Address | None:
    try:
        with path.open("rb") as file:
            said = json.loads(file.read(_MOST_BYTES))
        return host_and_port(f"{said['host']}:{said['port']}")
    except (OSError, ValueError, LookupError, TypeError, UsageError):
        return None


def _own_host() -> str:
    """An address of this machine that others may reach; sends nothing."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # reserved for examples
        return str(probe.getsockname()[0])
    return socket.gethostname()
