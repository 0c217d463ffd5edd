"""The peers that we measure ourselves against, each in an environment of its own, made once."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

OACP_CLI = "oacp-cli==0.5.4"
CACHE = Path.home() / ".cache" / "waypost-bench"
_HERE = Path(__file__).parent


def environment(requirement: str) -> Path:
    """Give the folder of commands of an environment that holds this requirement."""
    home = CACHE / requirement.replace("==", "-")
    if not (home / "ready").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with open(f"{home}.lock", "w") as lock:  # tests that run side by side make it once
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (home / "ready").exists():
                _make(home, requirement)
    return home / "bin"


def _make(home: Path, requirement: str) -> None:
    uv = [sys.executable, "-m", "uv"]
    if subprocess.run([*uv, "--version"], capture_output=True, check=False).returncode:
        uv = ["uv"]
    made = [*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(home)]
    subprocess.run(made, check=True)
    python = str(home / "bin" / "python")
    install = [*uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python]
    subprocess.run([*install, requirement], check=True)
    (home / "ready").touch()


def oacp_cli() -> Path:
    """Give the peer's own command."""
    return environment(OACP_CLI) / "oacp"


def ask_oacp_cli(order: str, *arguments: str, given: object = None) -> Any:
    """Run `peer_oacp.py` inside the peer's environment; gives what it answers."""
    python, script = environment(OACP_CLI) / "python", _HERE / "peer_oacp.py"
    command = [str(python), "-P", str(script), order, *arguments]  # -P: not our own oacp.py
    done = subprocess.run(
        command, input=json.dumps(given), text=True, capture_output=True, check=True, env=clean()
    )
    return json.loads(done.stdout)


def clean() -> dict[str, str]:
    """The process environment without what would slow or change a start of Python."""
    unwanted = ("PYTHON", "OACP", "WAYPOST", "VIRTUAL_ENV")
    return {key: value for key, value in os.environ.items() if not key.startswith(unwanted)}
