"""One program that is given a text: it may hang, flood, fork or listen to nothing.

The text is a file at its stdin, so that nothing waits for it to be read; of what it prints only a
bounded part is kept; and all that it started ends with it.
"""

import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, NamedTuple

_MOST_WORDS = 300  # characters of its last words
_MOST_OUTPUT, _MOST_ERRORS = 64_000, 4_000  # bytes that are kept
_GRACE_SECONDS = 1.0  # for output that is still on its way when a program has ended
_CHUNK = 1 << 16


class Outcome(NamedTuple):
    """What a program printed; `trouble` says why that doesn't count, `words` what it complained."""

    out: str
    trouble: str | None = None
    words: str = ""


class _Ear(threading.Thread):
    """Reads a stream to its end, however long it is; keeps its beginning, or its end."""

    def __init__(self, stream: IO[bytes], most: int, *, keeps_end: bool) -> None:
        super().__init__(name="waypost-ear", daemon=True)
        self._stream, self._most, self._keeps_end = stream, most, keeps_end
        self._kept = b""
        self.start()

    def run(self) -> None:
        """Read on."""
        with suppress(OSError, ValueError):
            while chunk := os.read(self._stream.fileno(), _CHUNK):
                if self._keeps_end:
                    self._kept = (self._kept + chunk)[-self._most :]
                elif len(self._kept) < self._most:
                    self._kept = (self._kept + chunk)[: self._most]
        self._stream.close()

    def heard(self) -> str:
        """What came so far, once the stream ended; one that somebody keeps open isn't awaited."""
        self.join(_GRACE_SECONDS)
        return self._kept.decode("utf-8", "replace").strip()


class Program:
    """A program that runs. Raises OSError when it can't be started."""

    def __init__(self, command: str, given: bytes, environment: Mapping[str, str]) -> None:
        with tempfile.TemporaryFile() as text:
            text.write(given)
            text.seek(0)
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", command],
                stdin=text,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                start_new_session=True,
            )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._out = _Ear(self._process.stdout, _MOST_OUTPUT, keeps_end=False)
        self._errors = _Ear(self._process.stderr, _MOST_ERRORS, keeps_end=True)

    def finish(self, seconds: float) -> Outcome:
        """Wait until it ends, for so long at most; what it left running ends, too."""
        trouble = None
        try:
            code = self._process.wait(seconds)
            if code < 0:
                trouble = f"was ended by signal {-code}"
            elif code > 0:
                trouble = f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            trouble = f"took more than {seconds:.0f} s and was ended"
        self.end()
        return Outcome(self._out.heard(), trouble, self._errors.heard()[-_MOST_WORDS:])

    def end(self) -> None:
        """End it with all that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
