"""UDP sockets in the event loop: read in batches, written at once, told when nobody is there."""

import asyncio
import errno
import select
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

from waypost.errors import UnreadableError, words_of

Address = tuple[str, int]
Read = Callable[["Socket", bytes, Address], None]
Refused = Callable[[Address], None]

_MOST_BYTES = 65536
_BATCH = 8  # datagrams read before what they mean is told and answered: both ends work at once then
_BUFFER = 1024 * 1024
_ERRORS_TOO = {socket.AF_INET: (socket.IPPROTO_IP, 11), socket.AF_INET6: (socket.IPPROTO_IPV6, 25)}


class Socket:
    """One UDP socket; `read` gets each datagram, `refused` an address where no program listens."""

    def __init__(
        self,
        family: int,
        bound: Address | None,
        read: Read,
        read_all: Callable[[], None],
        refused: Refused,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._read, self._read_all, self._refused = read, read_all, refused
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self.family = family
        self.is_bound = bound is not None
        try:
            self._prepare(family, bound)
        except BaseException:
            self._socket.close()
            raise
        # Some loops are deaf to a socket for ever once an error waits on it, but not to an epoll.
        self._watch = select.epoll() if sys.platform == "linux" else None
        if self._watch is not None:
            self._watch.register(self._socket, select.EPOLLIN)
        self._loop.add_reader(self._watch or self._socket, self._readable)

    def _prepare(self, family: int, bound: Address | None) -> None:
        self._socket.setblocking(False)
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
        if sys.platform == "linux":
            self._socket.setsockopt(*_ERRORS_TOO[socket.AddressFamily(family)], 1)
        if bound is not None:
            self._socket.bind(bound)

    @property
    def address(self) -> Address:
        host, port = self._socket.getsockname()[:2]
        return host, port

    def send(self, data: bytes, to: Address) -> None:
        """Send a datagram; one that the system doesn't take is lost, as on any network."""
        try:
            self._socket.sendto(data, to)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self._read_errors()

    def close(self) -> None:
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._watch or self._socket)
            if self._watch is not None:
                self._watch.close()
            self._socket.close()

    def _readable(self) -> None:
        for _ in range(_BATCH):
            try:
                data, source = self._socket.recvfrom(_MOST_BYTES)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                self._read_errors()
                break
            self._read(self, data, source)
        self._read_all()

    def _read_errors(self) -> None:
        """Find out which addresses the network has said nobody listens at."""
        if sys.platform != "linux":
            return
        for _ in range(_BATCH):
            try:
                _, notes, _, source = self._socket.recvmsg(0, 512, socket.MSG_ERRQUEUE)
            except OSError:
                return
            if any(_errno(data) == errno.ECONNREFUSED for _, _, data in notes):
                self._refused(source)


def _errno(note: bytes) -> int:
    return int.from_bytes(note[:4], sys.byteorder)


class Sockets:
    """The listening socket, if any, and those to dial from where it can't serve."""

    def __init__(self, read: Read, read_all: Callable[[], None], refused: Refused) -> None:
        self._callbacks = read, read_all, refused
        self._listening: Socket | None = None
        self._others: dict[int, Socket] = {}

    @property
    def address(self) -> Address | None:
        return self._listening.address if self._listening is not None else None

    async def listen(self, host: str, port: int) -> None:
        """Bind the address. Raises UnreadableError."""
        try:
            family, address = await _resolve(host, port)
            self._listening = Socket(family, address, *self._callbacks)
        except OSError as error:
            raise UnreadableError(
                f"can't listen at {host}:{port}: {words_of(error)}",
                hint="another agent may listen there; port 0 takes any that is free",
            ) from error

    async def to(self, host: str, port: int) -> tuple[Socket, Address]:
        """Give the socket to dial a host from, and its address. Raises OSError."""
        family, address = await _resolve(host, port)
        mine = self._listening
        if mine is not None and mine.family == family and _reaches(mine.address[0], address[0]):
            return mine, address
        if family not in self._others:
            self._others[family] = Socket(family, None, *self._callbacks)
        return self._others[family], address

    def close(self) -> None:
        for socket_ in (self._listening, *self._others.values()):
            if socket_ is not None:
                socket_.close()


async def _resolve(host: str, port: int) -> tuple[int, Any]:
    """Give the family and the socket address of a host, IPv4 before IPv6. Raises OSError."""
    try:
        family = {4: socket.AF_INET, 6: socket.AF_INET6}[ip_address(host.partition("%")[0]).version]
        if family == socket.AF_INET:
            return family, (host, port)
    except ValueError:
        family = socket.AF_UNSPEC
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, family=family, type=socket.SOCK_DGRAM)
    first = min(found, key=lambda one: one[0] != socket.AF_INET)
    return first[0], first[4]


def _reaches(bound: str, target: str) -> bool:
    """Whether a socket bound to one address can send to another: not from the loopback out."""
    here, there = (ip_address(text.partition("%")[0]) for text in (bound, target))
    return here.is_unspecified or here.is_loopback == there.is_loopback
