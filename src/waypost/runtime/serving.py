"""Where a server listens, who may reach it, and that a home has one at most."""

import fcntl
import json
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import NamedTuple

from waypost.bridge.guards import Limits
from waypost.errors import ConflictError, UnreadableError, UsageError, quoted, words_of
from waypost.runtime.config import Config
from waypost.runtime.lock import LOCK
from waypost.runtime.notify import Notify, notify_of

_WAITING_TO_CONNECT = 512
_LONGEST_NOTE = 2000
_PATIENCE_SECONDS = 2


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return self.host == "localhost"

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Settings(NamedTuple):
    """Where a server listens, which folders it watches, and how much its guards let pass,
    and how people are told who look away.
    """

    http: Address
    quic: Address
    folders: str
    names: tuple[str, ...]
    limits: Limits
    notify: Notify


def settings(
    config: Config, http: str | None = None, quic: str | None = None, *, insecure: bool = False
) -> Settings:
    """The settings of a server, by flag, environment, file and default. Raises UsageError."""
    letters = config.find("serve.letters")
    if not letters.value.isascii() or not letters.value[:9].isdigit():
        raise UsageError(f"{quoted(letters.value)}, from {letters.source}, is no number")
    more = config.look("serve.names")
    return Settings(
        address_of(config.find("serve.http", http).value),
        address_of(config.find("serve.quic", quic).value),
        os.path.expanduser(config.find("folders.home").value),
        tuple(more.value.replace(",", " ").split()) if more else (),
        Limits(pair=int(letters.value[:9])),
        notify_of(config, insecure=insecure),
    )


class Tls(NamedTuple):
    """The files of a certificate and of its key."""

    certificate: str
    key: str


def tls_of(config: Config, certificate: str | None = None, key: str | None = None) -> Tls | None:
    """The certificate of a server, by flag, environment and file. Raises UsageError for half."""
    cert, its_key = config.look("serve.tls_cert", certificate), config.look("serve.tls_key", key)
    if cert is None or its_key is None:
        if cert is not its_key:
            hint = "or serve.tls_cert and serve.tls_key in config.toml"
            raise UsageError("--tls-cert and --tls-key go together", hint=hint)
        return None
    tls = Tls(os.path.expanduser(cert.value), os.path.expanduser(its_key.value))
    check_certificate(tls)
    return tls


def address_of(text: str) -> Address:
    """The address that a text like 127.0.0.1:7117 names. Raises UsageError."""
    host, _, port = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not port.isascii() or not port.isdigit() or int(port[:6]) > 65535:
        raise UsageError(f"{quoted(text)} is no address", hint="like 127.0.0.1:7117, or [::1]:7117")
    return Address(host or "127.0.0.1", int(port))


def check_reach(address: Address, tls: Tls | None, *, insecure: bool) -> None:
    """Raises UsageError when tokens would cross the network where everybody can read them."""
    if tls is None and not insecure and not address.is_loopback:
        raise UsageError(
            f"{address} is open to other machines, and tokens would be readable on the way",
            hint="give --tls-cert and --tls-key, or --insecure behind a proxy that encrypts",
        )


@contextmanager
def alone_at(home: str) -> Iterator[Callable[[str], None]]:
    """Be the only server of a home; gives what notes our address for others to read.

    Raises ConflictError that names the process which serves it.
    """
    descriptor = os.open(os.path.join(home, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _taken(home, file.read()) from None

        def note(url: str) -> None:
            file.seek(0)
            file.truncate()
            json.dump({"pid": os.getpid(), "url": url}, file)
            file.flush()

        note("")
        try:
            yield note
        finally:
            file.truncate(0)


def running(home: str) -> str | None:
    """The address at which the server of a home answers; None when none does."""
    try:
        with open(os.path.join(home, LOCK), encoding="utf-8") as file:
            url = json.loads(file.read(_LONGEST_NOTE))["url"]
        scheme, _, rest = url.partition("://")
        address = address_of(rest)
        for everywhere, here in (("0.0.0.0", "127.0.0.1"), ("::", "::1")):
            if address.host == everywhere:
                address = address._replace(host=here)
        socket.create_connection(address, timeout=_PATIENCE_SECONDS).close()
    except (OSError, ValueError, KeyError, TypeError, UsageError):
        return None
    return f"{scheme}://{address}"


def _taken(home: str, text: str) -> ConflictError:
    found = {}
    with suppress(ValueError):
        found = json.loads(text)
    where = f" at {found['url']}" if found.get("url") else ""
    return ConflictError(
        f"process {found.get('pid', '?')} serves {home} already{where}",
        hint="stop it first, or serve another --home",
    )


def listening(address: Address) -> socket.socket:
    """A socket that listens there. Raises ConflictError, UsageError, UnreadableError."""
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listener = socket.create_server(address, family=family, backlog=_WAITING_TO_CONNECT)
    except socket.gaierror:
        raise UsageError(f"no machine is called {quoted(address.host)}") from None
    except PermissionError as error:
        hint = "ports below 1024 are for the system; take a higher one"
        raise UnreadableError(f"the system refuses {address}", hint=hint) from error
    except OSError as error:
        # What asyncio and socket add tells our address once more, as Python writes it.
        what = os.strerror(error.errno).lower() if error.errno else words_of(error)
        raise ConflictError(f"{address}: {what}", hint="take another port: --http") from error
    # Every connection inherits it; without it small answers wait 40 ms for an acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def check_certificate(tls: Tls) -> None:
    """Raises UsageError for files that are no certificate with its key, UnreadableError."""
    for path in tls:
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            raise UnreadableError(
                f"{path}: {words_of(error)}", hint="--tls-cert and --tls-key"
            ) from error
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls.certificate, tls.key, password="")  # so that nobody is asked
    except (ssl.SSLError, ValueError, OSError) as error:
        raise UsageError(
            f"{tls.certificate} and {tls.key} are no certificate with its key",
            hint="both in PEM form, made for each other, and the key without a passphrase",
        ) from error
