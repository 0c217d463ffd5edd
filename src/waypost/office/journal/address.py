"""Where a shared journal is: servers, the office's name, and how we prove who we are to them.

    nats://[user:password@|token@]host[:port][,host…]/office?replicas=3&creds=FILE&nkey=FILE
        &ca=FILE&cert=FILE&key=FILE&monitor=http://host:8222[,http://…]

What is secret in it is never shown again.
"""

import re
import ssl
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from waypost.errors import UsageError, quoted
from waypost.letters.names import did_you_mean

SCHEMES = ("nats", "tls")
_OFFICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
_OPTIONS = ("replicas", "creds", "nkey", "ca", "cert", "key", "monitor")
_MOST_SERVERS = 32


class Address(NamedTuple):
    """A journal on servers that many machines share."""

    scheme: str
    user: str
    hosts: tuple[str, ...]
    office: str
    replicas: int | None = None
    creds: str | None = None
    nkey: str | None = None
    ca: str | None = None
    cert: str | None = None
    key: str | None = None
    monitors: tuple[str, ...] = ()

    @property
    def servers(self) -> list[str]:
        """The servers, each as an address of its own, with what proves who we are."""
        who = f"{self.user}@" if self.user else ""
        return [f"{self.scheme}://{who}{host}" for host in self.hosts]

    @property
    def stream(self) -> str:
        """The name of the stream that is the journal."""
        return f"waypost-{self.office}"

    @property
    def subject(self) -> str:
        """Where events are published."""
        return f"waypost.{self.office}.events"

    @property
    def moved(self) -> str:
        """Where a whole office is published that moves into the stream, while it is closed."""
        return f"waypost.{self.office}.moved"

    def bare(self, sequence: int | str) -> str:
        """Where the head of an event stands whose content was removed from the stream."""
        return f"waypost.{self.office}.bare.{sequence}"

    def __str__(self) -> str:
        return f"{self.scheme}://{','.join(self.hosts)}/{self.office}"

    def tls(self) -> ssl.SSLContext | None:
        """How the line is encrypted, where the address says so. Raises UsageError."""
        if self.scheme != "tls" and not (self.ca or self.cert):
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.cert:
                context.load_cert_chain(self.cert, self.key)
        except (OSError, ValueError) as error:
            raise UsageError(
                "the journal's certificates can't be used",
                hint="ca, cert and key name files in PEM form",
            ) from error
        return context


def address_of(text: str) -> Address:
    """Read the address of a journal. Raises UsageError, and never shows what is secret in it."""
    try:
        parts = urlsplit(text)
        query = parts.query
        given = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError as error:
        raise _wrong("the journal's address can't be read") from error
    user, _, hosts = parts.netloc.rpartition("@")
    listed = tuple(hosts.split(","))
    office = unquote(parts.path.strip("/")) or "office"
    if parts.scheme not in SCHEMES:
        raise _wrong(f"a journal elsewhere is not at {quoted(parts.scheme)}:")
    if len(listed) > _MOST_SERVERS or not all(map(is_host, listed)):
        raise _wrong("the journal's address names no server, or one that is none")
    if not _OFFICE.fullmatch(office):
        raise _wrong(f"{quoted(office)} is no name for an office")
    for name in given:
        if name not in _OPTIONS:
            hint = did_you_mean(name, _OPTIONS) or "there are " + ", ".join(_OPTIONS)
            raise UsageError(f"a journal's address has no {quoted(name)}", hint=hint)
    monitors = tuple(filter(None, given.pop("monitor", "").split(",")))
    if not all(urlsplit(one).scheme in ("http", "https") for one in monitors):
        raise _wrong("monitor is where a server's figures are, like http://127.0.0.1:8222")
    replicas = _replicas(given.pop("replicas", None))
    return Address(parts.scheme, user, listed, office, replicas, monitors=monitors, **given)


def is_host(text: str) -> bool:
    """Whether a text names a machine, and perhaps a port."""
    return _HOST.fullmatch(text) is not None


def _replicas(text: str | None) -> int | None:
    if text is None:
        return None
    if text not in ("1", "3", "5"):
        raise _wrong("replicas is 1, 3 or 5")
    return int(text)


def _wrong(what: str) -> UsageError:
    return UsageError(what, hint="like nats://host:4222/office; docs/scale.md says all of it")
