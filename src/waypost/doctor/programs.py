"""Which `waypost` and `oacp` does a shell find: ours, of this version, or another package's?"""

import os
import shutil
import subprocess
from collections.abc import Iterator

from waypost.doctor.finding import Finding

_NAMES = ("waypost", "oacp")
_PATIENCE_SECONDS = 5.0
_MARK = b"waypost.commands"  # what installers write into the scripts that start us


def check(version: str, path: str | None = None) -> Iterator[Finding]:
    """Look at the first program of each name on the path."""
    for name in _NAMES:
        found = shutil.which(name, path=path)
        if found is None:
            continue
        if not _is_ours(found):
            what = f"the first `{name}` on the path is another package's"
            hint = f"put the folder of ours before {os.path.dirname(found)} in PATH"
            yield Finding("programs", found, what, hint)
        elif name == _NAMES[0] and (other := _version(found)) != version:
            what = f"the `waypost` on the path is version {other or 'unknown'}, this is {version}"
            yield Finding("version", found, what, "install the newer one, and remove the other")


def _is_ours(program: str) -> bool:
    try:
        with open(program, "rb") as file:
            return _MARK in file.read(1 << 16)
    except OSError:
        return False


def _version(program: str) -> str | None:
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout[:100].decode("utf-8", "replace").strip() or None
