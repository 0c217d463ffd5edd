"""Tokens: one line that says which key an agent has and where it can be reached. Pure.

waypost://<public key, base64url without padding>@host:port[?alpn=none]
A token without `@host:port` is that of an agent that can't be dialled, only dials.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

from waypost.carriers.keyring.keys import agent_id
from waypost.errors import UsageError

SCHEME = "waypost://"
DEFAULT_PORT = 7100
_TOKEN = re.compile(
    r"waypost://(?P<key>[A-Za-z0-9_-]{43})"
    r"(?:@(?:\[(?P<v6>[0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]|(?P<host>[A-Za-z0-9_.-]{1,253}))"
    r"(?::(?P<port>[0-9]{1,5}))?)?"
    r"/?(?:[?](?P<options>[a-z0-9=&-]*))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """An enrolled agent: the name we gave it, its key, since when, and where to dial it, if
    anywhere."""

    name: str
    public_key: bytes
    id: str
    host: str | None = None
    port: int | None = None
    alpn: bool = True
    since: float | None = None


def token_of(
    public_key: bytes, host: str | None = None, port: int | None = None, *, alpn: bool = True
) -> str:
    """Write the token of a key, and of the address where its agent listens."""
    text = SCHEME + encoded(public_key)
    if host:
        text += f"@[{host}]" if ":" in host else f"@{host}"
        text += f":{port or DEFAULT_PORT}"
    return text + ("" if alpn else "?alpn=none")


def read_token(text: str, name: str = "") -> Peer:
    """Read a token. Raises UsageError when it isn't one."""
    found = _TOKEN.fullmatch(text.strip())
    public_key = decoded(found["key"]) if found else None
    if found is None or public_key is None:
        raise UsageError(
            "this isn't a token", hint="a token looks like waypost://KEY@host:port, all on one line"
        )
    host = found["host"] or found["v6"]
    port = int(found["port"] or DEFAULT_PORT) if host else None
    if port is not None and not 0 < port < 65536:
        raise UsageError(f"the token's port {port} is none", hint="ports go from 1 to 65535")
    return Peer(
        name=name,
        public_key=public_key,
        id=agent_id(public_key),
        host=host,
        port=port,
        alpn="alpn=none" not in (found["options"] or "").split("&"),
    )


def encoded(public_key: bytes) -> str:
    """Write a key as text."""
    return urlsafe_b64encode(public_key).decode().rstrip("=")


def decoded(text: str) -> bytes | None:
    """Read a key written as text; None when it isn't one, or is written in an odd way."""
    try:
        public_key = urlsafe_b64decode(text + "=")
    except ValueError:
        return None
    return public_key if len(public_key) == 32 and encoded(public_key) == text else None
