"""The office as a service of one person: a unit for systemd or for launchd, as text and its place.

Nothing here is started or stopped: that is for the person, who is told the one command.
"""

import os
import re
from collections.abc import Mapping
from typing import NamedTuple

_MARK = "written by waypost setup service"
_LABEL = "waypost.serve"
_PLAIN = re.compile(r"[\w@+=:,./-]+")
_SYSTEMD = f"""\
# {_MARK}; --undo takes it away
[Unit]
Description=Waypost, the post office for AI agents

[Service]
ExecStart=COMMAND
ENVIRONMENTRestart=on-failure
RestartSec=2
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
"""


class Service(NamedTuple):
    """A file for the system's own service manager, and the commands that a person gives it."""

    path: str
    text: str
    start: str
    stop: str


def service_of(
    platform: str, words: list[str], variables: Mapping[str, str], environment: Mapping[str, str]
) -> Service | None:
    """The service that runs a command; None where the system has no manager that we know."""
    if platform == "darwin":
        path = os.path.expanduser(f"~/Library/LaunchAgents/{_LABEL}.plist")
        start, stop = f"launchctl load -w {_shell(path)}", f"launchctl unload -w {_shell(path)}"
        return Service(path, _launchd(words, variables), start, stop)
    if platform.startswith("linux"):
        config = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        path = os.path.join(config, "systemd", "user", "waypost.service")
        start = "systemctl --user daemon-reload && systemctl --user enable --now waypost"
        return Service(path, _systemd(words, variables), start,
                       "systemctl --user disable --now waypost")  # fmt: skip
    return None


def is_ours(text: str) -> bool:
    """Whether a file was written by us, so that we may change it or take it away."""
    return _MARK in text


def _systemd(words: list[str], variables: Mapping[str, str]) -> str:
    lines = "".join(
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in variables.items()
    )
    # A dollar sign stands for a variable in a command, and nowhere else.
    command = " ".join(_quoted(word).replace("$", "$$") for word in words)
    return _SYSTEMD.replace("COMMAND", command).replace("ENVIRONMENT", lines)


def _quoted(word: str) -> str:
    """A word as systemd reads it: quoted where needed, with percent signs that mean themselves."""
    word = word.replace("%", "%%")
    if _PLAIN.fullmatch(word.replace("%%", "")) and word:
        return word
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _launchd(words: list[str], variables: Mapping[str, str]) -> str:
    import plistlib

    unit = {
        "Label": _LABEL,
        "ProgramArguments": words,
        "EnvironmentVariables": dict(variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "Umask": 0o077,
    }
    text = plistlib.dumps(unit, sort_keys=False).decode()
    head, _, rest = text.partition("\n")
    return f"{head}\n<!-- {_MARK} -->\n{rest}"


def _shell(path: str) -> str:
    from shlex import quote

    return quote(path)
