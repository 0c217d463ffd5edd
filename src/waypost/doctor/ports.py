"""Are the addresses of the server free, or does our own server answer there?"""

import socket
from collections.abc import Iterator
from contextlib import suppress

from waypost.doctor.finding import Finding
from waypost.errors import words_of

_PATIENCE_SECONDS = 2.0


class Door:
    """An address where the server listens: TCP for HTTP, UDP for QUIC."""

    def __init__(self, setting: str, host: str, port: int, *, is_udp: bool) -> None:
        self.setting, self.host, self.port, self.is_udp = setting, host, port, is_udp

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}/{'udp' if self.is_udp else 'tcp'}"


def check_free(doors: list[Door]) -> Iterator[Finding]:
    """Where no server of ours runs: could one listen?"""
    for door in doors:
        try:
            _bind(door)
        except OSError as error:
            hint = f"another program is there: stop it, or set {door.setting} to another address"
            yield Finding("ports", str(door), words_of(error), hint)


def check_answered(door: Door, process: object) -> Iterator[Finding]:
    """Where a server of ours runs: does it take calls?"""
    try:
        socket.create_connection((door.host, door.port), _PATIENCE_SECONDS).close()
    except OSError as error:
        what = f"process {process} serves, but takes no calls: {words_of(error)}"
        yield Finding("ports", str(door), what, "look into its log, or start it anew")


def _bind(door: Door) -> None:
    family = socket.AF_INET6 if ":" in door.host else socket.AF_INET
    kind = socket.SOCK_DGRAM if door.is_udp else socket.SOCK_STREAM
    with socket.socket(family, kind) as tried:
        if not door.is_udp:
            with suppress(OSError):
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tried.bind((door.host, door.port))
