"""An agent's own key: an Ed25519 key in a file that only its owner may read, made on first use."""

import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.carriers.keyring import files
from waypost.errors import ConflictError, KeyFileError, NotFoundError, UsageError, quoted
from waypost.letters.names import NAME_RULE, did_you_mean, is_name

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ENDING = ".key"
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One local agent: its name here, and the key that others know it by."""

    name: str
    id: str
    public_key: bytes
    private_key: "Ed25519PrivateKey" = field(repr=False, compare=False)


def waypost_home() -> Path:
    """Give the folder that keys live under: `WAYPOST_HOME`, or `~/.waypost`."""
    return Path(os.environ.get("WAYPOST_HOME") or Path.home() / ".waypost")


def agent_id(public_key: bytes) -> str:
    """Give the id that follows from a public key."""
    return "ed25519." + sha256(public_key).digest()[:16].hex()


def fingerprint(public_key: bytes) -> str:
    """Give the SHA-256 of a key in groups of four, to be compared by eye or ear."""
    digits = sha256(public_key).hexdigest()
    return " ".join(digits[place : place + 4] for place in range(0, len(digits), 4))


def local_names(home: Path) -> list[str]:
    """List the agents that have a key here."""
    names = (path.name.removesuffix(_ENDING) for path in (home / "keys").glob("*" + _ENDING))
    return sorted(name for name in names if is_name(name))


def identity(home: Path, name: str, *, create: bool = True) -> Identity:
    """Give a local agent's identity; its key is made on first use unless `create` is false.

    Raises UsageError, NotFoundError, KeyFileError, and ConflictError where another name differs
    only in case.
    """
    if not is_name(name):
        raise UsageError(f"{quoted(name)} can't name an agent", hint=NAME_RULE)
    path = home / "keys" / (name + _ENDING)
    try:
        return _identity(name, _read(path))
    except FileNotFoundError:
        if not create:
            raise _no_key(home, name) from None
    _refuse_twin(home, name)
    files.make(files.folder_of(home) / path.name, _new_key())
    return _identity(name, _read(path))  # whoever was first, its key is ours


def _no_key(home: Path, name: str) -> NotFoundError:
    known = local_names(home)
    hint = did_you_mean(name, known) or ("there are " + ", ".join(known[:9]) if known else None)
    return NotFoundError(f"no agent called {quoted(name)} has a key here", hint=hint)


def _refuse_twin(home: Path, name: str) -> None:
    for other in local_names(home):
        if other != name and other.casefold() == name.casefold():
            raise ConflictError(
                f"an agent called {quoted(other)} has a key here already",
                hint="names that differ only in case are too easy to mix up",
            )


def _new_key() -> bytes:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _read(path: Path) -> bytes:
    """Read a key file. Raises FileNotFoundError, and KeyFileError when others could read it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if mode & 0o077:
            raise KeyFileError(
                f"the key file {path} is open to others (mode {mode & 0o777:04o})",
                hint=f"if nobody has read it: chmod 600 {path}; else delete it for a new key",
            )
        return file.read(_MOST_BYTES)


def _identity(name: str, pem: bytes) -> Identity:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(
            f"the key file of {quoted(name)} holds no Ed25519 key",
            hint="put it back from a copy, or delete it for a new key, which peers must enrol anew",
        )
    public_key = key.public_key().public_bytes_raw()
    return Identity(name=name, id=agent_id(public_key), public_key=public_key, private_key=key)
