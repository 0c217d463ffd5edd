"""The existing command, `oacp-cli`, as the tests meet it: its program, and its inside for many."""

import json
import subprocess
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_INSIDE = Path(__file__).parent / "inside_peer.py"
PATIENCE = 120  # seconds; only what hangs ever gets there


@cache
def _bench() -> Any:
    spec = spec_from_file_location("peers", _ROOT / "bench" / "peers.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def programs() -> Path | None:
    """The folder of its programs, made once on this machine; None when it can't be installed."""
    try:
        return Path(_bench().environment(_bench().OACP_CLI))
    except (OSError, subprocess.CalledProcessError):
        return None


def _run(words: list[str], given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        input=given,
        capture_output=True,
        text=True,
        env=_bench().clean(),
        timeout=PATIENCE,
        check=False,
    )


def say(*words: str, home: Path | None = None) -> tuple[int, str, str]:
    """Run its `oacp`, on a home if one is named; gives exit code, output and errors."""
    place = ("--oacp-dir", str(home)) if home else ()
    done = _run([f"{programs()}/oacp", *words, *place], "")
    return done.returncode, done.stdout, done.stderr


def _inside(order: list[str], given: object) -> Any:
    done = _run([f"{programs()}/python", str(_INSIDE), *order], json.dumps(given))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def read(paths: list[str]) -> list[dict[str, Any]]:
    """What it reads in each file, and the errors that it finds."""
    answers: list[dict[str, Any]] = _inside(["read"], paths)
    return answers


def send(home: Path, project: str, drafts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What it says to each draft that it is asked to send."""
    answers: list[dict[str, Any]] = _inside(["send", str(home), project], drafts)
    return answers
