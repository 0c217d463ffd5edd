"""Runs the commands: as programs of their own, or in this process where many runs are wanted."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from waypost.commands import oacp, waypost

SCRIPTS = Path(sys.executable).parent
_MAINS: dict[str, Callable[[], int]] = {"waypost": waypost.main, "oacp": oacp.main}
_OF_THE_TESTER = ("PYTHONUNBUFFERED", "NO_COLOR", "FORCE_COLOR", "TERM", "WAYPOST_DEBUG")
PATIENCE = 120  # seconds; only a command that hangs ever gets there


class Said(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[Any]:
        """The JSON lines on stdout."""
        return [json.loads(line) for line in self.out.split("\n") if line]


def environment(**more: str) -> dict[str, str]:
    """What a command finds around it: the tester's world without the tester's wishes."""
    kept = {key: value for key, value in os.environ.items() if key not in _OF_THE_TESTER}
    return {**kept, "COLUMNS": "100", **more}


def command(*words: str | bytes) -> list[str | bytes]:
    """The words with the program's whole path."""
    return [str(SCRIPTS / os.fsdecode(words[0])), *words[1:]]


def say(*words: str | bytes, given: bytes = b"", **more: str) -> Said:
    """Run a command as a program of its own."""
    done = subprocess.run(
        command(*words),
        input=given,
        capture_output=True,
        env=environment(**more),
        timeout=PATIENCE,
        check=False,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def transcript(*words: str) -> str:
    """What a person sees of a command: both streams, in the order in which they were written."""
    done = subprocess.run(
        command(*words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment(),
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout.decode()


def shell(script: str, folder: Path, **more: str) -> Said:
    """Run a line of bash in a folder, with both commands on its path."""
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(PATH=path, **more),
        timeout=PATIENCE,
        check=False,
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def quick(*words: str, given: bytes = b"") -> Said:
    """Run a command inside this process."""
    out, err = _stream(), _stream()
    with redirect_stdout(out), redirect_stderr(err), _called_as(words, given):
        try:
            code = _MAINS[words[0]]()
        except SystemExit as left:  # --help leaves so
            code = int(left.code or 0)
    return Said(code, _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


@contextmanager
def _called_as(words: tuple[str, ...], given: bytes) -> Any:
    before, world = (sys.argv, sys.stdin), dict(os.environ)
    _live_in(environment())
    sys.argv = list(words)
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    try:
        yield
    finally:
        sys.argv, sys.stdin = before
        _live_in(world)


def _live_in(world: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(world)
