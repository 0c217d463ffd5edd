"""A real `oacp watch --follow` beside a test, and what it says."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from commands.terminal import PATIENCE, command, environment


class Watch:
    """A follower that is at work."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def hear(self) -> str:
        """The next line on stdout; waits for it."""
        assert self.process.stdout
        return self.process.stdout.readline().rstrip("\n")

    def complaint(self) -> str:
        """The next line on stderr; waits for it."""
        assert self.process.stderr
        return self.process.stderr.readline().rstrip("\n")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Tell it to end; gives its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def follow(*words: str) -> Iterator[Watch]:
    """Follow codex's mail; yields when it watches."""
    process = subprocess.Popen(
        command("oacp", "watch", "--follow", "--agent", "codex", *words),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        text=True,
    )
    watch = Watch(process)
    try:
        while not watch.complaint().startswith("watching"):
            assert process.poll() is None
        yield watch
    finally:
        process.kill()
        process.communicate()
