"""The settings of an office: by flag, by environment, by `config.toml`, by default.

Every value knows where it came from, so that a refusal can name the place to mend.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from waypost.errors import UsageError, quoted
from waypost.letters.names import did_you_mean

FILE = "config.toml"
_JOURNAL = "office.journal"
_LARGEST = 1 << 16


class Setting(NamedTuple):
    """A value, and where it came from: a flag, a variable, a file, or nowhere ("default")."""

    value: str
    source: str


class Known(NamedTuple):
    """A setting that exists: its place in the file, its variable, its default, what it is for."""

    key: str
    variable: str
    default: str | None
    purpose: str


KNOWN = (
    Known("mail.project", "WAYPOST_PROJECT", None, "the project that commands mean"),
    Known("mail.agent", "WAYPOST_AGENT", None, "the agent that speaks"),
    Known("office.url", "WAYPOST_URL", None, "the office to ask, where it isn't this machine's"),
    Known("office.journal", "WAYPOST_JOURNAL", None, "the journal that many machines share"),
    Known("serve.node", "WAYPOST_NODE", None, "what this node of a shared journal is called"),
    Known("serve.http", "WAYPOST_HTTP", "127.0.0.1:7117", "where `waypost serve` listens"),
    Known("serve.quic", "WAYPOST_QUIC", "127.0.0.1:7100", "where live peers reach our agents"),
    Known(
        "serve.letters",
        "WAYPOST_LETTERS",
        "60",
        "how many letters from one to another within ten minutes go on without a person's word",
    ),
    Known("folders.home", "OACP_HOME", "~/oacp", "where the folders of OACP are"),
    Known("serve.tls_cert", "WAYPOST_TLS_CERT", None, "the server's certificate, in PEM form"),
    Known("serve.tls_key", "WAYPOST_TLS_KEY", None, "the key of that certificate"),
    Known("notify.desktop", "WAYPOST_NOTIFY_DESKTOP", "false", "whether this machine shows needs"),
    Known("notify.webhook", "WAYPOST_NOTIFY_WEBHOOK", None, "the address that is told of needs"),
    Known("notify.secret", "WAYPOST_NOTIFY_SECRET", None, "what signs the webhook’s requests"),
    Known("notify.body", "WAYPOST_NOTIFY_BODY", "false", "whether the webhook gets whole letters"),
    Known("notify.quiet", "WAYPOST_NOTIFY_QUIET", "60", "after how many seconds one is away"),
    Known("serve.names", "WAYPOST_NAMES", None, "more host names by which clients call it"),
)
_BY_KEY = {known.key: known for known in KNOWN}


class Config:
    """The settings of one home, in one environment."""

    def __init__(self, home: str, environment: Mapping[str, str]) -> None:
        self._path = os.path.join(home, FILE)
        self._environment = environment
        self._values: dict[str, str] | None = None

    def find(self, key: str, flag: str | None = None, flag_name: str | None = None) -> Setting:
        """The value of a setting. Raises UsageError when nothing gives one."""
        found = self.look(key, flag, flag_name)
        if found is None:
            known = _BY_KEY[key]
            hint = f"set {known.variable}, or {key} in {self._path}"
            raise UsageError(f"nothing says {known.purpose}", hint=hint)
        return found

    def look(
        self, key: str, flag: str | None = None, flag_name: str | None = None
    ) -> Setting | None:
        """The value of a setting, or None when nothing gives one."""
        known = _BY_KEY[key]
        if flag is not None:
            return Setting(flag, flag_name or "--" + key.rpartition(".")[2])
        if given := self._environment.get(known.variable):
            return Setting(given, known.variable)
        if self._values is None:
            self._values = _read(self._path)
        if (written := self._values.get(key)) is not None:
            return Setting(written, self._path)
        return None if known.default is None else Setting(known.default, "default")


def _read(path: str) -> dict[str, str]:
    """Every setting of a file as text. Raises UsageError for what nobody would read."""
    return _settings(read_toml(path), path)


def _settings(sections: Mapping[str, Any], path: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for section, inside in sections.items():
        if not isinstance(inside, dict):
            inside, section = {section: inside}, ""
        for name, value in inside.items():
            key = f"{section}.{name}".lstrip(".")
            if key not in _BY_KEY:
                near = did_you_mean(key, _BY_KEY) or "known are " + ", ".join(_BY_KEY)
                raise UsageError(f"{path} has no setting {quoted(key)}", hint=near)
            if isinstance(value, bool):
                value = str(value).lower()
            if not isinstance(value, str) or not value.strip():
                raise UsageError(f"{key} in {path} must be text", hint=_BY_KEY[key].purpose)
            values[key] = value.strip()
    return values


def read_toml(path: str) -> dict[str, Any]:
    """A TOML file as a mapping, empty when there is none. Raises UsageError when it isn't one."""
    try:
        with open(path, "rb") as file:
            text = file.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if len(text) > _LARGEST:
        raise UsageError(f"{path} is too long", hint=f"at most {_LARGEST >> 10} KiB are read")
    import tomllib

    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}") from error


def write_journal(home: str, address: str | None) -> None:
    """Have a home's settings say which journal it follows, or none. Raises UsageError, OSError.

    What else stands in the file stays as it is, comments too.
    """
    path = os.path.realpath(os.path.join(home, FILE))
    wanted = {key: one for key, one in _read(path).items() if key != _JOURNAL}
    if address is not None:
        wanted[_JOURNAL] = address
    lines = []
    with suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    text = "\n".join((*_with_journal(lines, address), ""))
    if not _says(text, wanted):
        raise UsageError(
            f"{path} is written so that it can't be changed safely",
            hint=f"{'take out' if address is None else 'write'} {_JOURNAL} by hand, and try again",
        )
    staged = f"{path}.{os.getpid()}"
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(staged, path)


def _says(text: str, wanted: Mapping[str, str]) -> bool:
    import tomllib

    try:
        return _settings(tomllib.loads(text), "") == wanted
    except (ValueError, UsageError):
        return False


def _with_journal(lines: Sequence[str], address: str | None) -> list[str]:
    """The lines of a file with another journal in them, or none."""
    import json

    kept: list[str] = []
    section, begins = "", None
    for line in lines:
        bare = line.partition("#")[0].strip()
        if bare.startswith("["):
            section = bare
        if bare.partition("=")[0].strip() != ("journal" if section == "[office]" else _JOURNAL):
            kept.append(line)
        if bare == "[office]":
            begins = len(kept)
    if address is not None:
        if begins is None:
            kept.append("[office]")
            begins = len(kept)
        kept.insert(begins, "journal = " + json.dumps(address, ensure_ascii=False))
    return kept
